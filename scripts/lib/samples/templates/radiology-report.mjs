// What a radiologist saw, did not see, and is not sure of.
import { dated, evident, later, people, town } from "../invented.mjs";
import { Writer } from "../writer.mjs";

// name of the exam, its other names; what may be seen as [sentence, name, other names]; what may be absent.
const EXAMS = [
  { name: "chest x-ray", also: ["chest radiograph", "xr chest", "x-ray chest", "chest x-ray, two views", "chest x-ray (pa and lateral)"], title: "Chest X-ray, two views",
    seen: [["There is a consolidation in the right lower lobe.", "consolidation", ["right lower lobe consolidation", "consolidation in the right lower lobe"]], ["Mild cardiomegaly is present.", "cardiomegaly", ["mild cardiomegaly"]],
      ["A 9 mm nodule is seen in the left upper lobe.", "nodule", ["lung nodule", "left upper lobe nodule", "9 mm nodule", "nodule in the left upper lobe", "pulmonary nodule"]], ["Small left pleural effusion.", "pleural effusion", ["left pleural effusion", "small left pleural effusion"]]],
    absent: [["pneumothorax", []], ["rib fracture", ["fracture"]], ["pulmonary edema", ["pulmonary oedema", "edema"]]], likely: ["pneumonia", ["J18"]], asked: [["cough", "fever"], "pulmonary embolism", ["pe"], ["I26"]] },
  { name: "ct abdomen and pelvis", also: ["ct abdomen", "ct of the abdomen and pelvis", "ct abdomen pelvis", "ct scan", "computed tomography of the abdomen and pelvis", "ct of the abdomen and pelvis with contrast"], title: "CT of the abdomen and pelvis with contrast",
    seen: [["Several gallstones are present.", "gallstones", ["cholelithiasis", "several gallstones", "gallstone"]], ["There is hepatic steatosis.", "hepatic steatosis", ["fatty liver", "steatosis"]],
      ["A simple renal cyst of 22 mm is seen on the left.", "renal cyst", ["simple renal cyst", "left renal cyst"]], ["Sigmoid diverticulosis is noted.", "diverticulosis", ["sigmoid diverticulosis"]]],
    absent: [["hydronephrosis", []], ["bowel obstruction", []], ["free air", ["free fluid or free air"]], ["appendicitis", ["acute appendicitis"]]], likely: ["acute cholecystitis", ["K81.0"]], asked: [["abdominal pain", "vomiting"], "acute pancreatitis", ["pancreatitis"], ["K85"]] },
  { name: "mri brain", also: ["mri of the brain", "brain mri", "magnetic resonance imaging of the brain", "mri of the brain without contrast"], title: "MRI of the brain without contrast",
    seen: [["Mild cerebral atrophy is noted.", "cerebral atrophy", ["mild cerebral atrophy", "atrophy"]], ["There is chronic sinusitis of the left maxillary sinus.", "chronic sinusitis", ["sinusitis", "chronic sinusitis of the left maxillary sinus"]],
      ["There is a small arachnoid cyst.", "arachnoid cyst", ["small arachnoid cyst"]]],
    absent: [["hemorrhage", ["haemorrhage", "intracranial hemorrhage"]], ["acute infarct", ["infarct", "acute infarction"]], ["midline shift", []], ["hydrocephalus", []]], likely: ["multiple sclerosis", ["G35"]], asked: [["headache", "dizziness"], "stroke", [], ["I63", "I64"]] },
];
const ABSENT = [(n) => `No ${n}.`, (n) => `There is no evidence of ${n}.`, (n) => `${n[0].toUpperCase()}${n.slice(1)} is not seen.`, (n) => `Negative for ${n}.`, (n) => `${n[0].toUpperCase()}${n.slice(1)}: none.`, (n) => `No signs of ${n} are identified.`, (n) => `${n[0].toUpperCase()}${n.slice(1)} is excluded.`];
const LIKELY = [[(n) => `Findings are consistent with ${n}.`, ["current", "suspected"]], [(n) => `Appearances suggest possible ${n}.`, ["suspected"]], [(n) => `Probable ${n}.`, ["suspected", "current"]], [(n) => `${n[0].toUpperCase()}${n.slice(1)} cannot be excluded.`, ["suspected"]], [(n) => `Suspicious for ${n}.`, ["suspected"]]];

