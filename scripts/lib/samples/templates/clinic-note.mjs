// A visit: what the patient says and does not have, vital signs, assessment, plan, and what is changed.
import { acute, allergies, chronic, combination, dated, device, drugs, evident, familial, feared, labValue, later, medicationValue, often, panel, people, town, vaccines } from "../invented.mjs";
import { complaint, denies, noteVitals, said, vitals } from "../phrases.mjs";
import { Writer } from "../writer.mjs";

export default {
  kind: "clinic-note",
  layouts: ["soap", "headed", "two-columns"],
  write(random, layout) {
    const doc = new Writer({ size: 10, lead: 14 });
    const [patient, doctor] = people(random, 2);
    const date = dated({ soap: "us", headed: "long", "two-columns": "uk" }[layout]);
    const birth = evident(random, random.date(1940, 2003)), day = random.date(2022, 2025);
    const list = drugs(random, 5);
    const drawn = { patient, doctor, date, birth, day, taken: [...list.slice(0, 2), random.chance(0.5) ? combination(random) : device(random)], changed: list[2], stopped: list[3], started: list[4],
      history: chronic(random, 3), fears: feared(random, 2), relative: familial(random, 1)[0], illness: acute(random), allergy: allergies(random, 1)[0], vaccine: random.pick(vaccines), record: String(random.int(10000, 99999)) };
    ({ soap, headed, "two-columns": twoColumns })[layout](doc, random, drawn);
    doc.fact("patient", patient.name, { birth_date: birth });
    doc.fact("provider", doctor.name, { role: "author" });
    doc.fact("date", "visit", { date: day }, { also: ["document", "date of service", "date of visit", "date", "dos", "seen", "visit date"] });
    return doc.done();
  },
};

const medication = (doc, drug, status = "current", rest = {}) => doc.fact("medication", drug.name, medicationValue(drug, rest), { status, also: drug.also });
const held = (doc, { name, also, codes }, rest = {}) => doc.fact("condition", name, {}, { also, codes, ...rest });
const past = (doc, list) => list.forEach((one) => held(doc, one, { statuses: ["current", "historical"] }));

function soap(doc, random, { patient, doctor, date, birth, day, taken, changed, stopped, started, history, fears, relative, illness, allergy, record }) {
  doc.line(`${town(random)} Clinic - Progress Note`, { size: 14, bold: true });
  doc.row([54, 300], [`Patient: ${patient.last}, ${patient.first}`, `DOB: ${date(birth)}   MRN ${record}`]);
  doc.row([54, 300], [`DOS: ${date(day)}`, `Provider: ${doctor.name}, PA-C`]).rule();
  doc.heading("S:", { gap: 4 }).paragraph(`${complaint(doc, "cough").replace("c", "C")} for one week. ${denies(doc, random, ["shortness of breath", "chest pain", "hemoptysis"])} PMH: ${history.map(({ name }) => name).join(", ")}. FH: ${said(doc, random, "ofFamily", relative)} Allergies: ${allergy.name} (${allergy.reaction}).`);
  past(doc, history);
  doc.fact("allergy", allergy.name, { reaction: allergy.reaction }, { also: allergy.also });
  doc.paragraph(`Meds: ${taken.map((one) => `${one.written ?? one.name} ${one.strength} ${often(random, one, "latin")}`).join("; ")}.`);
  for (const one of taken) medication(doc, one);
  doc.heading("O:", { gap: 4 }).line(noteVitals(doc, vitals(random, "us")).join("  "));
  doc.line("Lungs: wheezing bilaterally. Heart: regular, no murmur. Abdomen: soft, no tenderness.");
  doc.fact("finding", "wheezing", {}, { also: ["wheezing bilaterally", "bilateral wheezing"], kinds: ["finding", "condition"] });
  for (const [name, also] of [["murmur", ["heart murmur"]], ["tenderness", ["abdominal tenderness"]]]) doc.fact("finding", name, {}, { status: "ruled_out", also, kinds: ["finding", "condition"], optional: true });
  const [lab] = panel(random, "blood", 1, 1);
  doc.line(`${lab.name} ${lab.value.toFixed(lab.decimals)} ${lab.unit} (${lab.low}-${lab.high}) ${lab.abnormal === "low" ? "L" : "H"}`);
  doc.fact("lab", lab.name, labValue(lab, lab.abnormal), { also: lab.also });
  doc.heading("A:", { gap: 4 }).line(`1. ${illness.name}`).line(`2. ${said(doc, random, "denied", fears[0])}`).line(`3. ${said(doc, random, "doubted", fears[1])}`);
  held(doc, illness);
  doc.heading("P:", { gap: 4 }).line(`Start ${started.written} ${started.strength} PO ${often(random, started, "latin")}.`);
  medication(doc, started);
  doc.line(`Increase ${changed.name} from ${changed.dose / 2} ${changed.unit} to ${changed.strength} PO ${often(random, changed, "latin")}.`);
  medication(doc, changed, "changed", { previous: `${changed.dose / 2} ${changed.unit}` });
  doc.line(`${random.pick(["Stop", "Discontinue", "D/C"])} ${stopped.written} ${stopped.strength} PO ${often(random, stopped, "latin")}.`);
  medication(doc, stopped, "stopped");
  const next = later(day, random.int(7, 28));
  doc.line(`RTC ${date(next)} for recheck. Call if fever develops or if chest pain occurs.`);
  doc.fact("appointment", "recheck", { date: next }, { status: "planned", also: ["rtc", "return visit", "follow-up", "return to clinic", "return"] });
}

