// Compares what a scenario expects with what was seen. Objects are compared by the fields that the scenario names; values that begin with $ are patterns.

/** Replaces "${name}" in every string by the value of that name; a string that is nothing else becomes the value itself. */
export function fill(value, names) {
  if (typeof value === "string") {
    const whole = /^\$\{(\w+)\}$/.exec(value)?.[1];
    if (whole !== undefined && whole in names) return names[whole];
    return value.replace(/\$\{(\w+)\}/g, (text, name) => (name in names ? String(names[name]) : text));
  }
  if (Array.isArray(value)) return value.map((one) => fill(one, names));
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, names)]));
  return value;
}

const PATTERNS = {
  $absent: (_, actual) => actual === undefined,
  $empty: (_, actual) => actual === undefined || actual === null,
  $matches: (pattern, actual) => typeof actual === "string" && new RegExp(pattern).test(actual),
  $type: (type, actual) => (type === "array" ? Array.isArray(actual) : type === "integer" ? Number.isInteger(actual) : typeof actual === type && actual !== null),
  $between: ([least, most], actual) => typeof actual === "number" && actual >= least && actual <= most,
  $length: (length, actual) => actual?.length === length,
  $shorter: (length, actual) => actual?.length < length,
  $contains: (value, actual) => Array.isArray(actual) && actual.some((one) => mismatches(value, one).length === 0),
  $in: (values, actual) => values.some((value) => mismatches(value, actual).length === 0),
  $not: (value, actual) => mismatches(value, actual).length > 0,
  $any_order: (values, actual) => {
    if (!Array.isArray(actual) || actual.length !== values.length) return false;
    const left = [...actual];
    return values.every((value) => {
      const at = left.findIndex((one) => mismatches(value, one).length === 0);
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
  },
};

/** Every place where they differ, as sentences. */
export function mismatches(expected, actual, place = "") {
  const here = place || "it";
  if (expected && typeof expected === "object" && !Array.isArray(expected)) {
    const patterns = Object.keys(expected).filter((key) => key.startsWith("$"));
    if (patterns.length > 0) {
      return patterns.flatMap((key) => {
        if (!PATTERNS[key]) throw new Error(`there is no pattern ${key}`);
        return PATTERNS[key](expected[key], actual) ? [] : [`${here} is ${short(actual)}, expected ${short(expected)}`];
      });
    }
    if (!actual || typeof actual !== "object" || Array.isArray(actual)) return [`${here} is ${short(actual)}, expected ${short(expected)}`];
    return Object.entries(expected).flatMap(([key, value]) => mismatches(value, actual[key], place ? `${place}.${key}` : key));
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return [`${here} is ${short(actual)}, expected ${short(expected)}`];
    return expected.flatMap((value, at) => mismatches(value, actual[at], `${place}[${at}]`));
  }
  return Object.is(expected, actual) ? [] : [`${here} is ${short(actual)}, expected ${short(expected)}`];
}

export const fits = (expected, actual) => mismatches(expected, actual).length === 0;

export function short(value, most = 300) {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text;
}
