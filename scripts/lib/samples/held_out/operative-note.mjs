// Notes of operations: the procedure that was done, what was found, and drugs that were given around it.
import { allergies, cast, clinic, clock, dateIn, pharmacy, place, procedures, template } from "./kit/chance.mjs";
import { Paper } from "./kit/page.mjs";

// name and other names; why; what was found; what was looked for and not found.
const operations = [
  [["laparoscopic cholecystectomy", "cholecystectomy"], "gallstones|cholelithiasis", ["gallbladder wall thickening", "adhesions"], ["bile leak", "pericholecystic fluid"]],
  [["laparoscopic appendectomy", "appendectomy", "laparoscopic appendicectomy", "appendicectomy"], "acute appendicitis|appendicitis", ["inflamed appendix", "purulent fluid"], ["perforation", "free fluid"]],
  [["right inguinal hernia repair", "inguinal hernia repair", "open inguinal hernia repair", "hernia repair"], "inguinal hernia|right inguinal hernia", ["indirect hernia sac", "lipoma of the cord"], ["bowel discoloration", "free fluid"]],
  [["total knee arthroplasty", "total knee replacement", "left total knee arthroplasty", "left total knee replacement"], "osteoarthritis|osteoarthritis of the left knee", ["loss of cartilage", "osteophytes"], ["synovial thickening", "loose bodies"]],
  [["carpal tunnel release", "right carpal tunnel release"], "carpal tunnel syndrome|right carpal tunnel syndrome", ["flattened median nerve", "thickened transverse ligament"], ["space-occupying mass", "synovial thickening"]],
  [["transurethral resection of the prostate", "TURP", "transurethral resection of prostate"], "benign prostatic hyperplasia|BPH", ["trabeculated bladder", "enlarged median lobe"], ["bladder mass", "false passage"]],
  [["total thyroidectomy", "thyroidectomy"], "multinodular goiter|multinodular goitre|goitre", ["enlarged thyroid", "tracheal deviation"], ["lymphadenopathy", "retrosternal extension"]],
  [["total abdominal hysterectomy", "hysterectomy", "abdominal hysterectomy"], "uterine fibroids|fibroids|uterine leiomyoma", ["enlarged uterus", "adhesions"], ["free fluid", "ovarian mass"]],
];
const thing = (names) => ({ name: names[0], also: names.slice(1), written: names[0], Written: names[0][0].toUpperCase() + names[0].slice(1) });

function theatre(random, country) {
  const [names, why, found, absent] = random.pick(operations), reasons = why.split("|");
  const who = cast(random, country), patient = who.patient({ sex: names.includes("TURP") ? "male" : names.includes("hysterectomy") ? "female" : null });
  // Other conditions and procedures of the document are different from those of the operation.
  const differs = (take, taken) => () => { for (;;) { const made = take(); if (![made.name, ...made.also].some((name) => taken.includes(name))) return made; } };
  const list = clinic(random);
  list.chronic = differs(list.chronic, reasons);
  return { other: differs(procedures(random), names), done: thing(names), why: thing(reasons), found: found.map((name) => thing([name])), absent: absent.map((name) => thing([name])), who, patient, here: place(random, country), list, date: dateIn(random, 2023, 2025) };
}
const dayNames = ["date of surgery", "surgery", "date of operation", "operation", "procedure date", "date of procedure"];

