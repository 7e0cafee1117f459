// Lists of medicines as pharmacies and practices print them, with what is stopped beside what is taken.
import { allergies, chronic, combination, dated, device, drugs, evident, injection, medicationValue, often, people, town } from "../invented.mjs";
import { Writer } from "../writer.mjs";

export default {
  kind: "medication-list",
  layouts: ["table", "frequency-first", "two-columns", "undecided-date"],
  write(random, layout) {
    const doc = new Writer({ size: 10, lead: 16 });
    const [patient, doctor] = people(random, 2);
    const date = dated({ table: "usLong", "frequency-first": "dots", "two-columns": "us", "undecided-date": "abbreviated" }[layout]);
    const birth = evident(random, random.date(1930, 1985)), day = random.date(2022, 2025);
    const all = drugs(random, 7);
    const taken = random.shuffle([...all.slice(0, 4), combination(random), device(random), injection(random)]), stopped = all.slice(4, 6), changed = all[6];
    const note = (drug, status = "current", rest = {}) => doc.fact("medication", drug.name, medicationValue(drug, rest), { status, also: drug.also });
    doc.line(`${town(random)} ${layout === "table" ? "Family Medicine" : "Pharmacy"}`, { size: 15, bold: true });
    doc.line({ table: "Current Medication List", "frequency-first": "Medication plan", "two-columns": "MEDICATION RECONCILIATION", "undecided-date": "Medicines" }[layout], { size: 12, bold: true });
    doc.line(layout === "table" ? `Patient: ${patient.last}, ${patient.first}     DOB: ${date(birth)}` : `Patient: ${patient.name}     Date of birth: ${date(birth)}`);
    const [label, written] = [layout === "frequency-first" ? "printed" : "reviewed", layout === "undecided-date" ? undecided(day) : date(day)];
    doc.line(`${label[0].toUpperCase()}${label.slice(1)}: ${written} by ${doctor.name}, ${{ table: "MD", "undecided-date": "pharmacist" }[layout] ?? "PharmD"}`).down(4);
    doc.fact("patient", patient.name, { birth_date: birth });
    doc.fact("provider", doctor.name, { role: "author" });
    const noteDay = (iso, rest) => doc.fact("date", label, { date: iso }, { also: ["document", "date"], ...rest });
    if (layout === "undecided-date") {
      // Either reading may be noted, and neither without its doubt.
      const [year, month, dayOfMonth] = swapped(day).split("-");
      noteDay(`${year}-${month}-${dayOfMonth}`, { optional: true, written, doubt: "date_is_ambiguous" });
      noteDay(`${year}-${dayOfMonth}-${month}`, { optional: true });
    } else noteDay(day);
    ({ table, "frequency-first": frequencyFirst, "two-columns": twoColumns, "undecided-date": frequencyFirst })[layout](doc, random, { taken, stopped, changed, note, date });
    return doc.done();
  },
};

// Two different numbers, each of which could be the month, in a document that shows nowhere which comes first.
const swapped = (iso) => {
  const [year, month, day] = iso.split("-").map(Number);
  const other = (day - 1) % 12 + 1;
  return [year, month, other === month ? month % 12 + 1 : other].map((part) => String(part).padStart(2, "0")).join("-");
};
const undecided = (iso) => dated("us")(swapped(iso));

function table(doc, random, { taken, stopped, changed, note }) {
  const reasons = chronic(random, taken.length);
  const columns = [54, 210, 280, 400];
  doc.row(columns, ["Medication", "Dose", "How often", "Reason"], { bold: true }).rule();
  for (const [at, drug] of taken.entries()) {
    doc.row(columns, [drug.written ?? drug.name, drug.strength, often(random, drug, "plain"), reasons[at].name]);
    note(drug);
    doc.fact("condition", reasons[at].name, {}, { also: reasons[at].also, codes: reasons[at].codes });
  }
  doc.row(columns, [changed.name, changed.strength, often(random, changed, "plain"), `dose increased, was ${changed.dose / 2} ${changed.unit}`]);
  note(changed, "changed");
  doc.heading("Discontinued medications");
  for (const drug of stopped) {
    doc.line(`${drug.written ?? drug.name} ${drug.strength} ${often(random, drug, "plain")}`);
    note(drug, "stopped");
  }
  const known = allergies(random, 2);
  doc.heading("Allergies");
  doc.row([54, 210], ["Allergen", "Reaction"], { bold: true }).rule();
  for (const { name, also, reaction } of known) {
    doc.row([54, 210], [name, reaction]);
    doc.fact("allergy", name, { reaction }, { also });
  }
}

function frequencyFirst(doc, random, { taken, stopped, changed, note }) {
  const columns = [54, 190, 360, 450];
  doc.row(columns, ["When", "Medicine", "Strength", "Remark"], { bold: true }).rule();
  const rows = [...taken.map((drug) => [drug, "current", ""]), ...stopped.map((drug) => [drug, "stopped", "STOPPED"]), [changed, "changed", `was ${changed.dose * 2} ${changed.unit}`]];
  for (const [drug, status, remark] of random.shuffle(rows)) {
    doc.row(columns, [often(random, drug, "plain"), drug.written ?? drug.name, drug.strength, remark]);
    note(drug, status);
  }
  doc.down(8).line(random.pick(["Allergies: none known", "No known allergies.", "Allergies: NKDA"]));
  doc.fact("allergy", "no known allergies", {}, { also: ["no known drug allergies", "nkda", "none known"] });
}

function twoColumns(doc, random, { taken, stopped, changed, note }) {
  doc.beside([1, 1], (side) => {
    side.heading("CONTINUE", { size: 11 });
    for (const drug of taken) {
      side.paragraph(`${drug.written ?? drug.name} ${drug.strength} ${drug.unit === "puffs" ? "" : drug.form === "injection" ? "SC " : "PO "}${often(random, drug, "latin")}`, { hang: 10 });
      note(drug);
    }
  }, (side) => {
    side.heading("DISCONTINUE", { size: 11 });
    for (const drug of stopped) {
      side.paragraph(`${drug.written ?? drug.name} ${drug.strength} PO ${often(random, drug, "latin")}`, { hang: 10 });
      note(drug, "stopped");
    }
    side.heading("CHANGED", { size: 11 });
    side.paragraph(`${changed.name} decreased from ${changed.dose * 2} ${changed.unit} to ${changed.strength} PO ${often(random, changed, "latin")}`, { hang: 10 });
    note(changed, "changed", { previous: `${changed.dose * 2} ${changed.unit}` });
  });
}
