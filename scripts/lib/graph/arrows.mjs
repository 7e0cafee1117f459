// The arrows between the parts of sql/, and which of them point up.
import { reach } from "./manifest.mjs";
import { created, used } from "./objects.mjs";

/**
 * @param parts   as readManifest gives them
 * @param {(path: string) => string} read  the text of a file of the manifest
 * @returns {{from: string, to: string, file: string, line: number, name: string, isUp: boolean}[]} one per file and name
 */
export function arrowsOfSql(parts, read) {
  const texts = parts.flatMap((part) => part.files.map(({ path }) => ({ part: part.name, path, text: read(path) })));
  const homes = whereCreated(texts);
  const reached = reach(parts);
  const found = new Map();
  for (const { part, path, text } of texts) {
    for (const { name, bare, line } of used(text)) {
      const home = homeOf(name, bare, part, homes, reached.get(part));
      if (!home || home.part === part) continue;
      const key = `${path} ${home.name}`;
      if (!found.has(key)) found.set(key, { from: part, to: home.part, file: path, line, name: home.name, isUp: !reached.get(part).has(home.part) });
    }
  }
  return [...found.values()];
}

/** Every object by its name, and by the name alone: the parts that create an object of that name. */
function whereCreated(texts) {
  const homes = { qualified: new Map(), bare: new Map() };
  const note = (map, key, home) => map.set(key, [...(map.get(key) ?? []), home]);
  for (const { part, text } of texts) {
    for (const { kind, name } of created(text)) {
      if (kind !== "trigger") note(homes.qualified, name, { part, name });
      const word = name.split(".").at(-1);
      if (isTelling(kind, word)) note(homes.bare, word, { part, name });
    }
  }
  return homes;
}

// A literal 'worker' is a word and not the table mill.worker, but 'task_ended' hardly is. Routines are called by their names alone, as
// the steps of the tick are, so each of their names counts.
const isTelling = (kind, word) => ["function", "procedure", "trigger"].includes(kind) || word.includes("_");

// A name that several parts create is taken for the one that may be used. A word by itself may be just a word: it counts only where
// no part within reach has an object of this name.
function homeOf(name, bare, part, homes, reached) {
  const candidates = (bare ? homes.bare : homes.qualified).get(name) ?? [];
  const home = candidates.find((candidate) => candidate.part === part) ?? candidates.find((candidate) => reached.has(candidate.part));
  if (bare) return home ? null : candidates[0];
  return home ?? candidates[0];
}

/** One sentence per arrow that points up. */
export function complaints(parts, arrows) {
  const reached = reach(parts);
  const order = parts.map((part) => part.name);
  const isBase = new Set(parts.filter((part) => part.kind === "base").map((part) => part.name));
  return arrows.filter((arrow) => arrow.isUp).map(({ from, to, file, name }) => {
    const isAbove = reached.get(to).has(from) || (isBase.has(from) && order.indexOf(to) > order.indexOf(from));
    return `${file} uses ${name} of ${to}, which ${isAbove ? "is above it" : `${from} does not need`}`;
  });
}

/** Arrows between parts, each with what it stands for. */
export function bundle(arrows) {
  const bundles = new Map();
  for (const arrow of arrows) {
    const key = `${arrow.from} ${arrow.to}`;
    if (!bundles.has(key)) bundles.set(key, { from: arrow.from, to: arrow.to, isUp: arrow.isUp, reasons: [] });
    bundles.get(key).reasons.push(arrow);
  }
  return [...bundles.values()];
}
