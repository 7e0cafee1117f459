// Summaries of hospital stays: lists of drugs that go on, begin, change and stop, drugs of the stay alone, and follow-up.
import { allergies, bare, cast, clinic, clock, dateIn, findings, laboratory, pharmacy, place, procedures, template, vitals } from "./kit/chance.mjs";
import { Paper } from "./kit/page.mjs";

const film = { name: "chest x-ray", also: ["Chest X-ray", "chest radiograph", "chest radiography", "X-ray"] };
const stay = (random) => { const admitted = dateIn(random, 2023, 2025); return { admitted, discharged: admitted.plus(random.int(2, 9)) }; };

function headings(random) {
  const here = place(random, "us"), who = cast(random, "us"), patient = who.patient(), attending = who.doctor(), pcp = who.doctor();
  const { admitted, discharged } = stay(random), drug = pharmacy(random, "us"), list = clinic(random), lab = laboratory(random, "us", { abnormal: 0.6 }), allergy = allergies(random), procedure = procedures(random);
  const hospital = random.pick(["Saint Cecilia Medical Center", "Prairie View Regional Hospital", "Mercy Valley Health"]);
  const paper = new Paper({ size: 11, footer: (p, n, total) => p.row([56, 490], [`${hospital} - Electronically signed by ${attending.name}, MD`, `Page ${n} of ${total}`], { size: 8 }),
    header: (p) => p.line(`${patient.turned} - Discharge Summary`, { bold: true }).rule() });
  paper.line(hospital, { size: 16, bold: true }).line(`${here.street}, ${here.town} ${here.zip}   ${here.phone}`, { size: 8 }).gap(4);
  paper.line("DISCHARGE SUMMARY", { size: 13, bold: true }).rule();
  paper.row([56, 330], [`Patient: ${patient.turned}`, `MRN: ${here.number}`]).row([56, 330], [`DOB: ${patient.birth.as("us")}`, `Sex: ${patient.letter}`]);
  paper.row([56, 330], [`Admission date: ${admitted.as("us")}`, `Discharge date: ${discharged.as("us")}`]);
  paper.row([56, 330], [`Attending: ${attending.turned}, MD`, `PCP: ${pcp.turned}, MD`]);
  paper.patient(patient).date("admitted", admitted, ["admission date", "admission"]).date("discharged", discharged, ["discharge date", "discharge"]).provider(attending, "attending").provider(pcp, "other");
  const main = list.acute(), out = list.threat(), second = list.threat(), fam = list.family();
  const chronics = [list.chronic(), list.chronic()];
  paper.heading("PRINCIPAL DIAGNOSIS").line(main.Written).condition(main);
  paper.heading("SECONDARY DIAGNOSES");
  chronics.forEach((item, i) => paper.line(`${i + 1}. ${item.Written}`).condition(item));
  const react = [allergy(), allergy()];
  paper.heading("ALLERGIES");
  react.forEach((item) => paper.line(random.chance(0.5) ? `${item.Written} - ${item.reaction}` : `${item.Written} (${item.reaction})`).allergy(item));
  const iv = [drug.hospital(), drug.hospital()], test = procedure(), ct = [bare(lab.take()), bare(lab.take())];
  paper.heading("HOSPITAL COURSE");
  paper.prose(`${patient.title}. ${patient.last} was started on ${iv[0].written} ${iv[0].strength} ${iv[0].form} ${iv[0].sig} in the emergency department and received ${iv[1].written} ${iv[1].strength} ${iv[1].form} ${iv[1].sig} during the stay; both were completed before discharge. ` +
    `${out.Written} was ruled out. There was no evidence of ${second.written}. ${patient.His} ${random.pick(["mother", "brother", "sister"])} has ${fam.written}.`);
  paper.medication(iv[0], "historical").medication(iv[1], "historical").condition(out, "ruled_out").condition(second, "ruled_out").condition(fam, "family").gap(4);
  paper.prose(`${test.Written} was performed on ${admitted.plus(1).as("us")} without complications. On the day of discharge ${ct[0].written} was ${ct[0].shown} ${ct[0].unit} and ${ct[1].written} was ${ct[1].shown} ${ct[1].unit}.`.replace(/ +/g, " "));
  paper.procedure(test, "current", admitted.plus(1)).lab(ct[0]).lab(ct[1]);
  paper.heading("DISCHARGE MEDICATIONS", { rule: true }).gap(3);
  paper.line(random.pick(["CONTINUE taking these medicines", "CONTINUE"]), { bold: true });
  for (const item of [drug.order(), drug.order(), drug.order(), drug.device()]) paper.line(`- ${item.text}`).medication(item);
  paper.gap(4).line(random.pick(["START taking these NEW medicines", "NEW MEDICATIONS"]), { bold: true });
  for (const item of [drug.pair(), drug.order()]) paper.line(`- ${item.text}`).medication(item);
  paper.gap(4).line(random.pick(["CHANGE how you take", "CHANGED MEDICATIONS"]), { bold: true });
  const changed = drug.changed();
  paper.line(`- ${changed.text} (was ${changed.old.text})`).medication(changed, "changed", { previous: changed.old.value });
  paper.gap(4).line(random.pick(["STOP taking", "STOP", "STOP TAKING THESE MEDICATIONS"]), { bold: true });
  for (const item of [drug.order(), drug.order()]) paper.line(`- ${item.text}`).medication(item, "stopped");
  const next = discharged.plus(random.int(7, 30)), time = clock(random), surgeon = who.doctor();
  paper.heading("FOLLOW-UP APPOINTMENTS");
  paper.line(`${next.as("us")} at ${time} with Dr. ${surgeon.name}, ${random.pick(["Cardiology", "Pulmonary Clinic", "Nephrology"])}`).provider(surgeon, "other").appointment(next, { time, who: surgeon.name, also: [`Dr. ${surgeon.name}`] });
  paper.gap(12).line("If you have questions about this summary call the unit at the number above.", { size: 8.5 });
  return paper.done();
}

