// A visit to an emergency department: triage, what was thought of and excluded, what was given there, and what goes home.
import { acute, allergies, chronic, combination, dated, device, drugs, evident, familial, feared, labValue, later, medicationValue, often, panel, people, special, town } from "../invented.mjs";
import { complaint, denies, mixed, noteVitals, said, vitals } from "../phrases.mjs";
import { Writer } from "../writer.mjs";

export default {
  kind: "emergency-note",
  layouts: ["american", "british", "two-columns"],
  write(random, layout) {
    const doc = new Writer({ size: 10, lead: 14 });
    const [patient, doctor, child] = people(random, 3);
    const date = dated({ american: "usShort", british: "uk", "two-columns": "abbreviated" }[layout]);
    const list = drugs(random, 4);
    const drawn = { patient, doctor, child, date, birth: evident(random, random.date(1940, 2004)), day: evident(random, random.date(2022, 2025)), illness: acute(random), fears: feared(random, 3), history: chronic(random, 2), relative: familial(random, 1)[0],
      home: list.slice(0, 2), stopped: list[2], fresh: [combination(random), device(random)], allergy: allergies(random, 1)[0], record: String(random.int(100000, 999999)) };
    ({ american, british, "two-columns": twoColumns })[layout](doc, random, drawn);
    doc.fact("patient", patient.name, { birth_date: drawn.birth });
    doc.fact("provider", doctor.name, { role: "attending" });
    doc.fact("date", "visit", { date: drawn.day }, { also: ["document", "arrival", "arrived", "date of visit", "date", "attended", "date of attendance", "attendance", "admitted", "visit date"] });
    return doc.done();
  },
};

const medication = (doc, drug, status = "current") => doc.fact("medication", drug.name, medicationValue(drug), { status, also: drug.also });
const once = (doc, name, dose, unit) => doc.fact("medication", name, { dose, unit, frequency: null }, { status: "historical" });
const held = (doc, { name, also, codes }, rest = {}) => doc.fact("condition", name, {}, { also, codes, ...rest });
const allergic = (doc, { name, also, reaction }) => doc.fact("allergy", name, { reaction }, { also });
const letters = { low: "L", high: "H", normal: "" };

function american(doc, random, { patient, doctor, date, birth, day, illness, fears, history, relative, home, stopped, fresh, allergy, record }) {
  doc.line(`${town(random)} Memorial Emergency Department`, { size: 14, bold: true });
  doc.row([54, 320], [`Patient: ${patient.last}, ${patient.first}`, `DOB: ${date(birth)}`]).row([54, 320], [`Visit date: ${date(day)}`, `MRN: ${record}`]).line(`ED physician: ${doctor.last}, ${doctor.first}, MD`).rule();
  doc.heading("TRIAGE", { size: 10.5, gap: 3 }).line(noteVitals(doc, vitals(random, "us").slice(0, 5)).join(" | "));
  doc.line(`Allergies: ${allergy.name} -> ${allergy.reaction}`);
  allergic(doc, allergy);
  doc.heading("HPI", { size: 10.5, gap: 3 }).paragraph(`Presents with ${complaint(doc, "abdominal pain")} since yesterday. ${denies(doc, random, ["chest pain", "syncope"])} History of ${history[0].name} and ${history[1].name}. ${said(doc, random, "ofFamily", relative)}`);
  for (const one of history) held(doc, one, { statuses: ["current", "historical"] });
  doc.heading("HOME MEDICATIONS", { size: 10.5, gap: 3 });
  for (const one of home) {
    doc.line(`${one.written ?? one.name} ${one.strength} PO ${often(random, one, "latin")}`);
    medication(doc, one);
  }
  doc.heading("LABS", { size: 10.5, gap: 3 });
  const columns = [54, 200, 250, 320, 420];
  doc.row(columns, ["Test", "Flag", "Value", "Range", "Unit"], { bold: true });
  for (const lab of panel(random, "chemistry", 4)) {
    doc.row(columns, [lab.name, letters[lab.abnormal], lab.value.toFixed(lab.decimals), `${lab.low}-${lab.high}`, lab.unit]);
    doc.fact("lab", lab.name, labValue(lab, lab.abnormal === "normal" ? null : lab.abnormal), { also: lab.also });
  }
  for (const lab of special(random).slice(0, 2)) {
    doc.row(columns, [lab.name, letters[lab.abnormal], String(lab.value), lab.range, lab.unit]);
    doc.fact("lab", lab.name, labValue(lab, lab.abnormal === "normal" ? null : lab.abnormal), { also: lab.also });
  }
  doc.heading("ED COURSE", { size: 10.5, gap: 3 }).paragraph(`Given ondansetron 4 mg IV and ketorolac 15 mg IV in the ED. ${mixed(doc, random, fears.slice(0, 2), illness)}`);
  once(doc, "ondansetron", 4, "mg");
  once(doc, "ketorolac", 15, "mg");
  doc.heading("DIAGNOSIS", { size: 10.5, gap: 3 }).line(illness.name);
  held(doc, illness);
  doc.heading("DISCHARGE PRESCRIPTIONS", { size: 10.5, gap: 3 });
  for (const one of fresh) {
    doc.line(`${one.written ?? one.name} ${one.strength} ${one.unit === "puffs" ? "INH" : "PO"} ${often(random, one, "latin")}`);
    medication(doc, one);
  }
  doc.line(`STOP ${stopped.written} ${stopped.strength} PO ${often(random, stopped, "latin")}`);
  medication(doc, stopped, "stopped");
  doc.paragraph("Return to the ED if you develop fever or vomiting.");
}

