// Choices that the held-out templates share: dates, people, places, orders of drugs, results and vital signs.
import { random as numbers } from "../../image.mjs";
import { allergens, conditionLists, devices, combinations, drugs, findings as findingLines, hospitalDrugs, labs, people, places, procedures as procedureLines } from "./vocabulary.mjs";

export function shuffled(random, list) {
  const left = [...list];
  const out = [];
  while (left.length) out.push(left.splice(Math.min(left.length - 1, random.int(0, left.length - 1)), 1)[0]);
  return out;
}

/** A template of one kind. Its layouts draw different cards from the same seed. */
export const template = (kind, layouts) => ({ kind, layouts: Object.keys(layouts),
  write(random, layout) {
    if (!layouts[layout]) throw new Error(`${kind} has no layout ${layout}; it has ${Object.keys(layouts).join(", ")}`);
    const mark = [...`${kind}/${layout}`].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16777619) >>> 0, 2166136261);
    const next = numbers((random.int(0, 0x7fffffff) ^ mark) >>> 0);
    const int = (low, high) => low + Math.floor(next() * (high - low + 1));
    return layouts[layout]({ int, pick: (list) => list[int(0, list.length - 1)], chance: (share) => next() < share });
  } });

/** A pile of cards: take() never gives the same card twice within a document. */
export function pile(random, list) {
  const cards = shuffled(random, list);
  return {
    take: () => { if (!cards.length) throw new Error("The pile has no card left"); return cards.pop(); },
    some: (count) => Array.from({ length: count }, () => cards.pop()),
  };
}

const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const two = (number) => String(number).padStart(2, "0");

function day(stamp) {
  const date = new Date(stamp);
  const [year, month, dayOfMonth] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  const name = MONTHS[month - 1];
  const written = {
    us: `${two(month)}/${two(dayOfMonth)}/${year}`,
    usShort: `${month}/${dayOfMonth}/${String(year).slice(2)}`,
    uk: `${two(dayOfMonth)}/${two(month)}/${year}`,
    de: `${two(dayOfMonth)}.${two(month)}.${year}`,
    long: `${dayOfMonth} ${name} ${year}`,
    usLong: `${name} ${dayOfMonth}, ${year}`,
    dash: `${two(dayOfMonth)}-${name.slice(0, 3)}-${year}`,
    short: `${dayOfMonth} ${name.slice(0, 3)} ${year}`,
    iso: `${year}-${two(month)}-${two(dayOfMonth)}`,
  };
  return { stamp, year, month, dayOfMonth, iso: written.iso, as: (style) => written[style], plus: (days) => day(stamp + days * 86400000) };
}

/** A day of a year. With `proof` the day of the month is above 12, so that the order of day and month is plain. */
export const dateIn = (random, from, to, proof = false) =>
  day(Date.UTC(random.int(from, to), random.int(0, 11), proof ? random.int(13, 28) : random.int(1, 28)));

/** The day this document was written. */
export const today = (random) => dateIn(random, 2023, 2025);

/** The people of one document have different surnames. */
export function cast(random, country) {
  const surnames = pile(random, people[country].last);
  const forenames = { female: pile(random, people[country].female), male: pile(random, people[country].male) };
  const person = (sex) => {
    const [first, last] = [forenames[sex].take(), surnames.take()];
    return { first, last, sex, name: `${first} ${last}`, turned: `${last}, ${first}`, loud: `${last.toUpperCase()}, ${first}`,
      also: [`${last}, ${first}`, `${last.toUpperCase()}, ${first}`, `${last.toUpperCase()}, ${first.toUpperCase()}`] };
  };
  const someSex = () => (random.chance(0.5) ? "female" : "male");
  return {
    patient({ from = 1938, to = 1998, sex: asked = null } = {}) {
      const chosen = someSex();
      const sex = asked ?? chosen;
      const who = person(sex);
      const title = sex === "female" ? random.pick(["Mrs", "Ms"]) : "Mr";
      return { ...who, title, birth: dateIn(random, from, to, true), letter: sex === "female" ? "F" : "M",
        he: sex === "female" ? "she" : "he", He: sex === "female" ? "She" : "He", his: sex === "female" ? "her" : "his", His: sex === "female" ? "Her" : "His",
        him: sex === "female" ? "her" : "him", also: [...who.also, `${title} ${who.name}`, `${title}. ${who.name}`] };
    },
    doctor() {
      const who = person(someSex());
      return { ...who, also: [...who.also, `Dr ${who.name}`, `Dr. ${who.name}`, `Prof ${who.name}`, `${who.name}, MD`, `${who.name}, M.D.`, `${who.name} MD`] };
    },
    relative(sex) { return person(sex); },
  };
}

