// Vaccines that were given, are due or were declined, with lots and sites that are no facts.
import { allergies, dated, evident, later, people, street, town, vaccines } from "../invented.mjs";
import { Writer } from "../writer.mjs";

const usual = [
  ["influenza", "Influenza (quadrivalent)"], ["tetanus, diphtheria, pertussis", "Tdap"], ["hepatitis b", "Hepatitis B"], ["pneumococcal", "Pneumococcal conjugate"], ["zoster", "Zoster (recombinant)"], ["measles, mumps, rubella", "MMR"],
  ["varicella", "Varicella"], ["covid-19", "COVID-19 (mRNA)"], ["hepatitis a", "Hepatitis A"], ["human papillomavirus", "HPV"], ["rabies", "Rabies"], ["typhoid", "Typhoid"], ["yellow fever", "Yellow fever"],
].map(([name, written]) => ({ ...vaccines.find((one) => one.name === name), written }));

export default {
  kind: "immunisation-record",
  layouts: ["date-last", "date-first", "card"],
  write(random, layout) {
    const doc = new Writer({ size: 10.5, lead: 17 });
    const [patient, nurse, parent] = people(random, 3);
    const date = dated({ "date-last": "us", "date-first": "uk", card: "abbreviated" }[layout]);
    const birth = evident(random, random.date(1950, 2012)), printed = random.date(2023, 2025);
    const chosen = random.shuffle(usual);
    const given = chosen.slice(0, 6).map((one) => ({ ...one, day: random.date(2013, 2022), lot: `${random.pick(["AB", "KX", "UT"])}${random.int(1000, 9999)}` }));
    // A day that cannot be a month shows the order of the other dates.
    given[0].day = evident(random, given[0].day);
    const note = ({ name, also, written }, day, status = "current") => doc.fact("immunisation", name, { date: day }, { status, also: [...also, written, `${written} vaccine`] });
    ({ "date-last": dateLast, "date-first": dateFirst, card })[layout](doc, random, { patient, nurse, parent, date, birth, printed, given, due: chosen[6], declined: chosen[7], note });
    doc.fact("patient", patient.name, { birth_date: birth });
    return doc.done();
  },
};

function dateLast(doc, random, { patient, nurse, date, birth, printed, given, due, declined, note }) {
  doc.line(`${town(random)} County Immunization Registry`, { size: 15, bold: true }).line("OFFICIAL IMMUNIZATION RECORD", { size: 12, bold: true }).down(4);
  doc.row([54, 320], [`Name: ${patient.last}, ${patient.first}`, `DOB: ${date(birth)}`]);
  doc.row([54, 320], [`Provider: ${nurse.name}, NP`, `Printed: ${date(printed)}`]).down(6);
  doc.fact("provider", nurse.name, { role: "other" });
  doc.fact("date", "printed", { date: printed }, { also: ["document", "date"] });
  const columns = [54, 220, 310, 400, 480];
  doc.row(columns, ["Vaccine", "Lot", "Site", "Dose", "Date given"], { bold: true }).rule();
  for (const [at, one] of given.entries()) {
    doc.row(columns, [one.written, one.lot, random.pick(["L deltoid", "R deltoid", "L thigh"]), `${at % 3 + 1} of 3`, date(one.day)]);
    note(one, one.day);
  }
  const when = later(printed, random.int(30, 200));
  doc.heading("VACCINES DUE").line(`${due.written} - due ${date(when)}`);
  note(due, when, "planned");
  doc.heading("DECLINED").line(`${declined.written} - declined by the patient ${date(printed)}`);
  doc.fact("immunisation", declined.name, { date: printed }, { status: "ruled_out", statuses: ["ruled_out", "stopped"], also: [...declined.also, declined.written], optional: true });
}

function dateFirst(doc, random, { patient, nurse, date, birth, printed, given, due, note }) {
  doc.line(`${town(random)} Health Centre`, { size: 15, bold: true }).line(`${street(random)}`, { size: 9 }).line("Immunisation history", { size: 12, bold: true });
  doc.line(`Patient: ${patient.first} ${patient.last.toUpperCase()}      Date of birth: ${date(birth)}`).line(`Practice nurse: ${nurse.name}      Date of issue: ${date(printed)}`).down(4);
  doc.fact("provider", nurse.name, { role: "other" });
  doc.fact("date", "issued", { date: printed }, { also: ["document", "date", "date of issue", "issue", "printed"] });
  const columns = [54, 150, 340, 430];
  doc.row(columns, ["Date", "Vaccination", "Batch", "Given by"], { bold: true }).rule();
  for (const one of given) {
    doc.row(columns, [date(one.day), one.written, one.lot, `${nurse.first[0]}. ${nurse.last}`]);
    note(one, one.day);
  }
  const [allergic] = allergies(random, 1);
  doc.heading("Adverse reactions and allergies").line(`${allergic.name}: ${allergic.reaction}`);
  doc.fact("allergy", allergic.name, { reaction: allergic.reaction }, { also: allergic.also });
  const when = later(printed, random.int(30, 200));
  doc.heading("Next dose").line(`${due.written} planned for ${date(when)}`);
  note(due, when, "planned");
}

function card(doc, random, { patient, parent, date, birth, given, due, note }) {
  doc.line("VACCINATION CARD", { size: 16, bold: true }).line(`${patient.name}, born ${date(birth)}`, { bold: true }).line(`Parent: ${parent.name}`).rule().down(4);
  const half = (list) => (side) => {
    for (const one of list) {
      side.line(one.written, { bold: true }).line(`given ${date(one.day)}, lot ${one.lot}`, { size: 9.5 }).down(6);
      note(one, one.day);
    }
  };
  doc.beside([1, 1], half(given.slice(0, 3)), half(given.slice(3)));
  doc.down(6).line(`Still to be given: ${due.written}`);
  note(due, null, "planned");
  doc.down(6).line("No known allergies");
  doc.fact("allergy", "no known allergies", {}, { also: ["no known drug allergies"] });
}
