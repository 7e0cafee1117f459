// One doctor writes to another about a patient: who is sender, recipient, patient and relative; what is had, feared, excluded and in the family.
import { allergies, chronic, combination, dated, device, drugs, evident, familial, feared, later, medicationValue, often, people, street, town } from "../invented.mjs";
import { complaint, denies, said } from "../phrases.mjs";
import { Writer } from "../writer.mjs";

export default {
  kind: "referral-letter",
  layouts: ["british-letter", "fax-form", "german-style"],
  write(random, layout) {
    const doc = new Writer({ size: 10.5, lead: 15 });
    const cast = people(random, 4);
    const date = dated({ "british-letter": "uk", "fax-form": "us", "german-style": "dots" }[layout]);
    const birth = evident(random, random.date(1938, 1998)), day = random.date(2022, 2025);
    const specialty = random.pick(["Cardiology", "Rheumatology", "Neurology", "Gastroenterology", "Respiratory Medicine"]);
    const drawn = { cast, date, birth, day, specialty, history: chronic(random, 3), fears: feared(random, 3), relatives: familial(random, 2), allergies: allergies(random, 1),
      taken: [...drugs(random, 2), random.chance(0.5) ? combination(random) : device(random)], stopped: null, record: String(random.int(100000, 999999)) };
    drawn.stopped = drugs(random, 24).find(({ name }) => drawn.taken.every((drug) => drug.name !== name));
    ({ "british-letter": britishLetter, "fax-form": faxForm, "german-style": germanStyle })[layout](doc, random, drawn);
    return doc.done();
  },
};

const past = (doc, list) => list.forEach(({ name, also, codes }) => doc.fact("condition", name, {}, { also, codes, statuses: ["current", "historical"] }));
const medication = (doc, drug, status = "current") => doc.fact("medication", drug.name, medicationValue(drug), { status, also: drug.also });

function britishLetter(doc, random, { cast, date, birth, day, specialty, history, fears, relatives, allergies: [allergy], taken, stopped, record }) {
  const [patient, writer, recipient, earlier] = cast;
  doc.line(`${town(random)} Surgery`, { size: 15, bold: true }).line(`${street(random)}, ${town(random)}`, { size: 9 }).down(6);
  doc.line(date(day));
  doc.fact("date", "document", { date: day }, { also: ["date", "letter", "written"] });
  doc.down(4).line(`Dr ${recipient.first} ${recipient.last}`).line(`Consultant in ${specialty}`).down(4);
  doc.fact("provider", recipient.name, { role: "recipient" });
  doc.line(`Dear Dr ${recipient.last},`).down(4);
  doc.line(`Re: ${patient.title} ${patient.first} ${patient.last}, D.O.B. ${date(birth)}, NHS No. ${record.slice(0, 3)} ${record.slice(3)} ${birth.slice(2, 4)}77`, { bold: true }).down(4);
  doc.fact("patient", patient.name, { birth_date: birth });
  doc.paragraph(`Thank you for seeing this patient, who has had ${complaint(doc, random.pick(["palpitations", "fatigue", "dizziness", "back pain"]))} for six weeks. ${denies(doc, random, ["chest pain", "fever", "weight loss"])} ${said(doc, random, "doubted", fears[0])} ${said(doc, random, "denied", fears[1])}`, { after: 5 });
  doc.paragraph(`Past medical history: ${history.map(({ name }) => name).join(", ")}.`, { after: 5 });
  past(doc, history);
  doc.paragraph(`Family history: ${relatives.map((one) => said(doc, random, "ofFamily", one)).join(" ")}`, { after: 5 });
  doc.paragraph(`Current medication: ${taken.map((one) => `${one.written ?? one.name} ${one.strength} ${often(random, one, "british")}`).join("; ")}.`, { after: 5 });
  for (const one of taken) medication(doc, one);
  doc.paragraph(random.pick([`${stopped.written} ${stopped.strength} ${often(random, stopped, "plain")} was stopped last month because of side effects.`, `I have stopped ${stopped.written} ${stopped.strength} ${often(random, stopped, "plain")}.`]), { after: 5 });
  medication(doc, stopped, "stopped");
  doc.paragraph(`Allergies: ${allergy.name} causes ${allergy.reaction}.`, { after: 5 });
  doc.fact("allergy", allergy.name, { reaction: allergy.reaction }, { also: allergy.also });
  const scan = later(day, -random.int(10, 60));
  doc.paragraph(`An echocardiogram was done on ${date(scan)} at the request of Dr ${earlier.first} ${earlier.last}.`, { after: 12 });
  doc.fact("procedure", "echocardiogram", { date: scan }, { also: ["echocardiography"], statuses: ["current", "historical"] });
  doc.fact("provider", earlier.name, { role: "other" }, { optional: true });
  doc.line("Yours sincerely,").down(16).line(`Dr ${writer.first} ${writer.last}`).line("General Practitioner");
  doc.fact("provider", writer.name, { role: "author" });
}

