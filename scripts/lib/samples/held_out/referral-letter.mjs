// Letters between doctors: prose with a drug list, a form with boxes, and a short letter with results in sentences.
import { allergies, cast, clinic, dateIn, laboratory, pharmacy, place, procedures, template, vitals } from "./kit/chance.mjs";
import { Paper } from "./kit/page.mjs";

function british(random) {
  const here = place(random, "uk"), who = cast(random, "uk"), patient = who.patient(), author = who.doctor(), reader = who.doctor(), carer = who.relative(random.pick(["female", "male"])), date = dateIn(random, 2023, 2025), drug = pharmacy(random, "uk"), list = clinic(random), lab = laboratory(random, "si", { abnormal: 0.6 }), allergy = allergies(random), sign = vitals(random, true);
  const paper = new Paper({ left: 68, right: 540, size: 10.5, leading: 1.42, footer: (p, n, total) => p.centre(`${here.town} Medical Practice. Partners listed on our website. ${n}/${total}`, { size: 8 }) });
  paper.line(`${here.town} Medical Practice`, { size: 14, bold: true }).line(`${here.street}, ${here.town} ${here.zip}`, { size: 9 }).line(`Tel ${here.phone}`, { size: 9 }).gap(8);
  paper.row([68, 400], [`Dr ${reader.name}`, date.as("uk")]).line(`Consultant ${random.pick(["Cardiologist", "Rheumatologist", "Neurologist", "Gastroenterologist"])}`).line(`${random.pick(["Western", "Queen Anne", "St Aldate's"])} General Hospital`).gap(8);
  paper.provider(reader, "recipient").date("document", date, ["date"]);
  paper.line(`Dear Dr ${reader.last},`).gap(2).line(`Re: ${patient.title} ${patient.name}, d.o.b. ${patient.birth.as("uk")}, NHS no. 94${here.number}`, { bold: true }).patient(patient).gap(4);
  const query = list.threat(), no = list.threat(), none = list.threat(), chronic = list.chronic(), past = list.past(), fam = list.family(), year = random.int(1990, 2015), done = procedures(random), old = done(), ask = done();
  paper.prose(`I would be grateful for your opinion on this patient, in whom I suspect ${query.written}. ${patient.He} denies any previous ${no.written}, and there is no evidence of ${none.written} on examination. ${patient.His} daughter, ${carer.name}, accompanied ${patient.him}.`);
  paper.condition(query, "suspected").condition(no, "ruled_out").condition(none, "ruled_out").gap(6);
  paper.prose(`${patient.He} has ${chronic.written}. In ${year} ${patient.he} had ${past.written}, now resolved, and ${patient.he} underwent ${old.written} in ${year + 4}. ${patient.His} ${random.pick(["late father", "brother"])} had ${fam.written}.`);
  paper.condition(chronic).condition(past, "historical").procedure(old, "historical").condition(fam, "family").gap(6);
  const [a, b, c] = lab.some(3);
  paper.prose(`On examination ${sign.pressure.short}, ${sign.pulse.short}. Recent bloods show ${a.written} ${a.shown} ${a.unit} (${a.range}), ${b.written} ${b.shown} ${b.unit} (${b.range}) and ${c.written} ${c.shown} ${c.unit} (${c.range}).`.replace(/ +/g, " "));
  paper.vital(sign.pressure).vital(sign.pulse);
  [a, b, c].forEach((r) => paper.lab({ ...r, fact: { ...r.fact, flag: null } }));
  paper.gap(6).line(random.pick(["Current medication:", "Repeat medication:"]), { bold: true });
  for (const item of [drug.order(), drug.order(), drug.order(), drug.device(), drug.pair()]) paper.line(item.text, { x: 84 }).medication(item);
  const gone = drug.order(), react = allergy();
  paper.gap(4).prose(`${gone.Written ?? gone.written} ${gone.strength} ${gone.sig} was stopped last month because of side effects.`).medication(gone, "stopped").gap(4);
  paper.prose(`Allergies: ${react.written} causes ${react.reaction}.`).allergy(react).gap(6);
  paper.prose(`Would you kindly consider ${ask.written}?`).procedure(ask, "planned").gap(8);
  paper.line("Yours sincerely,").gap(26).line(`Dr ${author.name}`).provider(author, "referrer").line("MBChB MRCGP", { size: 9 });
  return paper.done();
}

