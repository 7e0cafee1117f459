// Records of vaccines: tables by date, tables by vaccine with several doses, and a school certificate.
import { allergies, cast, dateIn, pile, place, template } from "./kit/chance.mjs";
import { Paper } from "./kit/page.mjs";
import { vaccines } from "./kit/vocabulary.mjs";

// The first COVID-19 vaccines are of 2021: records of earlier years are without them.
function fridge(random, isRecent = false) {
  const cards = pile(random, vaccines.filter((line) => isRecent || !line.startsWith("covid")));
  return () => {
    const [names, brands] = cards.take().split(";");
    const [name, label, ...also] = names.split("|");
    return { name, also: [label, ...also, brands, `${label} vaccine`], label, brand: brands };
  };
}
const lot = (random) => `${random.pick([..."ABEKLRT"])}${random.int(1000, 9899)}${random.pick([..."CDFHX"])}`;
const given = (paper, vaccine, date) => paper.fact("immunisation", vaccine.name, { also: vaccine.also, value: { date: date.iso } });
const due = (paper, vaccine, date) => paper.fact("immunisation", vaccine.name, { also: vaccine.also, status: "planned", value: date ? { date: date.iso } : {} });

function byDate(random) {
  const here = place(random, "us"), who = cast(random, "us"), patient = who.patient({ from: 1990, to: 2019 }), parent = who.relative("female"), doctor = who.doctor(), printed = dateIn(random, 2024, 2025, true), next = fridge(random, true), allergy = allergies(random);
  const cols = [46, 120, 300, 386, 452];
  const paper = new Paper({ left: 46, right: 566, size: 9.5, footer: (p, n, total) => p.row([46, 500], ["Official record of the state immunization information system", `Page ${n} of ${total}`], { size: 8 }) });
  paper.line("IMMUNIZATION RECORD", { size: 16, bold: true }).line(`${random.pick(["Maplewood Pediatrics", "Franklin County Health Department", "Westside Travel Clinic"])}, ${here.street}, ${here.town} ${here.zip}`, { size: 8.5 }).rule();
  paper.row([46, 320], [`Patient: ${patient.turned}`, `Date of birth: ${patient.birth.as("us")}`]).row([46, 320], [`Parent/guardian: ${parent.turned}`, `Printed: ${printed.as("us")}`]).row([46, 320], [`Registry ID: ${here.number}`, `PCP: ${doctor.name}, MD`]);
  paper.patient(patient).date("document", printed, ["printed", "date"]).provider(doctor, "other");
  paper.gap(6).row(cols, ["Date given", "Vaccine", "Lot", "Site", "Given by"], { bold: true }).rule();
  let day = dateIn(random, 2021, 2021);
  for (let i = 0, count = random.int(7, 10); i < count; i++) {
    const vaccine = next();
    paper.row(cols, [day.as("us"), random.chance(0.5) ? `${vaccine.label} (${vaccine.brand})` : vaccine.label, lot(random), random.pick(["L deltoid", "R deltoid", "L thigh"]), `${random.pick([..."BCDJKM"])}${random.pick([..."AELRST"])}, RN`]);
    given(paper, vaccine, day);
    day = day.plus(random.int(20, 150));
  }
  const soon = [next(), next()];
  paper.heading("DUE / OVERDUE");
  for (const vaccine of soon) { const date = printed.plus(random.int(5, 200)); paper.row([46, 250], [vaccine.label, `due ${date.as("us")}`]); due(paper, vaccine, date); }
  paper.heading("Allergies and precautions");
  if (random.chance(0.5)) paper.line("No known allergies.").noAllergies("No known allergies");
  else { const react = allergy(); paper.line(`${react.Written}: ${react.reaction}`).allergy(react); }
  return paper.done();
}

