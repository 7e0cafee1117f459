// Reports of imaging: findings that are present and absent, impressions, and the question that was asked.
import { cast, clinic, dateIn, findings, place, template } from "./kit/chance.mjs";
import { Paper } from "./kit/page.mjs";

const studies = {
  chest: [["chest x-ray", ["chest radiograph", "XR chest", "chest x-ray 2 views", "X-ray chest", "chest radiography"], "Chest radiograph, PA and lateral"], ["ct chest", ["chest ct", "CT of the chest", "CT thorax", "computed tomography of the chest", "ct chest with contrast"], "CT of the chest with contrast"]],
  abdomen: [["ct abdomen and pelvis", ["CT of the abdomen and pelvis", "ct abdomen", "CT of the abdomen", "abdominal ct", "computed tomography of the abdomen and pelvis"], "CT of the abdomen and pelvis"], ["abdominal ultrasound", ["ultrasound abdomen", "ultrasound of the abdomen", "US abdomen", "ultrasound"], "Ultrasound of the abdomen"]],
  head: [["ct head", ["head ct", "CT of the head", "CT brain", "computed tomography of the head"], "CT of the head without contrast"], ["mri brain", ["brain mri", "MRI of the brain", "MR brain", "magnetic resonance imaging of the brain"], "MRI of the brain"]],
};
const where = {
  chest: ["in the right lower lobe", "on the left", "in the right upper lobe", "at the lung bases"],
  abdomen: ["as described", "which is mild", "of moderate degree"],
  head: ["of mild degree", "which is unchanged"],
};
const organs = {
  chest: "The trachea is central. The bones are unremarkable for age.",
  abdomen: "The liver, pancreas and adrenal glands are of normal size.",
  head: "The orbits and the visible mastoid air cells are clear.",
};
// The signs of one area are what makes sense to exclude beside them.
const doubts = { chest: ["tuberculosis", "pulmonary embolism", "pneumonia", "sarcoidosis", "lung cancer", "rib fracture"],
  abdomen: ["bowel obstruction", "acute appendicitis", "diverticulitis", "acute pancreatitis", "acute cholecystitis", "pyelonephritis"],
  head: ["stroke", "multiple sclerosis", "meningioma", "skull fracture", "encephalitis", "subdural hematoma"] };
const plain = (name) => ({ name, also: name.startsWith("acute ") ? [name.slice(6)] : [], written: name, Written: name[0].toUpperCase() + name.slice(1) });

function scene(random, country) {
  const area = random.pick(["chest", "abdomen", "head"]);
  const [name, also, title] = random.pick(studies[area]);
  const list = [...doubts[area]], some = () => plain(list.splice(random.int(0, list.length - 1), 1)[0]);
  return { area, study: { name, also: [...also, title], title }, sign: findings(random, area), some, site: () => random.pick(where[area]), organ: organs[area], here: place(random, country), who: cast(random, country), list: clinic(random) };
}

function american(random) {
  const { study, sign, some, site, organ, here, who } = scene(random, "us");
  const patient = who.patient(), reader = who.doctor(), orderer = who.doctor(), exam = dateIn(random, 2023, 2025), report = exam.plus(1);
  const paper = new Paper({ left: 60, right: 552, footer: (p, n, total) => p.row([60, 490], ["Images are kept for seven years. Final report.", `Page ${n} of ${total}`], { size: 8 }) });
  paper.line(random.pick(["Lakeshore Imaging Associates", "Radiology Partners of the Valley", "Cornerstone MRI & CT"]), { size: 15, bold: true }).line(`${here.street}, ${here.town} ${here.zip}   ${here.phone}`, { size: 8 }).rule();
  paper.row([60, 320], [`PATIENT: ${patient.loud}`, `EXAM DATE: ${exam.as("us")}`]).row([60, 320], [`DOB: ${patient.birth.as("us")}`, `REPORT DATE: ${report.as("us")}`]).row([60, 320], [`ACCESSION: ${here.code}`, `REFERRING: ${orderer.turned}, MD`]).gap(4);
  paper.patient(patient).date("exam", exam, ["exam date", "examination", "study", "performed", "procedure", "examined", "date of exam"]).date("reported", report, ["report date", "report"]).provider(orderer, "referrer");
  paper.line(`EXAM: ${study.title}`, { bold: true }).procedure(study, "current", exam);
  const asked = some(), no = some(), yes = some();
  paper.gap(4).prose(`INDICATION: Rule out ${asked.written}.`).gap(4).line("COMPARISON: None available.").gap(4);
  const [p1, n1, n2, p2, n3] = [sign(), sign(), sign(), sign(), sign()];
  paper.line("FINDINGS:", { bold: true }).prose(`There is ${p1.written} ${site()}. No ${n1.written} or ${n2.written}. ${organ}`).finding(p1).finding(n1, "ruled_out").finding(n2, "ruled_out").gap(4);
  paper.prose(`Also noted is ${p2.written}. ${n3.Written} is not seen.`).finding(p2).finding(n3, "ruled_out").gap(6);
  paper.line("IMPRESSION:", { bold: true });
  if (random.chance(0.5)) paper.line(`1. No evidence of ${asked.written}.`).condition(asked, "ruled_out");
  else paper.line(`1. ${asked.Written} has been ruled out.`).condition(asked, "ruled_out");
  paper.line(`2. Findings of ${yes.written}.`).condition(yes).line(`3. ${no.Written} is considered unlikely.`).condition(no, "ruled_out");
  paper.gap(30).line(`Electronically signed: ${reader.name}, M.D., Board Certified Radiologist`).provider(reader, "author");
  return paper.done();
}

