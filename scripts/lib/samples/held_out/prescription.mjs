// Prescriptions and e-prescription forms: SIG lines, British Latin, boxes, and drugs of combinations and devices.
import { allergies, cast, clinic, dateIn, pharmacy, place, template } from "./kit/chance.mjs";
import { Paper } from "./kit/page.mjs";

const route = { tablet: "PO", capsule: "PO", pen: "SC", inhaler: "INH" };
const several = (form, count) => (count === 1 ? form : `${form}s`);

function sigLines(random) {
  const here = place(random, "us"), who = cast(random, "us"), patient = who.patient(), doctor = who.doctor(), date = dateIn(random, 2023, 2025, true), drug = pharmacy(random, "us"), list = clinic(random), allergy = allergies(random);
  const paper = new Paper({ left: 64, right: 548, size: 10.5, footer: (p) => p.centre("Void if altered. Security features: coloured background, microprint line.", { size: 7.5 }) });
  paper.centre(`${doctor.name}, MD`, { size: 16, bold: true }).centre(random.pick(["Family Medicine", "Internal Medicine", "Geriatrics"]), { size: 10 });
  paper.centre(`${here.street}, ${here.town} ${here.zip}   Tel ${here.phone}`, { size: 8.5 }).centre(`NPI 1${here.number}03   DEA BX${here.number}1`, { size: 8 }).rule();
  paper.provider(doctor, "prescriber");
  paper.row([64, 340], [`Name: ${patient.name}`, `Date: ${date.as("us")}`]).row([64, 340], [`DOB: ${patient.birth.as("us")}`, `Sex: ${patient.letter}`]).line(`Address: ${random.int(10, 99)} Quarry Road, ${here.town}`);
  paper.patient(patient).date("document", date, ["date", "written"]);
  if (random.chance(0.5)) { const react = allergy(); paper.line(`Allergies: ${react.written} (${react.reaction})`).allergy(react); } else paper.line("Allergies: NKDA").noAllergies("NKDA");
  const why = list.chronic();
  paper.line(`Dx: ${why.Written}`).condition(why);
  paper.gap(6).line("Rx", { size: 22, bold: true, advance: 24 });
  const items = [drug.order(), drug.order(), drug.pair(), drug.device(), drug.order()].slice(0, random.int(4, 5));
  items.forEach((item, i) => {
    const count = random.pick([14, 20, 30, 60, 90]), refills = random.int(0, 5);
    const isPuff = item.form === "inhaler", isPen = item.form === "pen";
    paper.need(58);
    paper.line(isPuff ? `${i + 1}) ${item.written} inhaler` : `${i + 1}) ${item.written} ${item.strength} ${isPen ? "" : several(item.form, 1)}`.trim(), { bold: true });
    const many = isPuff ? `inhale ${item.strength}` : isPen ? `inject ${item.strength} ${route.pen}` : `take one ${item.form} ${random.pick(["by mouth", "PO"])}`;
    paper.line(`SIG: ${many} ${item.sig}${item.prn}`, { x: 82 });
    paper.line(`Disp: #${isPuff || isPen ? 1 : count}    Refills: ${refills}`, { x: 82, advance: 20 });
    paper.medication(item, "current", { refills, quantity: isPuff || isPen ? 1 : count });
  });
  paper.gap(20).row([64, 330], ["[ ] Dispense as written   [x] Substitution permitted", "_____________________________"], { size: 9 });
  paper.row([330], ["Signature"], { size: 8 });
  return paper.done();
}

