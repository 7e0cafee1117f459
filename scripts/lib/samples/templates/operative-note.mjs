// An operation: what was done and found, what was given for it, and what follows.
import { allergies, chronic, combination, dated, drugs, evident, later, medicationValue, often, people, town } from "../invented.mjs";
import { Writer } from "../writer.mjs";

const OPERATIONS = [
  { name: "laparoscopic cholecystectomy", also: ["cholecystectomy"], before: ["acute cholecystitis", [], ["K81.0"]], after: ["acute cholecystitis", [], ["K81.0"]], found: ["gallstones", ["multiple gallstones", "gallstone"]], sentence: "Multiple gallstones were found.", absent: ["bile leak", []] },
  { name: "right inguinal hernia repair", also: ["inguinal hernia repair", "hernia repair"], before: ["inguinal hernia", ["right inguinal hernia"], ["K40"]], after: ["inguinal hernia", ["right inguinal hernia"], ["K40"]], found: ["indirect hernia sac", ["hernia sac", "indirect hernia"]], sentence: "An indirect hernia sac was found.", absent: ["bowel ischemia", ["ischemia", "ischaemia"]] },
  { name: "laparoscopic appendectomy", also: ["appendectomy", "appendicectomy"], before: ["acute appendicitis", ["appendicitis"], ["K35"]], after: ["acute appendicitis", ["appendicitis"], ["K35"]], found: ["inflamed appendix", ["an inflamed appendix"]], sentence: "An inflamed appendix was found.", absent: ["perforation", []] },
  { name: "left total knee replacement", also: ["total knee replacement", "total knee arthroplasty", "knee replacement"], before: ["osteoarthritis", ["osteoarthritis of the left knee", "left knee osteoarthritis"], ["M17", "M19"]], after: ["osteoarthritis", ["osteoarthritis of the left knee"], ["M17", "M19"]], found: ["cartilage loss", ["severe cartilage loss"]], sentence: "Severe cartilage loss was found.", absent: ["infection", []] },
];

export default {
  kind: "operative-note",
  layouts: ["american", "british", "form"],
  write(random, layout) {
    const doc = new Writer({ size: 10.5, lead: 15 });
    const cast = people(random, 4);
    const date = dated({ american: "us", british: "long", form: "iso" }[layout]);
    const operation = random.pick(OPERATIONS);
    const drawn = { cast, date, birth: evident(random, random.date(1940, 2000)), day: random.date(2022, 2025), operation, record: String(random.int(100000, 999999)),
      allergy: allergies(random, 1)[0], history: chronic(random, 12).filter(({ name }) => name !== "osteoarthritis").slice(0, 2), taken: [drugs(random, 1)[0], combination(random)] };
    ({ american, british, form })[layout](doc, random, drawn);
    const [patient, surgeon, assistant, anaesthetist] = cast;
    doc.fact("patient", patient.name, { birth_date: drawn.birth });
    doc.fact("provider", surgeon.name, { role: "attending" });
    doc.fact("provider", assistant.name, { role: "other" });
    doc.fact("provider", anaesthetist.name, { role: "other" });
    return doc.done();
  },
};

// What the operation states in every layout.
function noteOperation(doc, { operation, day }) {
  const condition = ([name, also, codes]) => doc.fact("condition", name, {}, { also, codes });
  condition(operation.after);
  doc.fact("procedure", operation.name, { date: day }, { also: operation.also, statuses: ["current", "historical"] });
  doc.fact("finding", operation.found[0], {}, { also: operation.found[1], kinds: ["finding", "condition"] });
  doc.fact("finding", operation.absent[0], {}, { status: "ruled_out", also: operation.absent[1], kinds: ["finding", "condition"] });
  doc.fact("date", "operation", { date: day }, { also: ["date of operation", "date of surgery", "date of procedure", "procedure", "surgery", "document", "date", "performed"] });
}
const inTheatre = (doc, name, dose, unit) => doc.fact("medication", name, { dose, unit, frequency: null }, { status: "historical" });
const title = (text) => text[0].toUpperCase() + text.slice(1);

