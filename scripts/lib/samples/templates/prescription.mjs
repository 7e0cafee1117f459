// Prescriptions: directions in Latin shorthand, in British shorthand, or in columns; combinations, inhalers, and what is to be stopped.
import { allergies, chronic, combination, dated, device, drugs, evident, later, medicationValue, often, people, street, town } from "../invented.mjs";
import { Writer } from "../writer.mjs";

export default {
  kind: "prescription",
  layouts: ["sig", "british", "columns", "sentences"],
  write(random, layout) {
    const doc = new Writer({ size: 10.5, lead: 16 });
    const [patient, doctor] = people(random, 2);
    const date = dated({ sig: "us", british: "uk", columns: "iso", sentences: "usLong" }[layout]);
    const birth = evident(random, random.date(1940, 2002));
    const written = { patient, doctor, date, birth, day: random.date(2022, 2025) };
    const chosen = random.shuffle([...drugs(random, 3), combination(random), device(random)]);
    const noteAll = (drug, rest) => doc.fact("medication", drug.name, medicationValue(drug, rest), { also: drug.also });
    ({ sig, british, columns, sentences })[layout](doc, random, written, chosen, noteAll);
    doc.fact("patient", patient.name, { birth_date: birth });
    doc.fact("provider", doctor.name, { role: "prescriber" });
    return doc.done();
  },
};

function sig(doc, random, { patient, doctor, date, birth, day }, chosen, note) {
  doc.line(`${doctor.name}, MD`, { size: 15, bold: true }).line(`${street(random)}, ${town(random)}   Tel 555-0${random.int(100, 199)}   Lic. ${random.int(10000, 99999)}`, { size: 9 }).rule().down(6);
  doc.row([54, 340], [`Name: ${patient.last}, ${patient.first}`, `Date: ${date(day)}`]);
  doc.row([54, 340], [`Address: ${street(random)}`, `DOB: ${date(birth)}`]);
  doc.fact("date", "document", { date: day }, { also: ["date", "written", "prescribed"] });
  const [allergic] = allergies(random, 1);
  doc.line(`Allergies: ${allergic.name} (${allergic.reaction})`);
  doc.fact("allergy", allergic.name, { reaction: allergic.reaction }, { also: allergic.also });
  doc.heading("Rx", { size: 18 });
  for (const drug of chosen) {
    const quantity = random.pick([30, 60, 90]), refills = random.int(0, 5);
    const isPuff = drug.unit === "puffs";
    doc.room(60).line(isPuff ? `${drug.name} inhaler` : `${drug.written ?? drug.name} ${drug.strength} ${drug.form === "tablet" ? "tab" : "cap"}`, { bold: true });
    doc.line(`SIG: ${isPuff ? drug.strength + " inhaled" : drug.form === "tablet" ? "1 tab PO" : "1 cap PO"} ${often(random, drug, "latin")}`, { indent: 16 });
    doc.line(`Disp: #${isPuff ? 1 : quantity}    Refills: ${refills}`, { indent: 16 }).down(5);
    note(drug, { quantity: isPuff ? 1 : quantity, refills });
  }
  doc.down(24).line(`Signature: ${doctor.first[0]}. ${doctor.last}`, { indent: 260 });
}

function british(doc, random, { patient, doctor, date, birth, day }, chosen, note) {
  doc.row([54, 330], ["Pharmacy stamp", `Age and D.o.B.   ${date(birth)}`]);
  doc.row([54, 330], ["", `${patient.title} ${patient.first} ${patient.last}`], { bold: true });
  doc.row([54, 330], ["", `${street(random)}, ${town(random)}`]).rule().down(8);
  for (const drug of chosen) {
    const isPuff = drug.unit === "puffs";
    doc.paragraph(isPuff ? `${drug.name} inhaler ${drug.strength} ${often(random, drug, "british")}` : `${drug.written ?? drug.name} ${drug.strength} ${drug.form}s, one ${often(random, drug, "british")}`, { after: 2 });
    const days = random.pick([28, 56]);
    doc.line(isPuff ? "Supply 1 inhaler" : `Supply ${days} ${drug.form}s`, { indent: 14 }).down(6);
    note(drug);
  }
  doc.down(20).row([54, 330], [`Signature of prescriber: Dr ${doctor.first} ${doctor.last}`, `Date ${date(day)}`]);
  doc.line(`${town(random)} Medical Centre, ${street(random)}`, { size: 9 });
  doc.fact("date", "document", { date: day }, { also: ["date", "signature", "signed", "written", "prescribed"] });
}

function sentences(doc, random, { patient, doctor, date, birth, day }, chosen, note) {
  doc.line(`Dr. ${doctor.name}`, { size: 15, bold: true }).line(`${street(random)}, ${town(random)}`, { size: 9 }).rule().down(6);
  doc.line(`For: ${patient.name}, born ${date(birth)}`).line(`Date: ${date(day)}`).down(8);
  doc.fact("date", "document", { date: day }, { also: ["date", "written", "prescribed"] });
  for (const [at, drug] of chosen.entries()) {
    const name = drug.written ?? drug.name, when = often(random, drug, "plain");
    doc.paragraph(drug.unit === "puffs" ? `${at + 1}. ${name} inhaler. Inhale ${drug.strength} ${when}.` : random.pick([
      `${at + 1}. ${name} ${drug.strength} ${drug.form}. Take 1 ${drug.form} by mouth ${when}.`, `${at + 1}. ${name} ${drug.strength}: one ${drug.form} to be taken ${when}.`, `${at + 1}. Take ${name} ${drug.strength} ${when} with water.`]), { hang: 14, after: 4 });
    note(drug);
  }
}

function columns(doc, random, { patient, doctor, date, birth, day }, chosen, note) {
  const widths = [54, 180, 250, 420, 478];
  const [illness] = chronic(random, 1);
  doc.line("ELECTRONIC PRESCRIPTION", { size: 14, bold: true });
  doc.beside([1, 1], (side) => side.line("Patient", { bold: true }).line(patient.name).line(`Date of birth: ${date(birth)}`),
    (side) => side.line("Prescriber", { bold: true }).line(`${doctor.name}, NP`).line(`Issued: ${date(day)}`));
  doc.fact("date", "issued", { date: day }, { also: ["document", "date"] });
  doc.line(`Indication: ${illness.name}`);
  doc.fact("condition", illness.name, {}, { also: illness.also, codes: illness.codes });
  doc.down(8).row(widths, ["How often", "Dose", "Drug", "Route", "Until"], { bold: true }).rule();
  for (const drug of chosen) {
    const until = later(day, random.int(10, 90));
    doc.row(widths, [often(random, drug, "plain"), drug.strength, drug.written ?? drug.name, drug.unit === "puffs" ? "inhaled" : "oral", date(until)]).down(2);
    note(drug);
    doc.fact("date", "until", { date: until }, { optional: true, also: ["end", "stop", "document"] });
  }
  const [stopped] = drugs(random, 24).filter(({ name }) => chosen.every((drug) => drug.name !== name));
  doc.heading("Discontinued on this date").line(`${stopped.written} ${stopped.strength} ${often(random, stopped, "plain")}`);
  doc.fact("medication", stopped.name, medicationValue(stopped), { status: "stopped", also: stopped.also });
}