function british(random) {
  const here = place(random, "uk"), who = cast(random, "uk"), patient = who.patient({ from: 1935, to: 2005 }), doctor = who.doctor(), date = dateIn(random, 2023, 2025), drug = pharmacy(random, "uk"), chemist = who.relative("female");
  const paper = new Paper({ left: 56, right: 420, size: 10, footer: (p) => p.line("FP10NC Rev.   Pharmacy stamp overleaf.", { size: 7.5 }) });
  paper.columns(() => {
    paper.line("Title, forename, surname & address", { size: 7.5 }).line(`${patient.title} ${patient.name}`, { bold: true }).line(here.street).line(`${here.town} ${here.zip}`).patient(patient);
  }, () => {
    paper.line("Age / D.o.B.", { size: 7.5 }).line(patient.birth.as("uk")).line("NHS number", { size: 7.5 }).line(`94${random.int(1, 9)} ${here.number.slice(0, 3)} ${here.number.slice(2, 6)}`);
  });
  paper.gap(8).rule();
  const items = [drug.order(), drug.pair(), drug.device(), drug.order(), drug.order(), drug.order()].slice(0, random.int(4, 6));
  for (const item of items) {
    const days = random.pick([5, 7, 14, 28]);
    const form = item.form === "inhaler" ? "inhaler" : item.form === "pen" ? "pre-filled pen" : `${item.form}s`;
    paper.need(44);
    if (item.form === "inhaler" || item.form === "pen") paper.line(`${item.written} ${form}`, { bold: true }).line(`${item.strength} ${item.sig}${item.prn}`);
    else paper.line(`${item.written} ${item.strength} ${form}`, { bold: true }).line(`1 ${item.sig}${item.prn} for ${days} days`);
    paper.gap(8).medication(item, "current", item.form === "inhaler" || item.form === "pen" ? {} : { days });
  }
  paper.rule().line(`Signature of prescriber: Dr ${doctor.name}`).line(`Date: ${date.as("uk")}`).provider(doctor, "prescriber").date("document", date, ["date"]);
  paper.line(`Prescriber code ${here.number}   ${here.phone}`, { size: 8 });
  paper.gap(10).line(`Dispensed and checked by ${chemist.name}, pharmacist`, { size: 8.5 }).provider(chemist, "other");
  return paper.done();
}

function indian(random) {
  const here = place(random, "in"), who = cast(random, "in"), patient = who.patient(), doctor = who.doctor(), date = dateIn(random, 2023, 2025), drug = pharmacy(random, "uk"), list = clinic(random), sign = vitals(random), next = date.plus(random.int(7, 60));
  const paper = new Paper({ left: 50, right: 560, footer: (p) => p.centre("Not valid for medico-legal purposes. Timings: Mon-Sat 10 am - 1 pm, 5 pm - 8 pm. Sunday closed.", { size: 7.5 }) });
  paper.row([50, 350], [`Dr. ${doctor.name}`, random.pick(["Shanti Polyclinic", "Arogya Speciality Clinic"])], { size: 14, bold: true });
  paper.row([50, 350], ["MBBS, MD (General Medicine)", `${here.street}, ${here.town} ${here.zip}`], { size: 8.5 }).row([50, 350], [`Regd. No. ${here.number}`, `Ph: ${here.phone}`], { size: 8.5 }).rule();
  paper.provider(doctor, "prescriber");
  paper.row([50, 250, 400], [`Pt: ${patient.name}`, `DOB: ${patient.birth.as("dash")} / ${patient.letter}`, `Date: ${date.as("dash")}`]).patient(patient).date("document", date, ["date"]);
  paper.row([50], [`${sign.pressure.short} mmHg    Pulse: ${sign.pulse.value.value}/min    Wt: ${sign.weight.value.value} kg`]).vital(sign.pressure).vital(sign.pulse).vital(sign.weight);
  const dx = list.acute(), rule = list.threat(), old = list.chronic();
  paper.line(`Dx: ${dx.Written}, K/C/O ${old.written}`).condition(dx).condition(old).line(`R/O ${rule.written}`).condition(rule, "suspected");
  paper.gap(8);
  const items = [drug.order(), drug.order(), drug.pair(), drug.order(), drug.device()];
  const cols = [50, 76, 260, 350, 450];
  paper.row(cols, ["No", "Medicine", "Dose", "When", "Duration"], { bold: true });
  items.forEach((item, i) => {
    const days = random.pick([3, 5, 7, 10, 30]);
    const short = { tablet: "Tab.", capsule: "Cap.", pen: "Inj.", inhaler: "Inh." }[item.form];
    paper.row(cols, [i + 1, `${short} ${item.written}`, item.strength, `${item.sig}${item.isPrn ? " SOS" : ""}`, `x ${days} days`], { advance: 19 }).medication(item, "current", { days });
  });
  paper.gap(10).line("Advice: plenty of fluids, low salt diet, walk 30 minutes.");
  paper.line(`Review on ${next.as("dash")}`).appointment(next);
  paper.gap(40).row([400], ["(Signature & seal)"], { size: 8.5 });
  return paper.done();
}

function vitals(random) {
  const sign = (name, also, value, short) => ({ name, also, value, short });
  const [a, b] = [random.int(100, 170), random.int(58, 98)];
  return { pressure: sign("blood pressure", ["BP"], { systolic: a, diastolic: b, unit: "mmHg" }, `BP: ${a}/${b}`), pulse: sign("heart rate", ["pulse", "HR"], { value: random.int(56, 118), unit: "bpm" }), weight: sign("weight", ["wt", "body weight"], { value: random.int(44, 104), unit: "kg" }) };
}

const layouts = { sigLines, british, indian };
export default template("prescription", layouts);