export const place = (random, country) => {
  const { towns, streets, zip, phone } = places[country];
  const town = random.pick(towns);
  const fill = (pattern) => pattern.replace(/#/g, () => String(random.int(1, 9))).replace(/@/g, () => random.pick([..."ABDEGHLNPRST"]));
  return { town, street: `${random.int(2, 480)} ${random.pick(streets)}`, zip: fill(zip), phone: fill(phone), number: fill("######"), code: fill("@@-#####") };
};

// How a frequency is written in words, in the Latin of American and in that of British charts.
const FREQUENCIES = {
  "once daily": { words: ["once daily", "once a day"], us: ["daily", "once daily", "QD"], uk: ["OD", "od", "once daily"] },
  "twice daily": { words: ["twice daily", "twice a day", "two times a day"], us: ["BID", "bid"], uk: ["BD", "bd"] },
  "three times daily": { words: ["three times daily", "three times a day"], us: ["TID", "tid"], uk: ["TDS", "tds"] },
  "four times daily": { words: ["four times daily", "four times a day"], us: ["QID", "qid"], uk: ["QDS", "QID"] },
  "at bedtime": { words: ["at bedtime"], us: ["QHS", "qhs", "at bedtime"], uk: ["nocte", "at night"] },
  "every morning": { words: ["every morning", "in the morning"], us: ["QAM", "every morning"], uk: ["mane", "in the morning"] },
  "every evening": { words: ["every evening", "in the evening"], us: ["every evening"], uk: ["in the evening"] },
  "once weekly": { words: ["once weekly", "once a week"], us: ["once weekly", "weekly"], uk: ["once weekly", "once a week"] },
  "every other day": { words: ["every other day"], us: ["every other day", "QOD"], uk: ["on alternate days"] },
};
export function frequencyText(random, frequency, style) {
  if (FREQUENCIES[frequency]) return random.pick(FREQUENCIES[frequency][style]);
  const hours = /every (\S+) hours/.exec(frequency)[1];
  if (style === "us") return random.pick([`q${hours}h`, `every ${hours} hours`]);
  return style === "uk" && !hours.includes("-") ? random.pick([`${hours} hourly`, frequency]) : frequency;
}

// One drug as this document writes it.
function order(random, line, style, { dose, isBrand } = {}) {
  const [names, brands, doses, unit, frequencies, form] = line.split("|");
  const [generic, ...others] = names.split(",");
  const brand = brands ? random.pick(brands.split(",")) : null;
  const useBrand = isBrand ?? (brand !== null && random.chance(0.2));
  const local = style === "uk" && others.length ? others[0] : generic;
  const listed = doses.split(",");
  const amount = dose ?? random.pick(listed);
  const [pattern, prn] = random.pick(frequencies.split(",")).split("?");
  const capital = local[0].toUpperCase() + local.slice(1);
  const written = useBrand ? brand : random.chance(0.6) ? capital : local;
  const sig = frequencyText(random, pattern, style);
  const number = (text) => (/^[\d.]+$/.test(text) ? Number(text) : text);
  const shown = unit === "mcg" && style === "uk" && random.chance(0.4) ? "micrograms" : unit;
  return {
    line, name: generic, also: [...others, ...(brands ? brands.split(",") : []), written], written, form, generic: local, brand,
    strength: `${amount} ${shown}`, sig, isPrn: prn !== undefined, prn: prn === undefined ? "" : random.pick([" PRN", " as needed"]),
    text: `${written} ${amount} ${shown} ${sig}${prn === undefined ? "" : random.pick([" PRN", " as needed"])}`,
    value: { dose: number(amount), unit, frequency: pattern, ...(prn !== undefined && { as_needed: true }) },
    other: () => { const rest = listed.filter((entry) => entry !== amount); const old = random.pick(rest); return { text: `${old} ${shown}`, value: { dose: number(old), unit } }; },
    hasOther: listed.length > 1,
  };
}

/** Orders of drugs whose ingredients do not repeat within a document. Style is words, us or uk. */
export function pharmacy(random, style) {
  const used = new Set();
  const fresh = (list) => {
    const cards = pile(random, list);
    return { take() {
      for (;;) {
        const line = cards.take(), ingredients = line.split(/[,|]/)[0].split("/");
        if (ingredients.some((name) => used.has(name))) continue;
        ingredients.forEach((name) => used.add(name));
        return line;
      }
    } };
  };
  const usual = fresh(drugs), hospital = fresh(hospitalDrugs), pairs = fresh(combinations), puffs = fresh(devices);
  const pair = (line) => {
    const made = order(random, line, style, {});
    const [a, b] = made.name.split("/");
    const dose = made.strength.replace(/ .*/, "");
    const parts = dose.split("/");
    const joined = random.chance(0.5) ? parts.join("-") : dose;
    const writtenName = random.chance(0.3) && made.brand ? made.brand : made.generic.includes("/") ? made.generic.replace("/", random.pick(["-", "/"])) : made.generic;
    const written = writtenName[0].toUpperCase() + writtenName.slice(1);
    const strength = made.strength.replace(dose, joined);
    return { ...made, written, strength, also: [...made.also, written, `${a}-${b}`, `${b}/${a}`, `${b}-${a}`, `${a} and ${b}`],
      text: `${written} ${strength} ${made.sig}`, value: { ...made.value, dose } };
  };
  return {
    order: (options) => order(random, usual.take(), style, options),
    /** A drug whose dose changes: value.previous is the old dose. */
    changed() {
      for (;;) { const made = order(random, usual.take(), style, {}); if (made.hasOther) return { ...made, old: made.other() }; }
    },
    hospital: () => order(random, hospital.take(), style, {}),
    pair: () => pair(pairs.take()),
    device: () => order(random, puffs.take(), style, {}),
  };
}

const entry = (random, line) => {
  const [name, ...also] = line.split("|");
  const written = random.pick([name, ...also]).replace(/^(parkinson|alzheimer|huntington|addison)/, (letters) => letters[0].toUpperCase() + letters.slice(1));
  return { name, also, written, Written: written[0].toUpperCase() + written.slice(1) };
};

/** Conditions that do not repeat within a document: chronic, acute, past, family, threat. */
export function clinic(random) {
  const piles = Object.fromEntries(Object.entries(conditionLists).map(([kind, list]) => [kind, pile(random, list)]));
  return Object.fromEntries(Object.keys(piles).map((kind) => [kind, () => entry(random, piles[kind].take())]));
}

export const procedures = (random) => { const cards = pile(random, procedureLines); return () => entry(random, cards.take()); };
export const findings = (random, area) => { const cards = pile(random, findingLines[area]); return () => entry(random, cards.take()); };

export function allergies(random) {
  const cards = pile(random, allergens);
  return () => {
    const [names, reactions] = cards.take().split(";");
    const made = entry(random, names);
    return { ...made, reaction: random.pick(reactions.split(",")) };
  };
}

/** Results of one region: us or si. Each is normal or abnormal by chance. */
export function laboratory(random, region, { abnormal = 0.35 } = {}) {
  const cards = pile(random, labs[region]);
  const make = (line) => {
    const [names, writings, unit, shownUnits, low, high, from, to, decimals] = line.split("|");
    const [name, ...also] = names.split(";");
    const written = random.pick(writings.split(";"));
    const [bottom, top] = [low === "" ? null : Number(low), high === "" ? null : Number(high)];
    const scale = 10 ** Number(decimals);
    const between = (a, b) => random.int(Math.round(a * scale), Math.round(b * scale)) / scale;
    const step = 1 / scale;
    const sides = [...(bottom !== null && Number(from) < bottom ? ["low"] : []), ...(top !== null && Number(to) > top ? ["high"] : [])];
    const state = random.chance(abnormal) ? random.pick(sides) : "normal";
    const inner = bottom ?? Number(from), outer = top ?? Number(to);
    let value = state === "low" ? between(Number(from), bottom - step) : state === "high" ? between(top + step, Number(to)) : between(inner + (bottom === null ? 0 : step), outer - (top === null ? 0 : step));
    value = Number(value.toFixed(Number(decimals)));
    // Analysers print the end of what they measure.
    let comparator = null;
    if (state === "normal" && name === "eGFR" && random.chance(0.4)) [value, comparator] = [90, ">"];
    else if (state === "normal" && ["C-reactive protein", "Troponin T", "D-dimer"].includes(name) && random.chance(0.4)) [value, comparator] = [Number(from), "<"];
    const fixed = (number) => `${comparator ?? ""}${number.toFixed(Number(decimals))}`;
    const shownRange = bottom === null ? `<${high}` : top === null ? `>${low}` : `${low}-${high}`;
    return { name, also: [...also, ...writings.split(";"), ...writings.split(";").map((text) => text.replace(/[ ,]*\(.*\)|, .*/g, ""))], written, shown: fixed(value), unit: random.pick(shownUnits.split(";")), state,
      range: shownRange, wide: shownRange.replace(/(\d)-(\d)/, "$1 - $2"), flag: state === "high" ? "H" : state === "low" ? "L" : "",
      fact: { value, ...(comparator && { comparator }), unit: unit || null, low: bottom, high: top, flag: state === "normal" ? null : state, abnormal: state } };
  };
  return { take: () => make(cards.take()), some: (count) => Array.from({ length: count }, () => make(cards.take())),
    /** A result printed without its range and flag, as in a letter. */
    bare() { const made = make(cards.take()); return { ...made, fact: { ...made.fact, low: null, high: null, flag: null, abnormal: null } }; } };
}

/** A result that is stated without range and flag. */
export const bare = (lab) => ({ ...lab, fact: { ...lab.fact, low: null, high: null, flag: null, abnormal: null } });

export function vitals(random, isMetric) {
  const systolic = random.int(98, 178), diastolic = random.int(54, 98), pulse = random.int(52, 124), breaths = random.int(12, 28), oxygen = random.int(88, 99);
  const heat = isMetric ? random.int(361, 392) / 10 : random.int(970, 1024) / 10;
  const weight = isMetric ? random.int(480, 1120) / 10 : random.int(108, 260);
  const sign = (name, also, value, short, long) => ({ name, also, value, short, long });
  return {
    pressure: sign("blood pressure", ["BP", "B/P"], { systolic, diastolic, unit: "mmHg" }, `BP ${systolic}/${diastolic}`, `Blood pressure ${systolic}/${diastolic} mmHg`),
    pulse: sign("heart rate", ["pulse", "HR", "P", "pulse rate"], { value: pulse, unit: "bpm" }, `HR ${pulse}`, `Pulse ${pulse} bpm`),
    breaths: sign("respiratory rate", ["RR", "resp", "respirations", "resp rate"], { value: breaths, unit: "/min" }, `RR ${breaths}`, `Respiratory rate ${breaths}/min`),
    oxygen: sign("oxygen saturation", ["SpO2", "O2 sat", "sats", "SaO2", "oxygen saturations", "saturation"], { value: oxygen, unit: "%" }, `SpO2 ${oxygen}%`, `Oxygen saturation ${oxygen}%`),
    heat: sign("temperature", ["temp", "T", "body temperature"], { value: heat, unit: isMetric ? "C" : "F" }, `T ${heat.toFixed(1)} ${isMetric ? "\xb0C" : "F"}`, `Temperature ${heat.toFixed(1)} ${isMetric ? "\xb0C" : "\xb0F"}`),
    weight: sign("weight", ["wt", "body weight"], { value: weight, unit: isMetric ? "kg" : "lb" }, `Wt ${weight} ${isMetric ? "kg" : "lb"}`, `Weight ${weight} ${isMetric ? "kg" : "lb"}`),
  };
}

export const clock = (random) => `${two(random.int(8, 16))}:${random.pick(["00", "15", "30", "45"])}`;
