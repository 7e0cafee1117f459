// What a hospital sends home: medicines that are new, changed, stopped or were given on the ward only; what was ruled out; what comes next.
import { acute, allergies, chronic, combination, dated, device, drugs, evident, familial, feared, labValue, later, medicationValue, often, panel, people, town } from "../invented.mjs";
import { denies, mixed, noteVitals, said, vitals } from "../phrases.mjs";
import { Writer } from "../writer.mjs";

export default {
  kind: "discharge-summary",
  layouts: ["american", "british", "two-columns"],
  write(random, layout) {
    // The American one goes on a second page.
    const doc = new Writer({ size: 10, lead: layout === "american" ? 20 : 14 });
    const cast = people(random, 3);
    const date = dated({ american: "us", british: "uk", "two-columns": "abbreviated" }[layout]);
    const admitted = random.date(2022, 2025);
    const stay = { cast, date, birth: evident(random, random.date(1932, 1990)), admitted, discharged: later(admitted, random.int(2, 9)), record: String(random.int(1000000, 9999999)) };
    const [a, b, c, d, e, f] = drugs(random, 6);
    const drawn = { stay, style: { american: "latin", british: "british", "two-columns": "plain" }[layout], kept: [a, b], fresh: [c, random.chance(0.5) ? combination(random) : device(random)], changed: d, stopped: e, alsoStopped: f,
      illness: acute(random), history: chronic(random, 3), fears: feared(random, 3), relative: familial(random, 1)[0], allergies: allergies(random, 2) };
    ({ american, british, "two-columns": twoColumns })[layout](doc, random, drawn);
    return doc.done();
  },
};

function noteStay(doc, { cast: [patient, doctor], birth, admitted, discharged, record }) {
  doc.fact("patient", patient.name, { birth_date: birth, sex: patient.sex, record_number: record });
  doc.fact("provider", doctor.name, { role: "attending" });
  doc.fact("date", "admitted", { date: admitted }, { also: ["admission"] });
  doc.fact("date", "discharged", { date: discharged }, { also: ["discharge"] });
}
const medication = (doc, drug, status = "current", rest = {}) =>
  doc.fact("medication", drug.name, medicationValue(drug, rest), { status, also: drug.also });
const held = (doc, illness, rest = {}) => doc.fact("condition", illness.name, {}, { also: illness.also, codes: illness.codes, ...rest });
const past = (doc, illness) => held(doc, illness, { statuses: ["current", "historical"] });
const allergy = (doc, { name, also, reaction }) => doc.fact("allergy", name, { reaction }, { also });
// Some of the dose before: half of it, or twice as much.
const before = (random, { dose, unit }) => `${random.chance(0.5) ? dose / 2 : dose * 2} ${unit}`;

