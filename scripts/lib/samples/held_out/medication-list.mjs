// Lists of a patient's medicines: reconciliation tables, charts by time of day, and cards with stopped drugs.
import { allergies, cast, clinic, dateIn, pharmacy, place, template } from "./kit/chance.mjs";
import { Paper } from "./kit/page.mjs";

function reconciliation(random) {
  const here = place(random, "us"), who = cast(random, "us"), patient = who.patient(), doctor = who.doctor(), pharmacist = who.doctor(), date = dateIn(random, 2023, 2025, true), drug = pharmacy(random, "us"), allergy = allergies(random);
  const cols = [40, 170, 262, 360, 452];
  const paper = new Paper({ left: 40, right: 572, size: 9, header: (p) => p.line(`${patient.turned}   Medication reconciliation, continued`, { bold: true }).rule(),
    footer: (p, n, total) => p.row([40, 510], ["Bring this list to every visit. Do not change your medicines without asking.", `Page ${n}/${total}`], { size: 7.5 }) });
  paper.line(random.pick(["Northgate Ambulatory Pharmacy", "Harbor Point Clinic", "Elm Grove Health Partners"]), { size: 15, bold: true }).line(`${here.street}, ${here.town} ${here.zip}  ${here.phone}`, { size: 8 });
  paper.line("MEDICATION RECONCILIATION", { size: 12, bold: true }).rule();
  paper.row([40, 230, 400], [`Patient: ${patient.turned}`, `Birth date: ${patient.birth.as("us")}`, `Updated: ${date.as("us")}`]).patient(patient).date("document", date, ["updated", "date"]);
  paper.row([40, 230], [`PCP: ${doctor.name}, DO`, `Reviewed by: ${pharmacist.name}, PharmD`]).provider(doctor, "other").provider(pharmacist, "author");
  const react = [allergy(), allergy(), allergy()];
  paper.line(`ALLERGIES: ${react.map((item) => `${item.written} (${item.reaction})`).join("; ")}`, { bold: true });
  react.forEach((item) => paper.allergy(item));
  const changed = drug.changed();
  const groups = [
    [random.pick(["ACTIVE MEDICATIONS", "Current Medications", "MEDICATIONS - TAKING"]), "current", [drug.order(), drug.order(), drug.order(), drug.pair(), drug.order(), drug.device(), drug.order()]],
    [random.pick(["DISCONTINUED", "Discontinued medications", "STOPPED THIS VISIT"]), "stopped", [drug.order(), drug.order(), drug.order()]],
    [random.pick(["INPATIENT ONLY (not for home use)", "ADMINISTERED DURING ADMISSION"]), "historical", [drug.hospital(), drug.hospital()]],
  ];
  for (const [title, status, items] of groups) {
    paper.heading(title, { rule: true }).gap(2).row(cols, ["Medication", "Strength", "Route", "Directions", "Prescriber"], { bold: true, size: 8 });
    for (const item of items) paper.row(cols, [item.written, item.strength, item.form === "inhaler" ? "inhaled" : item.form === "pen" || item.form === "SC" ? "subcut" : item.form === "IV" ? "IV" : "oral", item.sig + (item.isPrn ? " PRN" : ""), doctor.last]).medication(item, status);
    if (status === "current") {
      paper.heading(random.pick(["DOSE CHANGED", "CHANGED THIS VISIT"]), { rule: true }).gap(2).row([40, 170, 262, 360], ["Medication", "Old dose", "New dose", "Directions"], { bold: true, size: 8 });
      paper.row([40, 170, 262, 360], [changed.written, changed.old.text, changed.strength, changed.sig + (changed.isPrn ? " PRN" : "")]).medication(changed, "changed", { previous: changed.old.value });
    }
  }
  paper.gap(14).row([40, 300], ["Patient signature: ______________________", `Pharmacist signature: ______________________`], { size: 8.5 });
  return paper.done();
}

