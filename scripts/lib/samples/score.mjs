// How well a document was read and understood, against what is true of it.

const bag = (words) => {
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

/** The share of the true words that were read, each as often as it stands there. */
export function wordRecall(truth, read) {
  const seen = bag(read);
  let found = 0;
  for (const [word, count] of bag(truth)) found += Math.min(count, seen.get(word) ?? 0);
  return found / truth.length;
}

const fold = (text) => String(text ?? "").toLowerCase().replace(/\s+/g, " ").trim();
const isNothing = (value) => value === null || value === undefined || value === "";

// Numbers by their value, "5.0" as 5; a comparator that stands before a number is told apart from it.
const number = (value) => (/^[<>≤≥=\s]*-?\d+([.,]\d+)?$/.test(String(value)) ? Number(String(value).replace(/[<>≤≥=\s]/g, "").replace(",", ".")) : null);
const comparator = (value) => {
  const sign = isNothing(value.comparator) ? /^[<>≤≥]=?/.exec(String(value.value ?? ""))?.[0] ?? "" : String(value.comparator);
  return sign.replace("≤", "<=").replace("≥", ">=");
};
function isSame(one, other) {
  if (isNothing(one) || isNothing(other)) return isNothing(one) && isNothing(other);
  const [a, b] = [number(one), number(other)];
  return a !== null && b !== null ? Math.abs(a - b) < 1e-9 : fold(one) === fold(other);
}

// Notations of one unit. A unit that is another one, as IU/L beside U/L, stays another.
const unit = (text) => {
  const plain = fold(text).replace(/[µμ]/g, "u").replace(/\s/g, "").replace(/²/g, "2").replace(/³/g, "3").replace(/⁹/g, "9").replace(/\*/g, "^")
    .replace(/^[x×]/, "").replace(/^(mcg|micrograms?)/, "ug").replace("m^2", "m2");
  return { "k/ul": "10^3/ul", "thou/ul": "10^3/ul", "m/ul": "10^6/ul", puff: "puffs", unit: "units", tablet: "tablets", drop: "drops", "mm/hour": "mm/hr", "mm/h": "mm/hr", "ml/min/1.73": "ml/min/1.73m2" }[plain] ?? plain;
};
const isSameUnit = (one, other) => unit(one) === unit(other);
const words = (text) => fold(Array.isArray(text) ? text.join(", ") : text).split(/,|;|\/| and | & /).map((part) => part.trim()).filter(Boolean).sort().join("|");

// Of a combination both parts in their order, with whichever sign between them.
const dose = (text) => (/^\d[\d.]*([-/]\d[\d.]*)+$/.test(String(text)) ? String(text).replaceAll("-", "/") : text);

// What makes a fact the fact that it is, besides its kind, status and name.
const essentials = {
  medication: (a, b) => isSame(dose(a.dose), dose(b.dose)) && isSameUnit(a.unit, b.unit) && isSame(a.frequency, b.frequency),
  lab: (a, b) => isSame(a.value, b.value) && comparator(a) === comparator(b) && isSameUnit(a.unit, b.unit) && isSame(a.low, b.low) && isSame(a.high, b.high),
  patient: (a, b) => isSame(a.birth_date, b.birth_date),
  date: (a, b) => isSame(a.date, b.date),
  appointment: (a, b) => isSame(a.date, b.date),
  vital_sign: (a, b) => ["value", "systolic", "diastolic"].every((part) => isSame(a[part], b[part])),
  allergy: (a, b) => isNothing(a.reaction) || words(a.reaction) === words(b.reaction),
};

const names = (fact) => [fact.name, ...(fact.also ?? [])].map(fold);
const statusOf = (fact) => fact.status ?? "current";
const isNamed = (truth, fact) => names(truth).some((name) => name === fold(fact.name) || name === fold(fact.written));
const isOfKind = (truth, fact) => (truth.kinds ?? [truth.kind]).includes(fact.kind);
const hasEssentials = (truth, fact) => (essentials[truth.kind]?.(truth.value ?? {}, fact.value ?? {}) ?? true);
const fits = (truth, fact) => isOfKind(truth, fact) && (truth.statuses ?? [statusOf(truth)]).includes(statusOf(fact)) && isNamed(truth, fact) && hasEssentials(truth, fact);

/**
 * Pairs what is true with what was found. A truth is {kind, name, also?, value, status?, page}; besides, for what two careful readers
 * would note in two ways: `kinds` and `statuses` are others that fit, `optional` costs nothing where it is not found; `codes` are the
 * beginnings of the codes that fit its words; `doubt` is the reason for which nobody may be sure of it. A document may say a thing twice and is then expected to be understood once.
 */
export function compareFacts(truth, found) {
  const wanted = truth.filter((one, at) => !truth.slice(0, at).some((earlier) => one.kind === earlier.kind && statusOf(one) === statusOf(earlier)
    && fold(one.name) === fold(earlier.name) && hasEssentials(one, earlier) && hasEssentials(earlier, one)));
  const open = new Set(found);
  const pairs = [];
  const missed = [];
  // What must be found chooses first.
  for (const one of [...wanted.filter((each) => !each.optional), ...wanted.filter((each) => each.optional)]) {
    const match = [...open].find((fact) => fits(one, fact));
    if (match !== undefined) {
      open.delete(match);
      pairs.push([one, match]);
    } else if (!one.optional) missed.push(one);
  }
  const invented = [...open];
  const isCounted = ([one]) => !one.optional;
  const byKind = {};
  const count = (kind, what) => { (byKind[kind] ??= { hits: 0, truth: 0, found: 0 })[what] += 1; };
  for (const [one] of pairs.filter(isCounted)) for (const what of ["hits", "truth", "found"]) count(one.kind, what);
  for (const one of missed) count(one.kind, "truth");
  for (const fact of invented) count(fact.kind, "found");
  const hits = pairs.filter(isCounted).length;
  return { hits, truth: hits + missed.length, found: hits + invented.length, byKind, missed: missed.map(told), invented: invented.map(told),
    wronglyCoded: pairs.filter(([one, fact]) => one.codes && fact.code && !one.codes.some((start) => fact.code.startsWith(start))).map(([, fact]) => `${fact.code} for ${told(fact)}`) };
}

/** A fact in one line. */
export function told(fact) {
  const value = Object.entries(fact.value ?? {}).filter(([, part]) => !isNothing(part)).map(([name, part]) => `${name} ${typeof part === "object" ? JSON.stringify(part) : part}`);
  return [`${fact.kind} ${fact.name}`, statusOf(fact), ...value].join(", ");
}

/** Whether a lab is outside its range: as it says itself, by its flag, or by the numbers. */
export function isAbnormal({ value: lab = {} }) {
  const said = fold(lab.abnormal ?? lab.flag);
  if (said) return !["normal", "n"].includes(said);
  const [value, low, high] = [lab.value, lab.low, lab.high].map((part) => (isNothing(part) ? null : number(part)));
  if (value === null) return false;
  const sign = comparator(lab);
  return (low !== null && (value < low || (value === low && sign === "<"))) || (high !== null && (value > high || (value === high && sign === ">")));
}

/** Abnormal results that nobody is told of: neither a fact that shows them as abnormal, nor a doubt about their row. */
export function lostSilently(truth, found, doubts = []) {
  const isTold = (lab) => found.some((fact) => fact.kind === "lab" && isNamed(lab, fact) && isSame(lab.value.value, fact.value?.value)
    && (isAbnormal(fact) || (fact.doubts ?? []).some(({ reason }) => reason === "flag_and_range_disagree")));
  const isDoubted = (lab) => doubts.some(({ reason, page, text }) => (reason === "unread_page" && page === (lab.page ?? 1))
    || (reason === "row_not_understood" && mentions(text, lab)));
  return truth.filter((one) => one.kind === "lab" && !one.optional && isAbnormal(one) && !isTold(one) && !isDoubted(one)).map(told);
}

/** What the page leaves in doubt, and is told without one: truths with a `doubt`, its reason. */
export function undoubted(truth, found, doubts = []) {
  const isTold = (one) => found.some((fact) => fact.kind === one.kind && isNamed(one, fact) && (fact.doubts ?? []).some(({ reason }) => reason === one.doubt));
  const isListed = (one) => doubts.some(({ reason, page, text, fact }) => reason === one.doubt && (page ?? 1) === (one.page ?? 1)
    && (found.some((other) => other.number === fact && isNamed(one, other)) || (one.kind === "lab" ? mentions(text, one) : fold(text).includes(fold(one.written ?? one.name)))));
  return truth.filter((one) => one.doubt && !isTold(one) && !isListed(one)).map((one) => `${one.doubt}: ${told(one)}`);
}

// The row names the analyte, or shows its value.
const mentions = (text, lab) => {
  const row = ` ${fold(text).replace(/[^a-z0-9.,<>-]/g, " ").replace(/\s+/g, " ")} `;
  return names(lab).some((name) => row.includes(` ${name.replace(/[^a-z0-9.,<>-]/g, " ").replace(/\s+/g, " ").trim()} `))
    || row.split(" ").some((word) => number(word) !== null && isSame(word, lab.value.value));
};

const NOT_SO = ["ruled_out", "stopped", "family"];
const HOLDS = ["current", "changed"];

/** Found facts stated as current that are ruled out, stopped or a relative's, or that the patient is allergic to. */
export function statedAsCurrent(truth, found) {
  const isSubject = ({ kind }) => !["patient", "provider", "date", "appointment", "lab", "vital_sign"].includes(kind);
  const others = truth.filter(isSubject);
  return found.filter((fact) => {
    if (!isSubject(fact) || !HOLDS.includes(statusOf(fact))) return false;
    const named = others.filter((one) => isNamed(one, fact));
    // An allergy is the one truth that is not about having or taking what it names.
    const isAbout = (one) => (one.kind === "allergy") === (fact.kind === "allergy");
    const holds = named.filter((one) => isAbout(one) && (one.statuses ?? [statusOf(one)]).some((status) => ![...NOT_SO].includes(status)));
    const isNot = named.filter((one) => (isAbout(one) ? NOT_SO.includes(statusOf(one)) : one.kind === "allergy" && fact.kind === "medication"));
    if (isNot.length === 0) return false;
    // A drug may stand there twice: stopped at one dose and taken at another.
    return holds.length === 0 || (!holds.some((one) => hasEssentials(one, fact)) && isNot.some((one) => isAbout(one) && hasEssentials(one, fact)));
  }).map(told);
}

export const precision = ({ hits, found }) => (found === 0 ? 1 : hits / found);
export const recall = ({ hits, truth }) => (truth === 0 ? 1 : hits / truth);
export const f1 = ({ hits, truth, found }) => (hits === 0 ? 0 : (2 * hits) / (truth + found));

/** The counts of several documents as one. */
export const sum = (scores) => scores.reduce((all, one) => ({ hits: all.hits + one.hits, truth: all.truth + one.truth, found: all.found + one.found }), { hits: 0, truth: 0, found: 0 });