function faxForm(doc, random, { cast, date, birth, day, specialty, history, fears, relatives, allergies: [allergy], taken, stopped, record }) {
  const [patient, writer, recipient, child] = cast;
  doc.line("REFERRAL REQUEST", { size: 15, bold: true }).rule().down(4);
  doc.beside([1, 1], (side) => side.line("REFERRING PROVIDER", { bold: true, size: 9.5 }).line(`${writer.last}, ${writer.first}, DO`).line(`${town(random)} Primary Care`).line(`Date: ${date(day)}`),
    (side) => side.line("REFER TO", { bold: true, size: 9.5 }).line(`${recipient.last}, ${recipient.first}, MD`).line(specialty));
  doc.fact("provider", writer.name, { role: "referrer" });
  doc.fact("provider", recipient.name, { role: "recipient" });
  doc.fact("date", "document", { date: day }, { also: ["date", "referral"] });
  doc.down(4).row([54, 230, 400], [`Patient: ${patient.last}, ${patient.first}`, `DOB: ${date(birth)}`, `MRN: ${record}`]);
  doc.fact("patient", patient.name, { birth_date: birth, record_number: record });
  doc.line(`Emergency contact: ${child.name} (${child.sex === "female" ? "daughter" : "son"}), 555-0${random.int(100, 199)}`);
  doc.heading("Reason for referral").paragraph(`Evaluate ${complaint(doc, random.pick(["syncope", "palpitations", "abdominal pain", "joint pain"]))}. ${said(doc, random, "doubted", fears[0])}`);
  doc.heading("Pertinent negatives").paragraph(`${denies(doc, random, ["chest pain", "headache"])} ${said(doc, random, "denied", fears[1])} ${said(doc, random, "denied", fears[2])}`);
  doc.heading("Problem list");
  for (const one of history) {
    doc.line(`- ${one.name}`);
    doc.fact("condition", one.name, {}, { also: one.also, codes: one.codes });
  }
  doc.heading("Family Hx").paragraph(relatives.map((one) => said(doc, random, "ofFamily", one)).join(" "));
  doc.heading("Current meds");
  for (const one of taken) {
    doc.line(`${one.written ?? one.name} ${one.strength} ${one.unit === "puffs" ? "" : "PO "}${often(random, one, "latin")}`);
    medication(doc, one);
  }
  doc.line(`D/C'd: ${stopped.written} ${stopped.strength} PO ${often(random, stopped, "latin")}`);
  medication(doc, stopped, "stopped");
  doc.heading("Allergies").line(`${allergy.name}: ${allergy.reaction}`);
  doc.fact("allergy", allergy.name, { reaction: allergy.reaction }, { also: allergy.also });
}

function germanStyle(doc, random, { cast, date, birth, day, specialty, history, fears, relatives, taken, stopped }) {
  const [patient, writer, recipient] = cast;
  doc.line(`Practice Dr. ${writer.first} ${writer.last}`, { size: 14, bold: true }).line(`${street(random)}, ${town(random)}`, { size: 9 }).down(4);
  doc.line(`To: Dr. ${recipient.first} ${recipient.last}, Department of ${specialty}`);
  doc.row([54, 420], ["", date(day)]);
  doc.fact("provider", writer.name, { role: "author" });
  doc.fact("provider", recipient.name, { role: "recipient" });
  doc.fact("date", "document", { date: day }, { also: ["date", "letter", "written"] });
  doc.line(`Patient: ${patient.last}, ${patient.first}, born ${date(birth)}`, { bold: true }).down(4);
  doc.fact("patient", patient.name, { birth_date: birth });
  doc.paragraph("Dear colleague,", { after: 4 });
  doc.paragraph(`I refer the above patient for further assessment. ${said(doc, random, "doubted", fears[0])} ${said(doc, random, "denied", fears[1])} ${said(doc, random, "ofFamily", relatives[0])}`, { after: 4 });
  doc.heading("Known diagnoses");
  for (const one of history) {
    doc.line(`- ${one.name}`);
    doc.fact("condition", one.name, {}, { also: one.also, codes: one.codes });
  }
  doc.heading("Medication");
  const columns = [54, 240, 320, 430];
  doc.row(columns, ["Substance", "Strength", "Intake", "Remark"], { bold: true }).rule();
  for (const [one, status, remark] of random.shuffle([...taken.map((drug) => [drug, "current", ""]), [stopped, "stopped", `stopped ${date(later(day, -20))}`]])) {
    doc.row(columns, [one.written ?? one.name, one.strength, often(random, one, "plain"), remark]);
    medication(doc, one, status);
  }
  doc.fact("date", "stopped", { date: later(day, -20) }, { optional: true, also: ["document"] });
  doc.down(6).line(random.pick(["No known allergies.", "There are no known drug allergies."]));
  doc.fact("allergy", "no known allergies", {}, { also: ["no known drug allergies", "nkda"] });
  doc.down(8).line("Kind regards,").line(`Dr. ${writer.first} ${writer.last}`);
}
