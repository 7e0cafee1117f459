// Notes of visits: SOAP with vital signs, short notes in British style, and a problem list in two columns.
import { allergies, cast, clinic, clock, dateIn, laboratory, pharmacy, place, procedures, template, vitals } from "./kit/chance.mjs";
import { Paper } from "./kit/page.mjs";

function soap(random) {
  const here = place(random, "us"), who = cast(random, "us"), patient = who.patient(), doctor = who.doctor(), date = dateIn(random, 2023, 2025), drug = pharmacy(random, "us"), list = clinic(random), sign = vitals(random, false), lab = laboratory(random, "us", { abnormal: 0.5 }), allergy = allergies(random), procedure = procedures(random);
  const paper = new Paper({ left: 60, right: 556, header: (p) => p.line(`${patient.turned} | Progress note | ${date.as("us")}`, { size: 9 }).rule(),
    footer: (p, n, total) => p.row([60, 500], ["Generated from the electronic health record. Dictated but not proofread.", `${n} of ${total}`], { size: 8 }) });
  paper.line(random.pick(["Silver Creek Primary Care", "Piedmont Internists", "Canyon Medical Associates"]), { size: 15, bold: true }).line(`${here.street}, ${here.town} ${here.zip} | ${here.phone}`, { size: 8 }).rule();
  paper.row([60, 320], [`Patient: ${patient.turned}`, `Date of service: ${date.as("us")}`]).row([60, 320], [`DOB: ${patient.birth.as("us")}  Sex: ${patient.letter}`, `Provider: ${doctor.name}, MD`]);
  paper.patient(patient).date("document", date, ["date of service", "service", "visit", "visit date"]).provider(doctor, "author");
  const main = list.chronic(), second = list.chronic(), no = list.threat(), out = list.threat(), maybe = list.threat(), fam = list.family(), past = list.past(), done = procedure(), plan = procedure();
  const year = random.int(1998, 2018);
  paper.heading("S:").prose(`Here for follow-up of ${main.written} and ${second.written}. Denies any history of ${no.written}. Had ${past.written} in ${year}, fully recovered. Mother died of ${fam.written}.`);
  paper.condition(main).condition(second).condition(no, "ruled_out").condition(past, "historical").condition(fam, "family");
  paper.prose(`Past surgical history: ${done.written} (${year + 3}).`).procedure(done, "historical");
  const react = allergy();
  paper.prose(`Allergies: ${react.written} - ${react.reaction}.`).allergy(react);
  paper.heading("Current Meds:");
  for (const item of [drug.order(), drug.order(), drug.order(), drug.pair(), drug.device()]) paper.line(item.text, { x: 74 }).medication(item);
  paper.heading("O:").prose(`Vitals: ${sign.pressure.short}  ${sign.pulse.short}  ${sign.breaths.short}  ${sign.heat.short}  ${sign.oxygen.short}  ${sign.weight.short}`);
  for (const item of Object.values(sign)) paper.vital(item);
  const results = [lab.take(), lab.take(), lab.take()];
  paper.prose(`Labs reviewed: ${results.map((r) => `${r.written} ${r.shown}${r.unit === "%" ? "" : " "}${r.unit}${r.flag ? ` (${r.flag})` : ""}`.replace(" (", " (")).join("; ")}.`);
  results.forEach((r) => paper.lab({ ...r, fact: { ...r.fact, low: null, high: null, abnormal: r.fact.flag } }));
  const changed = drug.changed(), gone = drug.order(), fresh = drug.order(), time = clock(random), next = date.plus(random.int(28, 90));
  paper.heading("A/P:");
  paper.prose(`1. ${main.Written}: ${Number(changed.old.value.dose) < Number(changed.value.dose) ? "increase" : "decrease"} ${changed.written} from ${changed.old.text} to ${changed.strength} ${changed.sig}${changed.prn}.`).medication(changed, "changed", { previous: changed.old.value });
  paper.prose(`2. Discontinue ${gone.written} ${gone.strength} ${gone.sig}${gone.prn}.`).medication(gone, "stopped");
  paper.prose(`3. Start ${fresh.written} ${fresh.strength} ${fresh.sig}${fresh.prn}.`).medication(fresh);
  paper.prose(`4. ${out.Written} has been ruled out. Possible ${maybe.written}; will schedule ${plan.written}.`).condition(out, "ruled_out").condition(maybe, "suspected").procedure(plan, "planned");
  paper.prose(`5. Return to clinic ${next.as("us")} at ${time}.`).appointment(next, { time });
  paper.gap(16).line(`Electronically signed by ${doctor.name}, MD on ${date.as("us")}`, { size: 9 });
  return paper.done();
}

