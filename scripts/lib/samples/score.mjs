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

// What makes a fact the fact that it is.
const essence = ({ kind, name, value }) => {
  const parts = {
    patient: [value.birth_date], date: [value.date], medication: [value.dose, value.unit, value.frequency, value.days, value.as_needed],
    lab: [value.value, value.unit, value.low, value.high], provider: [], condition: [],
  }[kind];
  return [kind, name.toLowerCase(), ...parts.map((part) => part ?? "")].join("|");
};

/** True positives and both counts, to be added up over documents. */
export function compareFacts(truth, found) {
  const wanted = bag(truth.map(essence));
  const got = bag(found.map(essence));
  let hits = 0;
  for (const [fact, count] of wanted) hits += Math.min(count, got.get(fact) ?? 0);
  const missed = [...wanted.keys()].filter((fact) => !got.has(fact));
  const invented = [...got.keys()].filter((fact) => !wanted.has(fact));
  return { hits, truth: truth.length, found: found.length, missed, invented };
}

export const f1 = ({ hits, truth, found }) => (hits === 0 ? 0 : (2 * hits) / (truth + found));