function form(random) {
  const here = place(random, "ca"), who = cast(random, "ca"), patient = who.patient(), author = who.doctor(), reader = who.doctor(), kin = who.relative("female"), date = dateIn(random, 2023, 2025), drug = pharmacy(random, "us"), list = clinic(random), lab = laboratory(random, "si", { abnormal: 0.6 }), allergy = allergies(random);
  const paper = new Paper({ left: 44, right: 568, size: 9.5, footer: (p, n, total) => p.row([44, 480], ["Fax completed form. If received in error, please destroy and notify sender.", `Page ${n} of ${total}`], { size: 7.5 }) });
  paper.centre("REFERRAL / CONSULTATION REQUEST", { size: 14, bold: true }).centre(`${here.town} Family Health Organization, ${here.street}, ${here.zip}`, { size: 8 }).rule();
  paper.columns(() => {
    paper.line("REFER TO", { bold: true }).line(`Dr. ${reader.name}`).line(random.pick(["Endocrinology", "Respirology", "Hematology", "Urology"])).line(`Fax ${here.phone}`).provider(reader, "recipient");
  }, () => {
    paper.line("REFERRED BY", { bold: true }).line(`Dr. ${author.name}`).line(`Billing no. ${here.number}`).line(`Date: ${date.as("iso")}`).provider(author, "referrer").date("document", date, ["date"]);
  });
  paper.rule();
  paper.columns(() => {
    paper.line("PATIENT", { bold: true }).line(patient.turned).line(`Birth date: ${patient.birth.as("iso")}`).line(`Sex: ${patient.letter}`).patient(patient);
  }, () => {
    paper.line("CONTACT", { bold: true }).line(`Next of kin: ${kin.turned} (mother)`).line("Interpreter: not required").line(`Home ${here.phone}`);
  });
  paper.rule();
  const maybe = list.threat(), out = list.threat(), problems = [list.chronic(), list.chronic(), list.chronic()], fam = list.family();
  paper.line("REASON FOR REFERRAL", { bold: true }).line(`Rule out ${maybe.written}`).condition(maybe, "suspected").gap(3);
  paper.line("ALREADY EXCLUDED", { bold: true }).line(`${out.Written} ruled out last month.`).condition(out, "ruled_out").gap(3);
  paper.line("ACTIVE PROBLEMS", { bold: true });
  problems.forEach((item, i) => paper.line(`${i + 1}. ${item.Written}`).condition(item));
  paper.gap(3).line("FAMILY HISTORY", { bold: true }).line(`${random.pick(["Mother", "Paternal aunt"])}: ${fam.written}`).condition(fam, "family");
  const cols = [44, 210, 330];
  paper.gap(3).line("MEDICATIONS", { bold: true });
  for (const item of [drug.order(), drug.order(), drug.pair(), drug.device(), drug.order()]) paper.row(cols, [item.written, item.strength, item.sig + item.prn]).medication(item);
  paper.gap(3).line("ALLERGIES", { bold: true });
  if (random.chance(0.4)) paper.line("No known allergies").noAllergies("No known allergies");
  else for (const react of [allergy(), allergy()]) paper.line(`${react.Written} --> ${react.reaction}`).allergy(react);
  const at = [44, 130, 218, 300, 440];
  paper.gap(3).line("RECENT RESULTS", { bold: true }).row(at, ["Result", "Units", "Flag", "Test", "Normal range"], { bold: true, size: 8.5 });
  for (const r of lab.some(7)) paper.row(at, [r.shown, r.unit, r.flag, r.written, r.range]).lab(r);
  paper.gap(20).line("Referring physician signature: ____________________________");
  return paper.done();
}

function german(random) {
  const here = place(random, "de"), who = cast(random, "de"), patient = who.patient(), author = who.doctor(), reader = who.doctor(), date = dateIn(random, 2023, 2025, true), drug = pharmacy(random, "words"), list = clinic(random), lab = laboratory(random, "si", { abnormal: 0.7 });
  const paper = new Paper({ left: 70, right: 545, size: 10.5, leading: 1.5, footer: (p, n, total) => p.row([70, 480], [`Dr. med. ${author.name} - ${here.zip} ${here.town} - ${here.phone}`, `${n} / ${total}`], { size: 8 }) });
  paper.line(`Dr. med. ${author.name}`, { size: 13, bold: true }).line("Specialist in Internal Medicine").line(`${here.street} 3, ${here.zip} ${here.town}, Germany`, { size: 9 }).gap(10);
  paper.provider(author, "referrer");
  paper.line("To").line(`Prof. Dr. ${reader.name}`).line("University Hospital, Outpatient Department").gap(6).provider(reader, "recipient");
  paper.line(`${here.town}, ${date.as("de")}`).date("document", date, ["date"]).gap(6);
  paper.line(`Patient: ${patient.loud}, born ${patient.birth.as("de")}`, { bold: true }).patient(patient).gap(6);
  const main = list.chronic(), second = list.chronic(), maybe = list.threat(), none = list.threat(), away = list.threat(), hist = list.past(), year = random.int(1992, 2017);
  paper.line("Dear colleague,").gap(4).prose(`we refer the above patient with known ${main.written} and ${second.written}. We ask you to clarify a possible ${maybe.written}. ${none.Written} is unlikely and ${away.written} has already been ruled out. ${hist.Written} in ${year} healed without consequences.`);
  paper.condition(main).condition(second).condition(maybe, "suspected").condition(none, "ruled_out").condition(away, "ruled_out").condition(hist, "historical").gap(6);
  const results = lab.some(4);
  paper.prose(`Laboratory of last week: ${results.map((r) => `${r.written} ${r.shown} ${r.unit} (norm ${r.range})`.replace("  ", " ")).join("; ")}.`);
  results.forEach((r) => paper.lab({ ...r, fact: { ...r.fact, flag: null } }));
  paper.gap(6).line("Therapy at present:", { bold: true });
  for (const item of [drug.order(), drug.order(), drug.pair(), drug.device()]) paper.line(`- ${item.text}`).medication(item);
  const changed = drug.changed(), gone = drug.order();
  paper.line(`- ${changed.text} (until last month ${changed.old.text})`).medication(changed, "changed", { previous: changed.old.value });
  paper.gap(4).line("Discontinued:", { bold: true }).line(`- ${gone.text}`).medication(gone, "stopped").gap(6);
  paper.line("No known allergies.").noAllergies("No known allergies").gap(8);
  const plan = procedures(random)(), next = date.plus(random.int(10, 40));
  paper.prose(`We have arranged an appointment with you for ${next.as("de")}. ${plan.Written} is planned.`).appointment(next, { who: reader.name }).procedure(plan, "planned");
  paper.gap(8).line("With kind regards").gap(28).line(`Dr. ${author.last}`);
  return paper.done();
}

const layouts = { british, form, german };
export default template("referral-letter", layouts);
