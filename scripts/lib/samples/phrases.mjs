// Sentences that deny, doubt, recall or hand to a relative, each with the fact that it states; and vital signs.
const capital = (text) => text[0].toUpperCase() + text.slice(1);

const DENIED = [
  (n) => `There is no evidence of ${n}.`, (n) => `${capital(n)} was ruled out.`, (n) => `${capital(n)} has been excluded.`, (n) => `The work-up was negative for ${n}.`,
  (n) => `No signs of ${n} were found.`, (n) => `She or he does not have ${n}.`.replace("She or he", "The patient"), (n) => `${capital(n)} is unlikely and was not found.`, (n) => `Tests showed no ${n}.`,
  (n) => `Investigations did not show ${n}.`, (n) => `${capital(n)} was considered and ruled out.`, (n) => `Examination without evidence of ${n}.`, (n) => `The team found nothing to suggest ${n}.`,
  (n) => `The patient does not have any sign of ${n}.`, (n) => `${capital(n)} was not found.`, (n) => `The patient was tested for ${n}, which was negative.`,
];
const DOUBTED = [
  (n) => `Rule out ${n}.`, (n) => `Possible ${n}.`, (n) => `Suspected ${n}, tests are pending.`, (n) => `${capital(n)} cannot be excluded.`, (n) => `Concern for ${n}.`, (n) => `R/O ${n}.`, (n) => `Query ${n}.`,
  (n) => `Assessment for suspected ${n}.`, (n) => `?${n}.`, (n) => `The differential diagnosis includes ${n}.`, (n) => `Evaluate for ${n}.`,
];
const OF_FAMILY = [
  (n, who) => `${capital(who)} had ${n}.`, (n, who) => `${capital(who)} was diagnosed with ${n} at 61.`, (n, who) => `Family history of ${n} (${who}).`, (n, who) => `${capital(who)}: ${n}.`, (n, who) => `There is ${n} in the ${who}.`, (n, who) => `The patient's ${who} has ${n}.`,
];
const RELATIVES = ["mother", "father", "brother", "sister", "maternal aunt", "paternal grandfather"];
const MIXED = [
  (a, b, c) => `There is no evidence of ${a} or ${b}, but ${c} is present.`, (a, b, c) => `${capital(a)} and ${b} were ruled out; ${c} was confirmed.`, (a, b, c) => `Although ${a} and ${b} were excluded, the patient has ${c}.`,
  (a, b, c) => `Negative for ${a} and ${b}. The patient was treated for ${c}.`, (a, b, c) => `Tests confirmed ${c} and showed no ${a} and no ${b}.`,
];
const stated = { denied: ["ruled_out", DENIED], doubted: ["suspected", DOUBTED], ofFamily: ["family", OF_FAMILY] };

/** A sentence that does to a condition what `how` says; notes its fact and gives the text back. */
export function said(doc, random, how, condition, rest = {}) {
  const [status, sentences] = stated[how];
  doc.fact("condition", condition.name, {}, { status, also: condition.also, codes: condition.codes, ...rest });
  return random.pick(sentences)(condition.name, random.pick(RELATIVES));
}

/** One sentence that excludes two conditions and asserts a third. */
export function mixed(doc, random, absent, present) {
  for (const { name, also, codes } of absent) doc.fact("condition", name, {}, { status: "ruled_out", also, codes });
  doc.fact("condition", present.name, {}, { also: present.also, codes: present.codes });
  return random.pick(MIXED)(...absent.map(({ name }) => name), present.name);
}

/** What the patient does not complain of; readers note that or leave it. */
export function denies(doc, random, symptoms, status = "ruled_out") {
  for (const name of symptoms) doc.fact("condition", name, {}, { status, kinds: ["condition", "finding"], optional: true });
  return random.pick([(list) => `Denies ${list}.`, (list) => `No ${list}.`, (list) => `The patient reports no ${list}.`])(symptoms.slice(0, -1).join(", ") + ` or ${symptoms.at(-1)}`);
}

/** A complaint that the patient came with. */
export function complaint(doc, name, statuses = ["current", "historical"]) {
  doc.fact("condition", name, {}, { kinds: ["condition", "finding"], statuses, optional: true });
  return name;
}

const ALSO = { "blood pressure": ["bp"], "heart rate": ["pulse", "hr", "pulse rate"], temperature: ["temp", "t"], "respiratory rate": ["rr", "resp", "respirations", "resp rate"],
  "oxygen saturation": ["spo2", "o2 sat", "sats", "o2 saturation", "sao2"], weight: ["wt"], height: ["ht"] };

/** Vital signs as {name: [label by style, text, value]}; what is noted is what is written. */
export function vitals(random, style) {
  const [systolic, diastolic] = [random.int(98, 168), random.int(58, 96)];
  const metric = style !== "us";
  const temperature = metric ? random.int(361, 391) / 10 : random.int(970, 1024) / 10;
  const weight = metric ? random.int(480, 1080) / 10 : random.int(105, 240);
  return [
    ["blood pressure", "BP", `${systolic}/${diastolic} mmHg`, { systolic, diastolic, unit: "mmHg" }],
    ["heart rate", style === "us" ? "HR" : "Pulse", ...one(random.int(54, 118), style === "us" ? "bpm" : "/min")],
    ["temperature", "Temp", ...one(temperature, metric ? "°C" : "°F")],
    ["respiratory rate", "RR", ...one(random.int(12, 24), "/min")],
    ["oxygen saturation", style === "us" ? "SpO2" : "O2 sat", ...one(random.int(91, 99), "%")],
    ["weight", "Weight", ...one(weight, metric ? "kg" : "lb")],
  ].map(([name, label, text, value]) => ({ name, label, text, value, also: ALSO[name] }));
}
const one = (value, unit) => [unit.startsWith("/") ? `${value}${unit}` : `${value} ${unit}`.replace(" %", "%"), { value, unit }];

export function noteVitals(doc, some) {
  for (const { name, value, also } of some) doc.fact("vital_sign", name, value, { also });
  return some.map(({ label, text }) => `${label} ${text}`);
}