function american(random) {
  const { done, why, found, absent, who, patient, here, list, date } = theatre(random, "us"), surgeon = who.doctor(), helper = who.doctor(), sleeper = who.doctor(), drug = pharmacy(random, "us"), allergy = allergies(random);
  const hospital = random.pick(["Grand Mesa Surgical Hospital", "Bayfront Medical Center", "Trinity Oaks Hospital"]);
  const paper = new Paper({ left: 58, right: 554, size: 11, leading: 1.5, header: (p) => p.line(`${patient.loud} - OPERATIVE REPORT (cont.)`, { bold: true }).gap(6),
    footer: (p, n, total) => p.row([58, 490], [`Dictated, not read. Job ${here.number}`, `Page ${n} of ${total}`], { size: 8 }) });
  paper.line(hospital, { size: 15, bold: true }).line(`${here.street}, ${here.town} ${here.zip}`, { size: 8 }).line("OPERATIVE REPORT", { size: 12, bold: true }).rule();
  paper.row([58, 320], [`PATIENT: ${patient.loud}`, `DATE OF SURGERY: ${date.as("us")}`]).row([58, 320], [`DOB: ${patient.birth.as("us")}`, `MR#: ${here.number}`]);
  paper.patient(patient).date("procedure", date, dayNames);
  for (const [label, person] of [["SURGEON", surgeon], ["ASSISTANT", helper], ["ANESTHESIOLOGIST", sleeper]]) paper.line(`${label}: ${person.name}, MD`).provider(person, label === "SURGEON" ? "author" : "other");
  const cause = list.chronic();
  paper.gap(4).line(`PREOPERATIVE DIAGNOSIS: ${why.Written}.`).condition(why).line("POSTOPERATIVE DIAGNOSIS: Same.");
  paper.line(`PROCEDURE PERFORMED: ${done.Written}.`).procedure(done, "current", date).line("ANESTHESIA: General endotracheal.").line(`ESTIMATED BLOOD LOSS: ${random.int(2, 40) * 5} mL.`).line("COMPLICATIONS: None.");
  const react = random.chance(0.6) ? allergy() : null;
  if (react) paper.line(`ALLERGIES: ${react.Written} (${react.reaction}).`).allergy(react); else paper.line("ALLERGIES: NKDA.").noAllergies("NKDA");
  const iv = drug.hospital(), out = list.threat();
  paper.gap(4).prose(`INDICATIONS: ${patient.title}. ${patient.last} has ${cause.written}. Preoperative workup ruled out ${out.written}. Risks and benefits were discussed and consent was obtained.`).condition(cause).condition(out, "ruled_out").gap(4);
  paper.prose(`FINDINGS: ${found[0].Written} and ${found[1].written}. No ${absent[0].written}. There was no evidence of ${absent[1].written}.`).finding(found[0]).finding(found[1]).finding(absent[0], "ruled_out").finding(absent[1], "ruled_out").gap(4);
  paper.prose(`DESCRIPTION: The patient was brought to the operating room and placed supine. ${iv.written} ${iv.strength} ${iv.form} was given before incision and continued ${iv.sig} until the next morning, then stopped. After time-out the field was prepped and draped. All counts were correct. The wound was closed in layers and a dressing was applied. The patient was taken to recovery in stable condition.`).medication(iv, "historical");
  const home = [drug.order(), drug.pair()], next = date.plus(random.int(10, 20)), time = clock(random), held = drug.order();
  paper.heading("DISCHARGE PRESCRIPTIONS");
  for (const item of home) paper.line(item.text).medication(item);
  paper.heading("STOP").line(held.text).medication(held, "stopped");
  paper.gap(6).line(`FOLLOW-UP: ${next.as("us")} at ${time} in the surgery clinic.`).appointment(next, { time, also: ["surgery clinic"] });
  paper.gap(24).line(`${surgeon.name}, MD, FACS`);
  return paper.done();
}

function british(random) {
  const { done, why, found, absent, who, patient, here, date, list, other } = theatre(random, "uk"), surgeon = who.doctor(), helper = who.doctor(), sleeper = who.doctor(), drug = pharmacy(random, "uk"), prior = other();
  const paper = new Paper({ left: 50, right: 562, footer: (p, n, total) => p.row([50, 500], [`${here.town} District General Hospital`, `${n}/${total}`], { size: 8 }) });
  paper.line("OPERATION NOTE", { size: 16, bold: true }).rule();
  const cols = [50, 150];
  const field = (label, text) => paper.row(cols, [label, text], { advance: 17 });
  field("Patient", `${patient.loud}`); field("D.O.B.", patient.birth.as("uk")); paper.patient(patient);
  field("Date of operation", date.as("uk")); paper.date("procedure", date, dayNames);
  field("Surgeon", `Dr ${surgeon.name}`); paper.provider(surgeon, "author");
  field("Assistant", `Dr ${helper.name}`); paper.provider(helper, "other");
  field("Anaesthetist", `Dr ${sleeper.name}`); paper.provider(sleeper, "other");
  field("Indication", why.Written); paper.condition(why);
  field("Operation", done.Written); paper.procedure(done, "current", date);
  const year = random.int(1999, 2018), no = list.threat();
  field("Previous surgery", `${prior.Written} ${year}`); paper.procedure(prior, "historical");
  field("Allergies", "Nil known"); paper.noAllergies("Nil known");
  field("Findings", `${found[0].Written}, ${found[1].written}`); paper.finding(found[0]).finding(found[1]);
  field("", `No ${absent[0].written}. Without ${absent[1].written}.`); paper.finding(absent[0], "ruled_out").finding(absent[1], "ruled_out");
  const iv = drug.hospital();
  field("On induction", `${iv.written} ${iv.strength} ${iv.form} ${iv.sig}, finished in theatre recovery`); paper.medication(iv, "historical");
  field("Closure", "2/0 Vicryl to deep layer, 3/0 Monocryl to skin");
  paper.heading("Post-operative instructions");
  paper.line(`1. ${no.Written} unlikely; routine observations.`).condition(no, "ruled_out").line("2. Eat and drink as tolerated, mobilise.").line("3. Take home:");
  for (const item of [drug.order(), drug.order(), drug.device()]) paper.line(`- ${item.text}`, { x: 66 }).medication(item);
  const later = other(), next = date.plus(random.int(14, 50)), time = clock(random);
  paper.line(`4. ${later.Written} to be arranged.`).procedure(later, "planned").line(`5. Clinic ${next.as("uk")} ${time}.`).appointment(next, { time });
  paper.gap(26).line(`Signed: Dr ${surgeon.name}   GMC ${here.number}`);
  return paper.done();
}