function american(doc, random, { stay, style, kept, fresh, changed, stopped, alsoStopped, illness, history, fears, relative, allergies: known }) {
  const [patient, doctor, clinic] = stay.cast;
  doc.line(`${town(random)} General Hospital`, { size: 16, bold: true }).line("DISCHARGE SUMMARY", { size: 13, bold: true }).down(4);
  doc.row([54, 320], [`Patient: ${patient.last}, ${patient.first}`, `MRN: ${stay.record}`]);
  doc.row([54, 320], [`DOB: ${stay.date(stay.birth)}`, `Sex: ${patient.sex === "female" ? "Female" : "Male"}`]);
  doc.row([54, 320], [`Admit date: ${stay.date(stay.admitted)}`, `Discharge date: ${stay.date(stay.discharged)}`]);
  doc.line(`Attending physician: ${doctor.name}, MD`);
  noteStay(doc, stay);
  doc.onPage = function again() {
    this.line(`Discharge summary, continued    Patient: ${patient.last}, ${patient.first}    MRN: ${stay.record}`, { size: 9 });
  };
  doc.heading("ALLERGIES");
  for (const one of known) {
    doc.line(`${one.name[0].toUpperCase()}${one.name.slice(1)} - ${one.reaction}`);
    allergy(doc, one);
  }
  doc.heading("DISCHARGE DIAGNOSES").line(`1. ${illness.name}`);
  held(doc, illness);
  for (const [at, one] of history.slice(0, 2).entries()) {
    doc.line(`${at + 2}. ${one.name}`);
    held(doc, one);
  }
  doc.heading("HOSPITAL COURSE");
  const given = { name: "ceftriaxone", also: [], dose: 1, unit: "g", frequency: "every 24 hours" };
  doc.paragraph(`The patient was treated with ceftriaxone 1 g IV every 24 hours and improved. ${mixed(doc, random, fears.slice(0, 2), illness)} ${denies(doc, random, ["chest pain", "fever"])} ${said(doc, random, "ofFamily", relative)}`);
  medication(doc, given, "historical");
  const heparin = { name: "heparin", also: [], dose: 5000, unit: "units", frequency: "every 8 hours" };
  doc.paragraph("During the stay heparin 5000 units SC q8h was given for prophylaxis and was not continued.");
  medication(doc, heparin, "historical");
  doc.heading("CONTINUE TAKING");
  for (const one of kept) {
    doc.line(`${one.written ?? one.name} ${one.strength} PO ${often(random, one, style)}`);
    medication(doc, one);
  }
  doc.heading("NEW MEDICATIONS");
  for (const one of fresh) {
    doc.line(`${one.written ?? one.name} ${one.strength} ${one.unit === "puffs" ? "inhaled" : "PO"} ${often(random, one, style)}`);
    medication(doc, one);
  }
  doc.heading("CHANGED MEDICATIONS").line(`${changed.written} ${changed.strength} PO ${often(random, changed, style)} (was ${before(random, changed)})`);
  medication(doc, changed, "changed");
  doc.heading("STOP TAKING");
  for (const one of [stopped, alsoStopped]) {
    doc.line(`${one.written ?? one.name} ${one.strength} PO ${often(random, one, style)}`);
    medication(doc, one, "stopped");
  }
  doc.heading("VITAL SIGNS AT DISCHARGE").line(noteVitals(doc, vitals(random, "us").slice(0, 5)).join(", "));
  const visit = later(stay.discharged, random.int(7, 30));
  doc.heading("FOLLOW-UP").line(`${clinic.name}, MD, cardiology clinic, ${stay.date(visit)} at 10:30 AM`);
  doc.fact("provider", clinic.name, { role: "other" }, { optional: true });
  doc.fact("appointment", "cardiology clinic", { date: visit, time: "10:30", with: clinic.name }, { status: "planned", also: ["cardiology", "follow-up", clinic.name, "follow-up visit", "cardiology follow-up", "clinic", `${clinic.name}, MD, cardiology clinic`] });
}