function american(doc, random, { cast, date, birth, day, operation, record, allergy, taken }) {
  const [patient, surgeon, assistant, anaesthetist] = cast;
  doc.line(`${town(random)} Surgical Center`, { size: 15, bold: true }).line("OPERATIVE REPORT", { size: 12, bold: true });
  doc.row([54, 320], [`PATIENT: ${patient.last}, ${patient.first}`, `MRN: ${record}`]);
  doc.row([54, 320], [`DOB: ${date(birth)}`, `DATE OF OPERATION: ${date(day)}`]).rule();
  for (const [label, text] of [["PREOPERATIVE DIAGNOSIS", title(operation.before[0])], ["POSTOPERATIVE DIAGNOSIS", title(operation.after[0])], ["PROCEDURE", title(operation.name)], ["SURGEON", `${surgeon.name}, MD`], ["ASSISTANT", `${assistant.name}, MD`], ["ANESTHESIOLOGIST", `${anaesthetist.name}, MD`], ["ALLERGIES", `${title(allergy.name)} (${allergy.reaction})`]]) {
    doc.row([54, 220], [`${label}:`, text]);
  }
  noteOperation(doc, { operation, day });
  doc.fact("allergy", allergy.name, { reaction: allergy.reaction }, { also: allergy.also });
  doc.heading("DESCRIPTION OF PROCEDURE").paragraph(`Cefazolin 2 g IV was given before incision. The procedure was carried out without difficulty. ${operation.sentence} There was no ${operation.absent[0]}. Estimated blood loss was 50 mL. Complications: none.`);
  inTheatre(doc, "cefazolin", 2, "g");
  doc.heading("POSTOPERATIVE ORDERS");
  for (const one of taken) {
    doc.line(`${one.written ?? one.name} ${one.strength} PO ${often(random, one, "latin")}`);
    doc.fact("medication", one.name, medicationValue(one), { also: one.also });
  }
  const visit = later(day, 14);
  doc.line(`Follow-up visit: ${date(visit)} with ${surgeon.name}, MD.`);
  doc.fact("appointment", "follow-up", { date: visit, with: surgeon.name }, { status: "planned", also: ["follow-up visit", "visit", surgeon.name] });
}

function british(doc, random, { cast, date, birth, day, operation, allergy, history, taken }) {
  const [patient, surgeon, assistant, anaesthetist] = cast;
  doc.line(`${town(random)} Royal Infirmary`, { size: 15, bold: true }).line("Operation note", { size: 12, bold: true });
  doc.line(`${patient.title} ${patient.first} ${patient.last}, born ${date(birth)}`).line(`Date of operation: ${date(day)}`);
  doc.line(`Surgeon: Mr ${surgeon.first} ${surgeon.last}`).line(`Assistant: Dr ${assistant.first} ${assistant.last}`).line(`Anaesthetist: Dr ${anaesthetist.first} ${anaesthetist.last}`);
  doc.heading("Indication").line(operation.before[0]);
  doc.heading("Operation").line(operation.name);
  noteOperation(doc, { operation, day });
  doc.heading("Findings").paragraph(`${operation.sentence} No evidence of ${operation.absent[0]}.`);
  doc.heading("Comorbidities").line(history.map(({ name }) => name).join(", "));
  for (const one of history) doc.fact("condition", one.name, {}, { also: one.also, codes: one.codes, statuses: ["current", "historical"] });
  doc.heading("Anaesthesia").paragraph("General. In theatre propofol 150 mg and fentanyl 100 mcg were given.");
  inTheatre(doc, "propofol", 150, "mg");
  inTheatre(doc, "fentanyl", 100, "mcg");
  doc.heading("Allergies").line(`${allergy.name} - ${allergy.reaction}`);
  doc.fact("allergy", allergy.name, { reaction: allergy.reaction }, { also: allergy.also });
  doc.heading("Postoperative plan");
  for (const one of taken) {
    doc.line(`- ${one.written ?? one.name} ${one.strength} ${often(random, one, "british")}`);
    doc.fact("medication", one.name, medicationValue(one), { also: one.also });
  }
}

function form(doc, random, { cast, date, birth, day, operation, record, taken }) {
  const [patient, surgeon, assistant, anaesthetist] = cast;
  doc.line("BRIEF OPERATIVE NOTE", { size: 14, bold: true }).rule().down(2);
  doc.beside([1, 1], (side) => side.line(`Patient: ${patient.name}`).line(`Born: ${date(birth)}`).line(`Record: ${record}`).line(`Date of surgery: ${date(day)}`),
    (side) => side.line(`Surgeon: Dr. ${surgeon.name}`).line(`Assistant: Dr. ${assistant.name}`).line(`Anesthesia: Dr. ${anaesthetist.name}`).line("Type: general"));
  doc.down(6);
  const columns = [54, 200];
  doc.row(columns, ["Diagnosis", operation.after[0]]).row(columns, ["Operation", operation.name]).row(columns, ["Findings", `${operation.sentence} ${title(operation.absent[0])}: absent.`]);
  noteOperation(doc, { operation, day });
  doc.row(columns, ["Antibiotic in theatre", "cefazolin 2 g IV"]);
  inTheatre(doc, "cefazolin", 2, "g");
  doc.row(columns, ["Drains", "none"]).row(columns, ["Allergies", "no known drug allergies"]);
  doc.fact("allergy", "no known allergies", {}, { also: ["no known drug allergies", "nkda"] });
  doc.heading("Take after discharge");
  for (const one of taken) {
    doc.line(`${one.written ?? one.name} ${one.strength} ${often(random, one, "plain")}`);
    doc.fact("medication", one.name, medicationValue(one), { also: one.also });
  }
}