function tableUk(random) {
  const here = place(random, "uk"), who = cast(random, "uk"), patient = who.patient(), consultant = who.doctor(), gp = who.doctor(), junior = who.doctor();
  const { admitted, discharged } = stay(random), drug = pharmacy(random, "uk"), list = clinic(random), lab = laboratory(random, "si", { abnormal: 0.6 });
  const paper = new Paper({ left: 48, right: 564, size: 9.5, header: (p) => p.line(`${patient.loud}  DOB ${patient.birth.as("uk")}`, { bold: true }).rule(),
    footer: (p, n, total) => p.row([48, 470], ["CONFIDENTIAL: patient copy / GP copy / notes copy", `Page ${n} of ${total}`], { size: 8 }) });
  paper.line(`${here.town} Royal Infirmary`, { size: 15, bold: true }).line("Electronic Immediate Discharge Letter (TTO)", { size: 11 }).gap(4).rule();
  paper.columns(() => {
    paper.line("PATIENT", { bold: true }).line(patient.loud).line(`DOB ${patient.birth.as("uk")}  (${patient.letter})`).line(`${here.street}, ${here.town}`).patient(patient);
  }, () => {
    paper.line("GP", { bold: true }).line(`Dr ${gp.name}`).line("The Surgery, Church Lane").line(here.zip).provider(gp, "recipient");
  });
  paper.gap(6).row([48, 300], [`Date of admission: ${admitted.as("uk")}`, `Date of discharge: ${discharged.as("uk")}`]).row([48, 300], [`Consultant: Dr ${consultant.name}`, `Ward: ${random.int(2, 40)}B`]);
  paper.date("admitted", admitted, ["date of admission", "admission"]).date("discharged", discharged, ["date of discharge", "discharge"]).provider(consultant, "attending");
  const main = list.acute(), away = list.threat(), also = list.threat(), background = [list.chronic(), list.chronic()], old = list.past();
  paper.heading("Diagnosis").line(main.Written).condition(main);
  paper.heading("Active comorbidities").line(background.map((item) => item.written).join(", ")).condition(background[0]).condition(background[1]);
  const year = random.int(1994, 2016);
  paper.heading("Past history").line(`${old.Written} (${year}, resolved)`).condition(old, "historical");
  const results = lab.some(3);
  paper.heading("Clinical summary").prose(`${random.pick(["Presented via ED.", "Admitted via the GP."])} Initially thought to be ${also.written}, which was ruled out. Imaging showed no ${away.written}. Bloods on admission: ${results.map((r) => `${r.written} ${r.shown} ${r.unit} (${r.range})`.replace("  ", " ")).join(", ")}.`);
  paper.condition(also, "ruled_out").condition(away, "ruled_out");
  results.forEach((r) => paper.lab({ ...r, fact: { ...r.fact, flag: null } }));
  paper.heading("Allergies and sensitivities").line("No known drug allergies (NKDA)").noAllergies("No known drug allergies");
  const cols = [48, 190, 290, 390, 470];
  paper.heading("Medicines on discharge", { rule: true }).gap(2).row(cols, ["Drug", "Dose", "Frequency", "Status", "Supply"], { bold: true });
  const put = (item, status, shown, extra = {}) => paper.row(cols, [item.written, item.strength, item.sig + (item.isPrn ? " PRN" : ""), shown, random.pick(["14/7", "28/7"])]).medication(item, status, extra);
  const changed = drug.changed();
  const rows = [[drug.order(), "current", "Continued"], [drug.order(), "current", "Unchanged"], [drug.pair(), "current", "New"], [drug.order(), "current", "New"], [drug.device(), "current", "Continued"], [drug.order(), "current", "Continued"]];
  for (const [item, status, shown] of rows) put(item, status, shown);
  put(changed, "changed", "Dose changed", { previous: changed.old.value });
  paper.line(`(${changed.written}: dose changed from ${changed.old.text})`, { x: 60, size: 8.5 });
  paper.heading("Medicines stopped").row([48, 190, 290, 390], ["Drug", "Dose", "Frequency", "Reason"], { bold: true });
  for (const reason of ["no longer needed", "side effects"]) { const item = drug.order(); paper.row([48, 190, 290, 390], [item.written, item.strength, item.sig, reason]).medication(item, "stopped"); }
  paper.heading("Given in hospital only");
  for (const item of [drug.hospital(), drug.hospital()]) paper.line(`${item.written} ${item.strength} ${item.form} ${item.sig}`).medication(item, "historical");
  const next = discharged.plus(random.int(14, 50)), time = clock(random);
  paper.heading("Follow up").line(`Outpatient clinic ${next.as("uk")} ${time}, Dr ${consultant.name}`).appointment(next, { time, who: consultant.name, also: ["outpatient clinic"] });
  paper.gap(10).line(`Completed by: Dr ${junior.name} (FY2)   GMC ${here.number}`).provider(junior, "author");
  return paper.done();
}