function british(doc, random, { patient, doctor, child, date, birth, day, illness, fears, history, home, stopped, fresh, allergy }) {
  doc.line(`${town(random)} Infirmary`, { size: 15, bold: true }).line("Emergency department letter to the GP", { size: 11, bold: true });
  doc.line(`Patient: ${patient.title} ${patient.first} ${patient.last}    Date of birth: ${date(birth)}`).line(`Date of attendance: ${date(day)}    Seen by: Dr ${doctor.first} ${doctor.last}`).line(`Next of kin: ${child.name} (${child.sex === "female" ? "daughter" : "son"})`).rule();
  doc.heading("Presentation").paragraph(`${complaint(doc, "shortness of breath").replace("s", "S")} for two days. ${denies(doc, random, ["chest pain", "fever"])} Known ${history[0].name}.`);
  held(doc, history[0], { statuses: ["current", "historical"] });
  doc.heading("Observations").line(noteVitals(doc, vitals(random, "metric").slice(0, 5)).join(", "));
  doc.heading("Investigations");
  const [crp] = special(random, 1);
  doc.paragraph(`${crp.name} ${crp.value} ${crp.unit} (normal ${crp.range}).`);
  doc.fact("lab", crp.name, labValue(crp), { also: crp.also });
  const seen = random.pick(["chest x-ray", "ECG"]);
  doc.paragraph(`${seen === "ECG" ? "ECG" : "Chest X-ray"} was done. ${said(doc, random, "denied", fears[0])} ${said(doc, random, "doubted", fears[1])}`);
  doc.fact("procedure", seen.toLowerCase(), {}, { also: ["electrocardiogram", "chest x-ray", "chest radiograph"].filter((name) => seen === "ECG" ? name.startsWith("e") : name.startsWith("c")), statuses: ["current", "historical"] });
  doc.heading("Treatment in the department").paragraph("Prednisolone 40 mg orally and salbutamol 5 mg by nebuliser were given.");
  once(doc, "prednisolone", 40, "mg");
  doc.fact("medication", "salbutamol", { dose: 5, unit: "mg", frequency: null }, { status: "historical", also: ["albuterol"] });
  doc.heading("Diagnosis").line(illness.name);
  held(doc, illness);
  doc.heading("Regular medicines");
  for (const one of home) {
    doc.line(`${one.written ?? one.name} ${one.strength} ${often(random, one, "british")}`);
    medication(doc, one);
  }
  doc.heading("Started today").line(`${fresh[0].written} ${fresh[0].strength} ${often(random, fresh[0], "british")}`);
  medication(doc, fresh[0]);
  doc.heading("Stopped today").line(`${stopped.written} ${stopped.strength} ${often(random, stopped, "british")}`);
  medication(doc, stopped, "stopped");
  doc.heading("Allergies").line(`${allergy.name} (${allergy.reaction})`);
  allergic(doc, allergy);
  const visit = later(day, random.int(3, 14));
  doc.paragraph(`Please see the patient on ${date(visit)} for review.`);
  doc.fact("appointment", "review", { date: visit }, { status: "planned", also: ["follow-up", "gp review"] });
}

function twoColumns(doc, random, { patient, doctor, date, birth, day, illness, fears, history, home, stopped, fresh }) {
  doc.line("EMERGENCY VISIT SUMMARY", { size: 15, bold: true });
  doc.line(`${patient.name}    Born ${date(birth)}    Arrived ${date(day)}    Physician: Dr. ${doctor.name}`).rule().down(4);
  doc.beside([1, 1], (side) => {
    side.heading("Vital signs", { size: 11, gap: 2 });
    for (const text of noteVitals(side, vitals(random, "metric").slice(0, 5))) side.line(text);
    side.heading("What you have", { size: 11, gap: 4 }).paragraph(illness.name);
    held(side, illness);
    side.heading("What was excluded", { size: 11, gap: 4 });
    for (const fear of fears.slice(0, 2)) {
      side.line(fear.name);
      held(side, fear, { status: "ruled_out" });
    }
    side.heading("Your other conditions", { size: 11, gap: 4 });
    for (const one of history) {
      side.line(one.name);
      held(side, one, { statuses: ["current", "historical"] });
    }
  }, (side) => {
    const list = (title, drugs, status) => {
      side.heading(title, { size: 11, gap: side.y < 130 ? 2 : 4 });
      for (const one of drugs) {
        side.paragraph(`${one.written ?? one.name} ${one.strength} ${often(random, one, "plain")}`, { hang: 10 });
        medication(side, one, status);
      }
    };
    list("New medicines", fresh, "current");
    list("Keep taking", home, "current");
    list("Stop taking", [stopped], "stopped");
    side.heading("Allergies", { size: 11, gap: 4 }).paragraph("No known allergies");
    side.fact("allergy", "no known allergies", {}, { also: ["no known drug allergies"] });
  });
  const visit = later(day, random.int(5, 20));
  doc.heading("Next steps").line(`Appointment at the chest clinic: ${date(visit)}, 11:00`);
  doc.fact("appointment", "chest clinic", { date: visit, time: "11:00" }, { status: "planned", also: ["appointment", "appointment at the chest clinic", "follow-up", "clinic"] });
}