function byVaccine(random) {
  const here = place(random, "au"), who = cast(random, "au"), patient = who.patient({ from: 1965, to: 2013 }), doctor = who.doctor(), issued = dateIn(random, 2024, 2025), next = fridge(random);
  const cols = [60, 210, 310, 410];
  const paper = new Paper({ left: 60, right: 552, footer: (p, n, total) => p.centre(`Immunisation history statement - page ${n} of ${total}`, { size: 8 }) });
  paper.line("Immunisation history statement", { size: 15, bold: true }).line(`As at ${issued.as("uk")}`).date("document", issued, ["as at", "date", "issued"]).gap(4);
  paper.line(`For: ${patient.name}`, { bold: true }).line(`Date of birth: ${patient.birth.as("uk")}`).patient(patient).line(`Provider: Dr ${doctor.name}, ${here.street}, ${here.town} ${here.zip}`).provider(doctor, "other").rule();
  paper.row(cols, ["Vaccine", "Dose 1", "Dose 2", "Dose 3"], { bold: true });
  for (let i = 0, count = random.int(6, 8); i < count; i++) {
    const vaccine = next(), dates = [dateIn(random, 2014, 2018)];
    for (let n = random.int(0, 2); n > 0; n--) dates.push(dates.at(-1).plus(random.int(28, 320)));
    paper.row(cols, [vaccine.label, ...dates.map((date) => date.as("uk"))], { advance: 18 });
    dates.forEach((date) => given(paper, vaccine, date));
  }
  paper.gap(8).line("Next immunisation(s) due", { bold: true });
  for (const vaccine of [next(), next()]) { const date = issued.plus(random.int(10, 300)); paper.row([60, 210], [vaccine.label, date.as("uk")]); due(paper, vaccine, date); }
  paper.gap(16).prose("This statement shows the vaccines that were reported to the register. If a vaccine is missing, please ask your provider to report it.", { size: 8.5 });
  return paper.done();
}

function certificate(random) {
  const country = random.pick(["ca", "in"]), here = place(random, country), who = cast(random, country), patient = who.patient({ from: 2004, to: 2017 }), mother = who.relative("female"), nurse = who.doctor(), doctor = who.doctor(), date = dateIn(random, 2023, 2025), next = fridge(random), allergy = allergies(random), react = allergy();
  const paper = new Paper({ left: 70, right: 544, size: 10.5, leading: 1.55, footer: (p, n, total) => p.centre(`${here.town} Public Health Unit  -  ${here.phone}  -  ${n}/${total}`, { size: 8 }) });
  paper.centre("CERTIFICATE OF VACCINATION", { size: 16, bold: true }).centre(`${here.street}, ${here.town} ${here.zip}`, { size: 9 }).gap(12);
  paper.prose(`This is to certify that ${patient.name}, born on ${patient.birth.as("long")}, child of ${mother.name}, has received the following vaccines:`).patient(patient).gap(6);
  for (let i = 0, count = random.int(5, 8), day = dateIn(random, 2019, 2021); i < count; i++, day = day.plus(random.int(30, 120))) {
    const vaccine = next();
    paper.line(`${i + 1}. ${vaccine.brand} (${vaccine.label}), given on ${day.as("long")}, lot ${lot(random)}`, { x: 84 });
    given(paper, vaccine, day);
  }
  const later = next(), when = date.plus(random.int(30, 300));
  paper.gap(6).prose(`${later.label} is due on ${when.as("long")}.`);
  due(paper, later, when);
  paper.prose(`Known allergy: ${react.written} (${react.reaction}).`).allergy(react).gap(10);
  paper.line(`Date of issue: ${date.as("long")}`).date("document", date, ["date of issue", "issue", "issued", "date"]);
  paper.line(`Vaccinating nurse: ${nurse.name}, RN`).provider(nurse, "other").line(`Medical officer: Dr. ${doctor.name}`).provider(doctor, "author").gap(30).line("(stamp)");
  return paper.done();
}

const layouts = { byDate, byVaccine, certificate };
export default template("immunisation-record", layouts);
