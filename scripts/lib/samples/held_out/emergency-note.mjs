// Notes of emergency departments: triage vital signs, results, drugs given there, and what was ruled out.
import { allergies, cast, clinic, clock, dateIn, findings, laboratory, pharmacy, place, procedures, template, vitals } from "./kit/chance.mjs";
import { Paper } from "./kit/page.mjs";

function scene(random, country, style, region) {
  const who = cast(random, country);
  return { here: place(random, country), who, patient: who.patient({ from: 1936, to: 2004 }), doctor: who.doctor(), date: dateIn(random, 2023, 2025), drug: pharmacy(random, style), list: clinic(random), lab: laboratory(random, region, { abnormal: 0.5 }), sign: vitals(random, country !== "us"), allergy: allergies(random), procedure: procedures(random), chest: findings(random, "chest") };
}
const seen = ["arrival", "date of service", "visit", "visit date", "date of visit", "arrived", "date of attendance", "attendance", "date"];
const unflagged = (r) => ({ ...r, fact: { ...r.fact, flag: null } });

function american(random) {
  const { here, who, patient, doctor, date, drug, list, lab, sign, allergy, chest } = scene(random, "us", "us", "us");
  const nurse = who.doctor(), pcp = who.doctor(), husband = who.relative("male");
  const paper = new Paper({ left: 50, right: 566, size: 9.5, header: (p) => p.line(`${patient.turned}   ED Physician Note   ${date.as("us")}`, { bold: true }).rule(),
    footer: (p, n, total) => p.row([50, 500], ["Not part of the permanent record unless signed.", `Page ${n} of ${total}`], { size: 8 }) });
  paper.line(`${random.pick(["Copper Ridge", "Oak Harbor", "St. Dominic"])} Emergency Department`, { size: 15, bold: true }).line(`${here.street}, ${here.town} ${here.zip}   ${here.phone}`, { size: 8 }).rule();
  paper.row([50, 230, 400], [`Name: ${patient.turned}`, `DOB: ${patient.birth.as("us")}`, `Arrival: ${date.as("us")}`]).row([50, 230, 400], [`MRN: ${here.number}`, `Sex: ${patient.sex}`, `Accompanied by: ${husband.first}`]);
  paper.row([50, 230, 400], [`ED physician: ${doctor.name}, MD`, "", `PCP: ${pcp.name}, MD`]).line(`Triage nurse: ${nurse.name}, RN`);
  paper.patient(patient).date("document", date, seen).provider(doctor, "attending").provider(pcp, "other").provider(nurse, "other");
  paper.heading("TRIAGE VITALS");
  const cols = [50, 130, 190, 250, 330];
  paper.row(cols, ["BP", "HR", "RR", "Temp", "SpO2"], { bold: true }).row(cols, [`${sign.pressure.value.systolic}/${sign.pressure.value.diastolic}`, sign.pulse.value.value, sign.breaths.value.value, `${sign.heat.value.value.toFixed(1)} F`, `${sign.oxygen.value.value}% RA`]);
  for (const item of [sign.pressure, sign.pulse, sign.breaths, sign.heat, sign.oxygen]) paper.vital(item);
  const old = list.chronic(), past = list.past(), fam = list.family(), none = list.threat(), out = list.threat(), low = list.threat(), main = list.acute(), react = allergy(), year = random.int(2000, 2019);
  paper.heading("HISTORY").prose(`Known ${old.written}. ${past.Written} in ${year}, resolved. Denies ${none.written}. Sister has ${fam.written}. Allergic to ${react.written} (${react.reaction}).`);
  paper.condition(old).condition(past, "historical").condition(none, "ruled_out").condition(fam, "family").allergy(react);
  paper.heading("HOME MEDS");
  for (const item of [drug.order(), drug.order(), drug.order(), drug.device()]) paper.line(item.text).medication(item);
  paper.heading("ED RESULTS").row([50, 130, 200, 300, 420], ["Result", "Flag", "Units", "Test", "Reference"], { bold: true, size: 8.5 });
  for (const r of lab.some(random.int(7, 9))) paper.row([50, 130, 200, 300, 420], [r.shown, r.flag, r.unit, r.written, r.range]).lab(r);
  const a = chest(), b = chest();
  paper.gap(4).prose(`Chest X-ray shows ${a.written}. No ${b.written}.`).procedure({ name: "chest x-ray", also: ["chest radiograph", "chest radiography", "X-ray"] }).finding(a).finding(b, "ruled_out");
  paper.heading("GIVEN IN THE ED");
  for (const item of [drug.hospital(), drug.hospital()]) paper.line(`${item.written} ${item.strength} ${item.form} ${item.sig}`).medication(item, "historical");
  paper.heading("MEDICAL DECISION MAKING").prose(`${out.Written} was ruled out. ${low.Written} is unlikely.`).condition(out, "ruled_out").condition(low, "ruled_out");
  paper.heading("DIAGNOSIS").line(main.Written).condition(main);
  const next = date.plus(random.int(2, 14)), time = clock(random), gone = drug.order(), fresh = [drug.pair(), drug.order()];
  paper.heading("DISPOSITION: HOME").line("New prescriptions:", { bold: true });
  for (const item of fresh) paper.line(item.text).medication(item);
  paper.line("Stop taking:", { bold: true }).line(gone.text).medication(gone, "stopped").line(`Follow up with ${pcp.name}, MD on ${next.as("us")} at ${time}.`).appointment(next, { time, who: pcp.name });
  return paper.done();
}