function headed(doc, random, { patient, doctor, date, birth, day, taken, changed, stopped, history, fears, relative, allergy, vaccine }) {
  doc.line(`${town(random)} Medical Practice`, { size: 15, bold: true }).line("Consultation record", { size: 12, bold: true });
  doc.line(`Name: ${patient.name}    Date of birth: ${date(birth)}`).line(`Date of visit: ${date(day)}    Clinician: Dr ${doctor.name}`).rule();
  doc.heading("Reason for visit").line(`Review of ${history[0].name} and ${history[1].name}.`);
  for (const one of history.slice(0, 2)) held(doc, one);
  doc.heading("Past history").line(`${history[2].name}. ${random.pick(["Appendectomy in 2008.", "Tonsillectomy in 1994.", "Cholecystectomy in 2011."])}`);
  past(doc, [history[2]]);
  const operation = doc.pages.at(-1).at(-1).text.match(/(\w+) in (\d+)/);
  doc.fact("procedure", operation[1].toLowerCase(), { date: operation[2] }, { status: "historical" });
  doc.heading("Family history").line(said(doc, random, "ofFamily", relative));
  doc.heading("Examination").line(noteVitals(doc, vitals(random, "metric")).join("; "));
  doc.heading("Opinion").paragraph(`${said(doc, random, "denied", fears[0])} ${said(doc, random, "denied", fears[1])}`);
  doc.heading("Medicines");
  for (const one of taken) {
    doc.line(`${one.written ?? one.name} ${one.strength} ${often(random, one, "plain")} - continue`);
    medication(doc, one);
  }
  doc.line(`${changed.written} ${changed.strength} ${often(random, changed, "plain")} - reduced from ${changed.dose * 2} ${changed.unit}`);
  medication(doc, changed, "changed", { previous: `${changed.dose * 2} ${changed.unit}` });
  doc.line(`${stopped.written} ${stopped.strength} ${often(random, stopped, "plain")} - stopped today`);
  medication(doc, stopped, "stopped");
  doc.heading("Allergies").line(`Allergic to ${allergy.name}: ${allergy.reaction}.`);
  doc.fact("allergy", allergy.name, { reaction: allergy.reaction }, { also: allergy.also });
  doc.heading("Immunisations").line(`${vaccine.name[0].toUpperCase()}${vaccine.name.slice(1)} vaccine given today, ${date(day)}.`);
  doc.fact("immunisation", vaccine.name, { date: day }, { also: [...vaccine.also, `${vaccine.name} vaccine`] });
  const next = later(day, random.int(30, 90));
  doc.heading("Next appointment").line(`${date(next)} at 09:15 with Dr ${doctor.name}`);
  doc.fact("appointment", "next appointment", { date: next, time: "09:15", with: doctor.name }, { status: "planned", also: ["appointment", "follow-up", doctor.name, "review", `dr ${doctor.name}`] });
}

function twoColumns(doc, random, { patient, doctor, date, birth, day, taken, stopped, history, fears, illness }) {
  doc.line("OUTPATIENT ASSESSMENT", { size: 14, bold: true });
  doc.line(`${patient.last.toUpperCase()}, ${patient.first}    DOB ${date(birth)}    Seen ${date(day)} by Dr ${doctor.first} ${doctor.last}`).rule().down(4);
  doc.beside([1, 1], (side) => {
    side.heading("History", { size: 11, gap: 2 }).paragraph(`Presents with ${complaint(side, "headache")}. ${denies(side, random, ["vomiting", "visual loss"])}`);
    side.heading("Existing conditions", { size: 11, gap: 4 });
    for (const one of history) {
      side.paragraph(one.name);
      held(side, one);
    }
    side.heading("Observations", { size: 11, gap: 4 });
    for (const text of noteVitals(side, vitals(random, "metric"))) side.line(text);
  }, (side) => {
    side.heading("Impression", { size: 11, gap: 2 }).paragraph(`${illness.name}. ${said(side, random, "denied", fears[0])} ${said(side, random, "doubted", fears[1])}`);
    held(side, illness);
    side.heading("Current treatment", { size: 11, gap: 4 });
    for (const one of taken) {
      side.paragraph(`${one.written ?? one.name} ${one.strength} ${often(random, one, "british")}`, { hang: 10 });
      medication(side, one);
    }
    side.heading("Withdrawn", { size: 11, gap: 4 }).paragraph(`${stopped.written} ${stopped.strength} ${often(random, stopped, "british")}`, { hang: 10 });
    medication(side, stopped, "stopped");
    side.heading("Allergies", { size: 11, gap: 4 }).paragraph("NKDA");
    side.fact("allergy", "no known allergies", {}, { also: ["no known drug allergies", "nkda"] });
  });
}