export default {
  kind: "radiology-report",
  layouts: ["capitals", "letter", "side-panel"],
  write(random, layout) {
    const doc = new Writer({ size: 10.5, lead: 15 });
    const [patient, radiologist, referrer] = people(random, 3);
    const date = dated({ capitals: "us", letter: "uk", "side-panel": "abbreviated" }[layout]);
    const birth = evident(random, random.date(1930, 2000)), done = random.date(2021, 2025), reported = later(done, 1);
    const exam = random.pick(EXAMS);
    const seen = random.shuffle(exam.seen).slice(0, 2), absent = random.shuffle(exam.absent).slice(0, 3);
    const record = `R${random.int(100000, 999999)}`;
    const finding = (name, also, status) => doc.fact("finding", name, {}, { status, also, kinds: ["finding", "condition"] });
    const body = {
      seen: (side) => side.paragraph(random.shuffle([...seen.map(([sentence]) => sentence), ...absent.map(([name]) => random.pick(ABSENT)(name))]).join(" ")),
      impression: (side, numbered) => {
        const [sentence, statuses] = random.pick(LIKELY);
        const lines = [sentence(exam.likely[0]), seen[0][0]];
        for (const [at, line] of lines.entries()) side.paragraph(numbered ? `${at + 1}. ${line}` : line);
        doc.fact("condition", exam.likely[0], {}, { status: statuses[0], statuses, kinds: ["finding", "condition"], codes: exam.likely[1] });
      },
    };
    ({ capitals, letter, "side-panel": sidePanel })[layout](doc, random, { patient, radiologist, referrer, date, birth, done, reported, exam, record, body });
    for (const [, name, also] of seen) finding(name, also, "current");
    for (const [name, also] of absent) finding(name, also, "ruled_out");
    doc.fact("patient", patient.name, { birth_date: birth, record_number: record });
    doc.fact("provider", radiologist.name, { role: "author" });
    doc.fact("provider", referrer.name, { role: "referrer" });
    doc.fact("procedure", exam.name, { date: done }, { also: exam.also, statuses: ["current", "historical"] });
    return doc.done();
  },
};

const noteDone = (doc, done) => doc.fact("date", "examination", { date: done }, { also: ["exam", "exam date", "examined", "performed", "date of exam", "date of examination", "study", "document", "study date", "date"] });

function capitals(doc, random, { patient, radiologist, referrer, date, birth, done, reported, exam, record, body }) {
  doc.line("RADIOLOGY REPORT", { size: 15, bold: true }).down(2);
  doc.row([54, 320], [`PATIENT: ${patient.last.toUpperCase()}, ${patient.first.toUpperCase()}`, `DOB: ${date(birth)}`]);
  doc.row([54, 320], [`MRN: ${record}`, `EXAM DATE: ${date(done)}`]);
  doc.row([54, 320], [`ORDERING: ${referrer.last}, ${referrer.first}, MD`, `REPORTED: ${date(reported)}`]).rule();
  noteDone(doc, done);
  doc.fact("date", "reported", { date: reported }, { also: ["report"] });
  doc.heading("EXAM").line(exam.title);
  const [symptoms, feared, also, codes] = exam.asked;
  doc.heading("INDICATION").line(`${symptoms.join(" and ").replace(/^./, (letter) => letter.toUpperCase())}. ${random.pick(["Rule out", "R/O", "Evaluate for"])} ${feared}.`);
  doc.fact("condition", feared, {}, { status: "suspected", also, codes });
  for (const name of symptoms) doc.fact("condition", name, {}, { kinds: ["condition", "finding"], statuses: ["current", "historical", "suspected"], optional: true });
  doc.heading("COMPARISON").line("None.");
  doc.heading("FINDINGS");
  body.seen(doc);
  doc.heading("IMPRESSION");
  body.impression(doc, true);
  doc.down(14).line(`Electronically signed by ${radiologist.name}, MD`);
}

function letter(doc, random, { patient, radiologist, referrer, date, birth, done, exam, record, body }) {
  doc.line(`${town(random)} Imaging Centre`, { size: 15, bold: true }).down(4);
  doc.line(`To: Dr ${referrer.first} ${referrer.last}`);
  doc.line(`Patient: ${patient.title} ${patient.first} ${patient.last}    Date of birth: ${date(birth)}    Ref. ${record}`);
  doc.line(`Date of examination: ${date(done)}`).down(4);
  noteDone(doc, done);
  doc.line(exam.title, { bold: true });
  body.seen(doc);
  doc.heading("Conclusion");
  body.impression(doc, false);
  doc.down(12).line(`Dr ${radiologist.first} ${radiologist.last}`).line("Consultant Radiologist");
}

function sidePanel(doc, random, { patient, radiologist, referrer, date, birth, done, reported, exam, record, body }) {
  doc.line(`${town(random)} Diagnostic Imaging`, { size: 15, bold: true }).rule().down(4);
  doc.beside([1, 2], (side) => {
    for (const [label, text] of [["Patient", patient.name], ["Date of birth", date(birth)], ["Record no.", record], ["Examined", date(done)], ["Reported", date(reported)], ["Referred by", `Dr. ${referrer.name}`], ["Radiologist", `Dr. ${radiologist.name}`]]) {
      side.line(label, { bold: true, size: 9 }).line(text).down(4);
    }
  }, (side) => {
    side.line("Procedure", { bold: true }).line(exam.title);
    side.heading("Findings");
    body.seen(side);
    side.heading("Impression");
    body.impression(side, true);
  });
  noteDone(doc, done);
  doc.fact("date", "reported", { date: reported }, { also: ["report"] });
}