function british(random) {
  const { here, who, patient, doctor, date, drug, list, lab, sign, procedure } = scene(random, "uk", "uk", "si");
  const gp = who.doctor();
  const paper = new Paper({ left: 60, right: 552, size: 10, leading: 1.5, footer: (p, n, total) => p.centre(`Emergency Department discharge letter - ${n} of ${total}`, { size: 8 }) });
  paper.line(`${here.town} University Hospital`, { size: 14, bold: true }).line(`Emergency Department, ${here.street}, ${here.zip}   ${here.phone}`, { size: 8.5 }).rule();
  paper.line(`Dear Dr ${gp.name}`).provider(gp, "recipient").gap(2).line(`${patient.loud}   DOB ${patient.birth.as("uk")}`, { bold: true }).patient(patient).line(`Date of attendance: ${date.as("uk")}`).date("document", date, seen).gap(4);
  const main = list.acute(), out = list.threat(), none = list.threat(), maybe = list.threat(), back = list.chronic(), fam = list.family();
  paper.prose(`Diagnosis: ${main.written}. Background of ${back.written}. Family history: ${fam.written} (grandmother).`).condition(main).condition(back).condition(fam, "family");
  paper.prose(`Observations: ${sign.pressure.short}, ${sign.pulse.short}, ${sign.breaths.short}, ${sign.oxygen.short}, ${sign.heat.short}.`);
  for (const item of [sign.pressure, sign.pulse, sign.breaths, sign.oxygen, sign.heat]) paper.vital(item);
  const results = lab.some(5);
  paper.gap(4).prose(`Bloods: ${results.map((r) => `${r.written} ${r.shown} ${r.unit} (${r.range})`.replace("  ", " ")).join("; ")}.`);
  results.forEach((r) => paper.lab(unflagged(r)));
  paper.gap(4).prose(`${out.Written} was ruled out by serial testing. There was no evidence of ${none.written}. ?${maybe.written}, for outpatient work-up.`).condition(out, "ruled_out").condition(none, "ruled_out").condition(maybe, "suspected").gap(4);
  const done = procedure(), plan = procedure(), inside = [drug.hospital(), drug.order()];
  paper.prose(`Procedures in department: ${done.written}.`).procedure(done, "current");
  paper.line("Treatment in department only:", { bold: true });
  for (const item of inside) paper.line(`${item.written} ${item.strength} ${item.sig}`, { x: 74 }).medication({ ...item, value: { dose: item.value.dose, unit: item.value.unit, frequency: item.value.frequency } }, "historical");
  paper.line("Allergies: NKDA").noAllergies("NKDA").line("To take home:", { bold: true });
  for (const item of [drug.order(), drug.pair(), drug.device()]) paper.line(item.text, { x: 74 }).medication(item);
  const changed = drug.changed();
  paper.line("Dose changes:", { bold: true }).line(`${changed.text} (was ${changed.old.text})`, { x: 74 }).medication(changed, "changed", { previous: changed.old.value });
  const next = date.plus(random.int(5, 30)), time = clock(random);
  paper.line("Plan:", { bold: true }).line(`GP to request ${plan.written}`, { x: 74 }).procedure(plan, "planned").line(`Ambulatory clinic ${next.as("uk")} at ${time}`, { x: 74 }).appointment(next, { time, also: ["ambulatory clinic"] });
  paper.gap(20).line(`Dr ${doctor.name}, Emergency Medicine`).provider(doctor, "author");
  return paper.done();
}