function british(random) {
  const { study, sign, some, here, who, organ, list, site } = scene(random, "uk");
  const patient = who.patient(), reader = who.doctor(), orderer = who.doctor(), exam = dateIn(random, 2023, 2025), out = list.family();
  const paper = new Paper({ left: 72, right: 540, size: 10.5, leading: 1.5, footer: (p, n, total) => p.centre(`Radiology Department, ${here.town} Infirmary, ${here.zip} - ${n} of ${total}`, { size: 8 }) });
  paper.line("Imaging report", { size: 16, bold: true }).line(`${here.town} Infirmary   ${here.phone}`, { size: 9 }).gap(8);
  paper.line(`${patient.title} ${patient.name} (${patient.letter}), date of birth ${patient.birth.as("uk")}`).patient(patient).line(`Requested by Dr ${orderer.name}, ${random.pick(["Respiratory", "Acute Medicine", "Surgery"])}`).provider(orderer, "ordering");
  paper.line(`Examination: ${study.title}`, { bold: true }).line(`Date of examination: ${exam.as("uk")}`).procedure(study, "current", exam).date("exam", exam, ["exam date", "examination", "date of examination", "study", "performed", "procedure"]).gap(6);
  const query = some(), gone = some(), other = some();
  paper.prose(`Clinical information: Query ${query.written}. Brother with ${out.written}.`).condition(query, "suspected").condition(out, "family").gap(6);
  const [a, b, c, d] = [sign(), sign(), sign(), sign()];
  paper.prose(`Report: ${a.Written} is demonstrated ${site()}. There is no ${b.written}. There is ${c.written} but without ${d.written}. ${organ}`);
  paper.finding(a).finding(b, "ruled_out").finding(c).finding(d, "ruled_out").gap(6);
  paper.prose(`Conclusion: Appearances exclude ${gone.written}. Possible ${other.written}; clinical correlation is advised.`).condition(gone, "ruled_out").condition(other, "suspected").gap(26);
  paper.line(`Reported by: Dr ${reader.name}, Consultant Radiologist`).provider(reader, "author");
  return paper.done();
}

function list(random) {
  const { study, sign, some, here, who, site } = scene(random, "au");
  const patient = who.patient(), reader = who.doctor(), orderer = who.doctor(), exam = dateIn(random, 2023, 2025);
  const paper = new Paper({ left: 50, right: 562, size: 10, footer: (p, n, total) => p.row([50, 500], ["Thank you for your referral. Images available online.", `${n}/${total}`], { size: 8 }) });
  paper.row([50, 340], [random.pick(["Southern Cross Imaging", "Coastal X-Ray Group"]), `${here.street}, ${here.town} ${here.zip}`], { bold: true }).row([340], [`T ${here.phone}`], { size: 8.5 }).rule();
  paper.columns(() => {
    paper.line(`Referred by: Dr ${orderer.name}`).line(`Reported by: Dr ${reader.name}`).provider(orderer, "referrer").provider(reader, "author");
  }, () => {
    paper.line(`Patient: ${patient.turned}`).line(`DOB: ${patient.birth.as("uk")}   Exam: ${exam.as("uk")}`).patient(patient).date("exam", exam, ["exam date", "examination", "study", "performed", "procedure"]);
  });
  paper.gap(6).line(study.title.toUpperCase(), { size: 12, bold: true }).fact("procedure", study.name, { also: study.also, value: { date: exam.iso } });
  const query = some(), none = some(), conclusion = some();
  paper.line(`History: ?${query.written}`).gap(6);
  const [a, b, c, d, e] = [sign(), sign(), sign(), sign(), sign()];
  paper.line("Findings", { bold: true });
  paper.line(`- ${a.Written} ${site()}.`).finding(a).line(`- ${b.Written}: absent.`).finding(b, "ruled_out").line(`- ${c.Written}.`).finding(c).line(`- No ${d.written}.`).finding(d, "ruled_out").line(`- Without ${e.written}.`).finding(e, "ruled_out").gap(6);
  paper.line("Opinion", { bold: true });
  paper.line(`- ${query.Written} cannot be excluded.`).condition(query, "suspected").line(`- No sign of ${none.written}.`).condition(none, "ruled_out").line(`- ${conclusion.Written}.`).condition(conclusion);
  const next = exam.plus(random.int(80, 190));
  paper.gap(8).prose(`Recommendation: repeat imaging is booked for ${next.as("uk")}.`).appointment(next, { also: ["repeat imaging", "imaging"] });
  paper.gap(24).line(`Dr ${reader.name}, FRANZCR`);
  return paper.done();
}

const layouts = { american, british, list };
export default template("radiology-report", layouts);