function shortBritish(random) {
  const here = place(random, "uk"), who = cast(random, "uk"), patient = who.patient(), doctor = who.doctor(), gp = who.doctor(), date = dateIn(random, 2023, 2025), drug = pharmacy(random, "uk"), list = clinic(random), sign = vitals(random, true), lab = laboratory(random, "si", { abnormal: 0.5 });
  const paper = new Paper({ left: 66, right: 546, size: 10.5, footer: (p, n) => p.centre(`Page ${n}`, { size: 8 }) });
  paper.row([66, 340], [`${here.town} Community Clinic`, `Clinic date: ${date.as("uk")}`], { bold: true }).row([66, 340], [here.street, `Dictated by: Dr ${doctor.name}`]).row([66, 340], [here.zip, `cc: Dr ${gp.name}`]).gap(8);
  paper.date("document", date, ["clinic date", "clinic", "visit"]).provider(doctor, "author").provider(gp, "recipient");
  paper.line(`${patient.title} ${patient.name}   DOB: ${patient.birth.as("uk")}   Hosp no ${here.number}`, { bold: true }).patient(patient).rule();
  const current = [list.chronic(), list.chronic(), list.chronic()], query = list.threat(), none = list.threat(), nil = list.threat(), fam = list.family();
  paper.line("Diagnoses:", { bold: true });
  current.forEach((item, i) => paper.line(`${i + 1}. ${item.Written}`, { x: 80 }).condition(item));
  paper.line(`${current.length + 1}. ?${query.Written}`, { x: 80 }).condition(query, "suspected");
  paper.gap(4).line("Medication:", { bold: true });
  for (const item of [drug.order(), drug.order(), drug.order(), drug.device(), drug.pair()]) paper.line(item.text, { x: 80 }).medication(item);
  const stopped = drug.order();
  paper.gap(4).line("Stopped today:", { bold: true }).line(stopped.text, { x: 80 }).medication(stopped, "stopped");
  paper.gap(4).line("NKDA", { bold: true }).noAllergies("NKDA").gap(4);
  paper.prose(`I reviewed this ${random.pick(["pleasant", "retired"])} patient today. ${sign.pressure.long}, ${sign.pulse.long.toLowerCase()} and ${sign.weight.long.toLowerCase()}. There is nothing to suggest ${none.written} and ${patient.he} is without ${nil.written}. There is a family history of ${fam.written} in a sister.`);
  paper.vital(sign.pressure).vital(sign.pulse).vital(sign.weight).condition(none, "ruled_out").condition(nil, "ruled_out").condition(fam, "family").gap(6);
  const [a, b] = [lab.take(), lab.take()];
  paper.prose(`${patient.His} most recent ${a.written} was ${a.shown} ${a.unit} (${a.range}) and ${b.written} ${b.shown} ${b.unit} (${b.range}).`.replace(/ +/g, " ")).lab({ ...a, fact: { ...a.fact, flag: null } }).lab({ ...b, fact: { ...b.fact, flag: null } }).gap(6);
  const plan = procedures(random)(), next = date.plus(random.int(60, 180)), time = clock(random);
  paper.line("Plan", { bold: true }).line(`- Arrange ${plan.written}`).procedure(plan, "planned").line(`- See again on ${next.as("uk")} at ${time}`).appointment(next, { time });
  paper.gap(30).line(`Dr ${doctor.name}, Specialist Registrar`);
  return paper.done();
}

function twoColumns(random) {
  const here = place(random, "in"), who = cast(random, "in"), patient = who.patient(), doctor = who.doctor(), date = dateIn(random, 2023, 2025), drug = pharmacy(random, "uk"), list = clinic(random), sign = vitals(random, true), lab = laboratory(random, "us", { abnormal: 0.5 }), allergy = allergies(random);
  const paper = new Paper({ left: 40, right: 572, size: 9, footer: (p, n, total) => p.row([40, 520], [`${here.street}, ${here.town} ${here.zip}   ${here.phone}`, `${n}/${total}`], { size: 7.5 }) });
  paper.line(random.pick(["Sanjeevani Heart & Diabetes Centre", "Lotus Multispeciality Clinic"]), { size: 15, bold: true }).line("OPD VISIT NOTE", { size: 11 }).rule();
  paper.row([40, 230, 400], [`Name: ${patient.name}`, `D.O.B: ${patient.birth.as("uk")}`, `Visit: ${date.as("uk")}`]).row([40, 230], [`UHID: ${here.code}`, `Consultant: Dr. ${doctor.name}`]).rule();
  paper.patient(patient).date("document", date, ["visit", "visit date"]).provider(doctor, "author");
  const problems = [list.chronic(), list.chronic(), list.acute()], fam = list.family(), off = list.threat(), may = list.threat(), react = allergy(), results = lab.some(4), old = list.past();
  const year = random.int(2001, 2017);
  paper.columns(() => {
    paper.line("Active problems", { bold: true, size: 10.5 });
    problems.forEach((item) => paper.line(`- ${item.Written}`).condition(item));
    paper.gap(5).line("Old history", { bold: true, size: 10.5 }).line(`- ${old.Written}, ${year}`).condition(old, "historical");
    paper.gap(5).line("Family history", { bold: true, size: 10.5 }).line(`- ${fam.Written}: ${random.pick(["father", "elder brother"])}`).condition(fam, "family");
    paper.gap(5).line("Allergy", { bold: true, size: 10.5 }).line(`- ${react.Written}: ${react.reaction}`).allergy(react);
    paper.gap(5).line("Impression", { bold: true, size: 10.5 }).line(`- Rule out ${may.written}`).condition(may, "suspected").line(`- ${off.Written}: excluded`).condition(off, "ruled_out");
  }, () => {
    paper.line("Vitals", { bold: true, size: 10.5 });
    for (const item of [sign.pressure, sign.pulse, sign.oxygen, sign.heat, sign.weight]) paper.line(`- ${item.long}`).vital(item);
    paper.gap(5).line("Investigations", { bold: true, size: 10.5 });
    for (const r of results) paper.line(`- ${r.written}: ${r.shown} ${r.unit} (N: ${r.range})`.replace("  ", " ")).lab({ ...r, fact: { ...r.fact, flag: null } });
  });
  paper.gap(10).line("Rx", { size: 14, bold: true });
  for (const item of [drug.order(), drug.order(), drug.pair(), drug.order(), drug.device()]) paper.line(item.text).medication(item);
  const gone = drug.order(), next = date.plus(random.int(15, 60));
  paper.gap(4).line(`To stop: ${gone.text}`).medication(gone, "stopped");
  paper.gap(6).line(`Next visit: ${next.as("uk")}`).appointment(next);
  paper.gap(36).row([400], [`Dr. ${doctor.name}`]);
  return paper.done();
}

const layouts = { soap, shortBritish, twoColumns };
export default template("clinic-note", layouts);