function british(doc, random, { stay, style, kept, fresh, changed, stopped, illness, history, fears, allergies: known }) {
  const [patient, doctor, gp] = stay.cast;
  doc.line(`${town(random)} Hospitals NHS Trust`, { size: 15, bold: true }).line("Discharge letter to the general practitioner").down(4);
  doc.line(`To: Dr ${gp.first} ${gp.last}, ${town(random)} Surgery`);
  doc.fact("provider", gp.name, { role: "recipient" });
  doc.line(`Re: ${patient.title} ${patient.first} ${patient.last}, born ${stay.date(stay.birth)}, Hospital No ${stay.record}`);
  doc.line(`Consultant: Dr ${doctor.first} ${doctor.last}`);
  doc.line(`Date of admission: ${stay.date(stay.admitted)}    Date of discharge: ${stay.date(stay.discharged)}`);
  noteStay(doc, stay);
  doc.heading("Diagnosis on discharge").line(`${illness.name}, resolving`);
  held(doc, illness);
  doc.heading("Background").line(history.map(({ name }) => name).join("; "));
  for (const one of history) past(doc, one);
  doc.heading("Clinical summary");
  doc.paragraph(`${said(doc, random, "denied", fears[0])} ${said(doc, random, "doubted", fears[2])} ${said(doc, random, "denied", fears[1])}`);
  const [lab] = panel(random, "blood", 1, 1);
  doc.paragraph(`On the day of discharge the ${lab.name === lab.name.toUpperCase() ? lab.name : lab.name.toLowerCase()} was ${lab.value.toFixed(lab.decimals)} ${lab.unit} (${lab.low}-${lab.high}).`);
  doc.fact("lab", lab.name, labValue(lab), { also: lab.also });
  doc.heading("Allergies and sensitivities").line(known.map(({ name, reaction }) => `${name} (${reaction})`).join(", "));
  for (const one of known) allergy(doc, one);
  doc.heading("Medicines to take home (TTO)");
  const columns = [54, 214, 294, 380, 450];
  doc.row(columns, ["Medicine", "Dose", "Route", "Frequency", "Status"], { bold: true }).rule();
  const rows = [...kept.map((one) => [one, "current", "Unchanged"]), ...fresh.map((one) => [one, "current", "New"]), [changed, "changed", `Dose changed, was ${before(random, changed)}`], [stopped, "stopped", "Stopped"]];
  for (const [one, status, word] of random.shuffle(rows)) {
    doc.row(columns, [one.written ?? one.name, one.strength, one.unit === "puffs" ? "inhaled" : "oral", often(random, one, style), word]);
    medication(doc, one, status);
  }
  const visit = later(stay.discharged, random.int(20, 60));
  doc.heading("Follow up").line(`Outpatient review in the respiratory clinic on ${stay.date(visit)}.`);
  doc.fact("appointment", "respiratory clinic", { date: visit }, { status: "planned", also: ["outpatient review", "review", "follow-up", "respiratory", "outpatient review in the respiratory clinic", "clinic"] });
  doc.down(10).line("Yours sincerely,").line(`Dr ${doctor.first} ${doctor.last}`);
}

function twoColumns(doc, random, { stay, style, kept, fresh, changed, stopped, alsoStopped, illness, history, fears }) {
  const [patient, doctor] = stay.cast;
  doc.line("Summary of your hospital stay", { size: 16, bold: true });
  doc.line(`${patient.name}    Born ${stay.date(stay.birth)}    Record ${stay.record}`);
  doc.line(`Admitted ${stay.date(stay.admitted)}    Discharged ${stay.date(stay.discharged)}    Attending: Dr. ${doctor.name}`).rule().down(4);
  noteStay(doc, stay);
  const list = (side, title, drugs, status, note) => {
    side.heading(title, { size: 11, gap: 4 });
    for (const one of drugs) {
      side.paragraph(`${one.written ?? one.name} ${one.strength}, ${often(random, one, style)}`, { hang: 10 });
      medication(side, one, status);
    }
    if (note) side.paragraph(note, { size: 9 });
  };
  doc.beside([1, 1], (side) => {
    side.heading("Why you were here", { size: 11, gap: 2 }).paragraph(illness.name);
    held(side, illness);
    side.heading("Other conditions", { size: 11, gap: 4 });
    for (const one of history) {
      side.paragraph(`- ${one.name}`);
      past(side, one);
    }
    side.heading("What we looked for", { size: 11, gap: 4 });
    for (const fear of fears) side.paragraph(said(side, random, "denied", fear), { after: 2 });
    side.heading("Allergies", { size: 11, gap: 4 }).paragraph(random.pick(["No known drug allergies (NKDA)", "No known allergies", "NKDA"]));
    side.fact("allergy", "no known allergies", {}, { also: ["no known drug allergies", "nkda"] });
  }, (side) => {
    list(side, "START", fresh, "current");
    list(side, "CHANGE", [], "changed");
    side.paragraph(`${changed.name}: take ${changed.strength} ${often(random, changed, style)}. Before: ${before(random, changed)}.`, { hang: 10 });
    medication(side, changed, "changed");
    list(side, "CONTINUE", kept, "current");
    list(side, "STOP", [stopped, alsoStopped], "stopped", "Do not take these any more.");
  });
  const visit = later(stay.discharged, random.int(5, 20));
  doc.heading("Your next visit").line(`${stay.date(visit)}, 2:15 PM, with Dr. ${doctor.name}`);
  doc.fact("appointment", "follow-up", { date: visit, time: "14:15", with: doctor.name }, { status: "planned", also: ["next visit", "your next visit", "visit", doctor.name, "follow-up visit", `dr. ${doctor.name}`] });
}