function proseAu(random) {
  const here = place(random, "au"), who = cast(random, "au"), patient = who.patient(), doctor = who.doctor(), gp = who.doctor(), carer = who.relative(random.pick(["female", "male"]));
  const { admitted, discharged } = stay(random), drug = pharmacy(random, "uk"), list = clinic(random), allergy = allergies(random), sign = vitals(random, true), chest = findings(random, "chest");
  const paper = new Paper({ left: 60, right: 552, leading: 1.5, footer: (p, n, total) => p.centre(`${here.town} District Hospital   -   page ${n} of ${total}`, { size: 8 }) });
  paper.line(`${here.town} District Hospital`, { size: 14, bold: true }).line(`${here.street} ${here.zip}   ph ${here.phone}`, { size: 8.5 }).gap(8);
  paper.line(`Dear Dr ${gp.name},`).provider(gp, "recipient").gap(4);
  paper.line(`RE: ${patient.title} ${patient.name}, DOB ${patient.birth.as("uk")}`, { bold: true }).patient(patient);
  const main = list.acute(), chronic = list.chronic(), no = list.threat(), maybe = list.threat(), fam = list.family(), react = allergy(), seen = chest(), unseen = chest();
  paper.prose(`Thank you for taking over the care of ${patient.title} ${patient.last}, who was admitted on ${admitted.as("long")} and discharged on ${discharged.as("long")} with ${main.written} on a background of ${chronic.written}. Next of kin is ${carer.name} (${random.pick(["partner", "daughter-in-law", "cousin"])}).`);
  paper.date("admitted", admitted, ["admission"]).date("discharged", discharged, ["discharge"]).condition(main).condition(chronic).gap(5);
  paper.prose(`On arrival observations were ${sign.pressure.short}, ${sign.pulse.short}, ${sign.breaths.short}, ${sign.oxygen.short} on room air, ${sign.heat.short}. Chest X-ray demonstrated ${seen.written} without ${unseen.written}.`);
  paper.vital(sign.pressure).vital(sign.pulse).vital(sign.breaths).vital(sign.oxygen).vital(sign.heat).finding(seen).finding(unseen, "ruled_out").procedure(film).gap(5);
  paper.prose(`There was no evidence of ${no.written}. Suspected ${maybe.written} will be investigated as an outpatient. Family history: father had ${fam.written}.`).condition(no, "ruled_out").condition(maybe, "suspected").condition(fam, "family").gap(5);
  paper.prose(`Allergy: ${react.written} (${react.reaction}).`).allergy(react);
  const inside = drug.hospital();
  paper.prose(`While an inpatient ${patient.he} was given ${inside.written} ${inside.strength} ${inside.form} ${inside.sig}, which ceased before discharge.`).medication(inside, "historical");
  paper.heading("Medications on discharge");
  const changed = drug.changed(), pair = drug.pair(), puff = drug.device();
  for (const item of [drug.order(), drug.order(), pair, puff, drug.order()]) paper.line(`* ${item.text}`, { x: 70 }).medication(item);
  paper.line(`* ${changed.text} (increased or reduced from ${changed.old.text})`.replace("increased or reduced", Number(changed.old.value.dose) < Number(changed.value.dose) ? "increased" : "reduced"), { x: 70 }).medication(changed, "changed", { previous: changed.old.value });
  paper.heading("Ceased medications");
  for (const item of [drug.order(), drug.order()]) paper.line(`* ${item.text}`, { x: 70 }).medication(item, "stopped");
  const next = discharged.plus(random.int(10, 40)), time = clock(random), plan = procedures(random)();
  paper.heading("Plan").line(`1. Review in our clinic on ${next.as("uk")} at ${time}.`).appointment(next, { time });
  paper.line(`2. ${plan.Written} is planned as an outpatient.`).procedure(plan, "planned");
  const later = drug.order();
  paper.prose(`3. Consider starting ${later.written} ${later.strength} ${later.sig} if symptoms return.`).medication(later, "planned");
  paper.gap(24).line("Yours sincerely,").gap(18).line(`Dr ${doctor.name}`).provider(doctor, "author").line("Medical Registrar");
  return paper.done();
}

const layouts = { headings, tableUk, proseAu };
export default template("discharge-summary", layouts);