function timetable(random) {
  const here = place(random, "de"), who = cast(random, "de"), patient = who.patient(), doctor = who.doctor(), date = dateIn(random, 2023, 2025), drug = pharmacy(random, "words"), list = clinic(random);
  const paper = new Paper({ left: 48, right: 564, footer: (p, n, total) => p.row([48, 480], ["No liability for completeness.", `Page ${n} of ${total}`], { size: 7.5 }) });
  paper.row([48, 330], ["Medication plan", `for: ${patient.name}`], { size: 14, bold: true });
  paper.row([48, 330], [`Printed by: Dr. med. ${doctor.name}`, `born on: ${patient.birth.as("de")}`]).row([48, 330], [`${here.street} 7, ${here.zip} ${here.town}`, `Date of print: ${date.as("de")}`]).row([48], [`Tel. ${here.phone}`]).rule();
  paper.patient(patient).provider(doctor, "author").date("document", date, ["date of print", "printed", "print"]);
  const cols = [48, 204, 288, 430];
  // The column is narrow: conditions whose names are all long are passed over.
  const shortCondition = () => {
    for (;;) {
      const reason = list.chronic(), shown = [reason.written, reason.name, ...reason.also].find((name) => name.length < 26);
      if (shown) return { ...reason, shown };
    }
  };
  const table = (title, items, status, reasons) => {
    paper.heading(title, { size: 10.5 }).row(cols, ["Active ingredient", "Strength", "How to take", "Reason"], { bold: true, size: 9 });
    for (const item of items) {
      const reason = reasons ? shortCondition() : null;
      paper.row(cols, [item.written, item.strength, item.sig + (item.isPrn ? " as needed" : ""), reason ? reason.shown : ""], { advance: 18 }).medication(item, status);
      if (reason) paper.condition(reason);
    }
  };
  table("Regular medication", [drug.order(), drug.order(), drug.order(), drug.order(), drug.pair()], "current", true);
  table("Taken at certain times", [drug.device(), drug.device()], "current", false);
  table(random.pick(["No longer to be taken", "Discontinued"]), [drug.order(), drug.order()], "stopped", false);
  paper.gap(10).line("Allergies and intolerances: none known").noAllergies("none known");
  return paper.done();
}

function card(random) {
  const here = place(random, "ca"), who = cast(random, "ca"), patient = who.patient(), doctor = who.doctor(), spouse = who.relative(random.pick(["female", "male"])), date = dateIn(random, 2023, 2025), drug = pharmacy(random, "us"), allergy = allergies(random), list = clinic(random);
  const paper = new Paper({ left: 54, right: 558, size: 9.5, footer: (p) => p.centre(`${here.town} Family Health Team   ${here.phone}`, { size: 8 }) });
  paper.centre("MY MEDICINES", { size: 18, bold: true }).gap(4);
  paper.columns(() => {
    paper.line("About me", { bold: true, size: 11 }).line(patient.name).line(`Born: ${patient.birth.as("long")}`).line(`Emergency contact: ${spouse.name} (${random.pick(["spouse", "sibling"])})`, { size: 9 }).patient(patient);
  }, () => {
    paper.line("About this list", { bold: true, size: 11 }).line(`Date: ${date.as("long")}`).line(`Family doctor: Dr. ${doctor.name}`).line(`Clinic: ${here.street}`, { size: 9 }).date("document", date, ["date"]).provider(doctor, "other");
  });
  paper.gap(8).rule();
  const items = [drug.order(), drug.order(), drug.device(), drug.order(), drug.pair(), drug.order(), drug.order(), drug.order()];
  const prose = (list, status) => () => {
    paper.line(status === "current" ? random.pick(["I take", "Medicines I take now"]) : random.pick(["I no longer take", "STOPPED"]), { bold: true, size: 11 });
    for (const item of list) {
      paper.line(item.written, { bold: true }).line(`${item.strength}, ${item.sig}${item.prn}`, { x: paper.left + 8, advance: 17 }).medication(item, status);
    }
  };
  const old = [drug.order(), drug.order(), drug.order()];
  paper.columns(prose(items, "current"), () => {
    prose(old, "stopped")();
    paper.gap(8).line("Allergies", { bold: true, size: 11 });
    for (const react of [allergy(), allergy()]) paper.line(`${react.Written}: ${react.reaction}`).allergy(react);
    paper.gap(8).line("My conditions", { bold: true, size: 11 });
    for (const item of [list.chronic(), list.chronic(), list.chronic()]) paper.line(item.Written).condition(item);
    paper.gap(8).line("Runs in my family", { bold: true, size: 11 });
    const fam = list.family();
    paper.line(`${fam.Written} (${random.pick(["mother", "sister", "grandfather"])})`).condition(fam, "family");
    const soon = drug.order();
    paper.gap(8).line("Will start next month", { bold: true, size: 11 }).line(soon.written, { bold: true }).line(`${soon.strength}, ${soon.sig}${soon.prn}`, { x: paper.left + 8 }).medication(soon, "planned");
  });
  return paper.done();
}

const layouts = { reconciliation, timetable, card };
export default template("medication-list", layouts);