function german(random) {
  const { done, why, found, absent, who, patient, here, date, list } = theatre(random, "de"), surgeon = who.doctor(), sleeper = who.doctor(), gp = who.doctor(), drug = pharmacy(random, "words"), allergy = allergies(random), react = allergy();
  const paper = new Paper({ left: 66, right: 546, size: 10.5, leading: 1.5, footer: (p, n, total) => p.row([66, 480], [`St. Marien Clinic ${here.town}, ${here.street} 9, ${here.zip}`, `Page ${n} / ${total}`], { size: 8 }) });
  paper.line(`St. Marien Clinic ${here.town}`, { size: 14, bold: true }).line("Department of Surgery - Report of operation", { size: 11 }).rule();
  paper.line(`Patient: ${patient.turned}, born ${patient.birth.as("de")}`).patient(patient).line(`Date of operation: ${date.as("de")}`).date("procedure", date, dayNames);
  paper.line(`Operator: Dr. med. ${surgeon.name}`).provider(surgeon, "author").line(`Anaesthesia: Dr. med. ${sleeper.name}`).provider(sleeper, "other").line(`Copy to: Dr. med. ${gp.name}`).provider(gp, "recipient").gap(6);
  const fam = list.family(), maybe = list.threat(), none = list.threat(), side = list.chronic();
  paper.prose(`We performed a ${done.written} because of ${why.written}. Secondary diagnosis: ${side.written}. Family history of ${fam.written} (mother). Allergic to ${react.written} with ${react.reaction}.`);
  paper.procedure(done, "current", date).condition(why).condition(side).condition(fam, "family").allergy(react).gap(6);
  paper.prose(`Intraoperatively we saw ${found[0].written} and ${found[1].written}. ${absent[0].Written} was not found, and there was no ${absent[1].written}.`).finding(found[0]).finding(found[1]).finding(absent[0], "ruled_out").finding(absent[1], "ruled_out").gap(6);
  const inside = [drug.hospital(), drug.hospital()];
  paper.line("Only during the stay:", { bold: true });
  for (const item of inside) paper.line(`${item.written} ${item.strength} ${item.form} ${item.sig}`).medication(item, "historical");
  paper.gap(4).line("To be continued at home:", { bold: true });
  for (const item of [drug.order(), drug.order(), drug.pair()]) paper.line(item.text).medication(item);
  const changed = drug.changed(), gone = drug.order(), next = date.plus(random.int(8, 30));
  paper.line(`${changed.text} (previously ${changed.old.text})`).medication(changed, "changed", { previous: changed.old.value });
  paper.gap(4).line("Please do not take any longer:", { bold: true }).line(gone.text).medication(gone, "stopped").gap(6);
  paper.prose(`Histology is pending; suspected ${maybe.written}. ${none.Written} was ruled out by frozen section.`).condition(maybe, "suspected").condition(none, "ruled_out").gap(6);
  paper.line(`Control appointment: ${next.as("de")}`).appointment(next, { also: ["control appointment", "control"] }).gap(28).line(`Dr. med. ${surgeon.last}`);
  return paper.done();
}

const layouts = { american, british, german };
export default template("operative-note", layouts);
