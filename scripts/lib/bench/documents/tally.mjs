// Adds up how well documents were understood: by half, by form, by kind of fact and of document, and by layout.
import { compareFacts, f1, lostSilently, precision, recall, statedAsCurrent, sum, undoubted } from "../../samples/score.mjs";
import { forms } from "../../samples/generate.mjs";

/** The goal: precision, and recall on text and on scans. */
export const GOAL = { precision: 0.97, text: 0.9, scan: 0.85 };

/** What is to be said of one document. `found` is {facts, doubts}. */
export function judge(document, written, found) {
  return { document, ...compareFacts(written.facts, found.facts), lost: lostSilently(written.facts, found.facts, found.doubts ?? []), stated: statedAsCurrent(written.facts, found.facts),
    undoubted: undoubted(written.facts, found.facts, found.doubts ?? []) };
}

/** The figures of judged documents as the bench prints them: {metric, value, unit, peer?, ratio?}. */
export function* figures(judged, halves) {
  const of = (half, fits = () => true) => judged.filter(({ document }) => document.half === half && fits(document));
  for (const half of halves.filter((one) => of(one).length > 0)) {
    yield { metric: `${half}: documents`, value: of(half).length, unit: "" };
    for (const [name, isScan] of [["text", false], ["scan", true]]) {
      const group = of(half, ({ form }) => forms[form].isScan === isScan);
      if (group.length === 0) continue;
      const score = sum(group);
      yield { metric: `${half}: precision, ${name}`, value: precision(score), unit: "share", peer: `at least ${GOAL.precision}`, ratio: precision(score) / GOAL.precision };
      yield { metric: `${half}: recall, ${name}`, value: recall(score), unit: "share", peer: `at least ${GOAL[name]}`, ratio: recall(score) / GOAL[name] };
    }
    for (const [what, list] of [["abnormal results lost silently", "lost"], ["not so, and stated as current", "stated"], ["wrong code", "wronglyCoded"], ["doubt not raised", "undoubted"]]) {
      yield { metric: `${half}: ${what}`, value: of(half).reduce((count, one) => count + one[list].length, 0), unit: "" };
    }
  }
  const shares = (name, groupsOf) => {
    const groups = halves.map((half) => groupsOf(of(half)));
    return [...new Set(groups.flatMap((group) => Object.keys(group)))].sort().map((key) => [`${name} ${key}`, groups.map((group) => group[key])]);
  };
  yield* beside([["all", halves.map((half) => scoreOf(of(half)))]], halves);
  for (const rows of [shares("form", (some) => grouped(some, ({ form }) => form)), shares("fact", byKind), shares("document", (some) => grouped(some, ({ kind }) => kind))]) yield* beside(rows, halves);
  // A layout belongs to one half, so it stands beside nothing.
  for (const half of halves) {
    for (const [layout, score] of Object.entries(grouped(of(half), ({ template, layout }) => `${template.name} ${layout}`))) {
      yield { metric: `${half}: F1, layout ${layout}`, value: f1(score), unit: "" };
    }
  }
}

function* beside(rows, halves) {
  for (const [name, scores] of rows) {
    for (const [at, half] of halves.entries()) if (scores[at]) yield { metric: `${half}: F1, ${name}`, value: f1(scores[at]), unit: "" };
    if (scores.length === 2 && scores.every(Boolean)) yield { metric: `${halves[0]} less ${halves[1]}: F1, ${name}`, value: f1(scores[0]) - f1(scores[1]), unit: "" };
  }
}

const scoreOf = (some) => (some.length === 0 ? null : sum(some));

function grouped(some, key) {
  const groups = groupBy(some, ({ document }) => key(document));
  return Object.fromEntries([...groups].map(([name, group]) => [name, sum(group)]));
}

// Map.groupBy is not in Node 20.
function groupBy(list, key) {
  const groups = new Map();
  for (const one of list) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return groups;
}

function byKind(some) {
  const kinds = new Set(some.flatMap(({ byKind }) => Object.keys(byKind)));
  return Object.fromEntries([...kinds].map((kind) => [kind, sum(some.flatMap(({ byKind }) => byKind[kind] ?? []))]));
}