function twoColumns(random) {
  const { here, who, patient, doctor, date, drug, list, lab, sign, allergy } = scene(random, "ca", "us", "si");
  const kin = who.relative("female");
  const paper = new Paper({ left: 40, right: 572, size: 9, footer: (p, n, total) => p.row([40, 510], ["White copy: chart. Yellow copy: family physician.", `${n}/${total}`], { size: 7.5 }) });
  paper.line(`${here.town.split(",")[0]} General - Emergency Record`, { size: 14, bold: true }).line(`${here.street}, ${here.zip}   ${here.phone}`, { size: 8 }).rule();
  paper.row([40, 220, 400], [patient.loud, `DOB ${patient.birth.as("iso")}`, `Visit date ${date.as("iso")}`], { bold: true }).row([40, 320], [`Contact: ${kin.name} (sister)`, `Physician: Dr. ${doctor.name}`]).rule();
  paper.patient(patient).date("document", date, seen).provider(doctor, "attending");
  const chronic = [list.chronic(), list.chronic()], out = list.threat(), never = list.threat(), ask = list.threat(), main = list.acute(), react = [allergy(), allergy()], fam = list.family();
  const title = (text) => paper.gap(4).line(text, { bold: true, size: 10 });
  paper.columns(() => {
    title("Vital signs");
    for (const item of Object.values(sign)) paper.line(item.long).vital(item);
    title("Allergies");
    react.forEach((item) => paper.line(`${item.Written} - ${item.reaction}`).allergy(item));
    title("Background");
    chronic.forEach((item) => paper.line(item.Written).condition(item));
    title("Family");
    paper.line(`Father: ${fam.written}`).condition(fam, "family");
    title("Meds at home");
    for (const item of [drug.order(), drug.order(), drug.order(), drug.pair()]) paper.line(`${item.written} ${item.strength}`).line(`${item.sig}${item.prn}`, { x: paper.left + 10 }).medication(item);
  }, () => {
    title("Bloodwork");
    const at = [0, 34, 58, 122, 208].map((x) => paper.left + x);
    paper.row(at, ["Value", "Flag", "Unit", "Test", "Normal"], { bold: true, size: 8 });
    for (const r of lab.some(9)) paper.row(at, [r.shown, r.flag, r.unit, r.written.length > 15 ? r.also.concat(r.name).sort((x, y) => x.length - y.length)[0] : r.written, r.range]).lab(r);
    title("Thinking");
    paper.line(`R/O ${ask.written}`).condition(ask, "suspected").line(`${out.Written} ruled out`).condition(out, "ruled_out").line(`No signs of ${never.written}`).condition(never, "ruled_out");
    title("Final diagnosis");
    paper.line(main.Written).condition(main);
  });
  const given = drug.hospital(), fresh = drug.order(), gone = drug.order(), next = date.plus(random.int(3, 21)), time = clock(random);
  title("Given in ED only");
  paper.line(`${given.written} ${given.strength} ${given.form} ${given.sig}`).medication(given, "historical");
  title("Start");
  paper.line(fresh.text).medication(fresh);
  title("STOP");
  paper.line(gone.text).medication(gone, "stopped");
  title("Return");
  paper.line(`Follow-up visit ${next.as("iso")} at ${time}`).appointment(next, { time }).gap(24).line(`Signature: Dr. ${doctor.name}`);
  return paper.done();
}

const layouts = { american, british, twoColumns };
export default template("emergency-note", layouts);
