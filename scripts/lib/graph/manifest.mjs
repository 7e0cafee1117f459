// Reads sql/manifest.txt: which parts sql/ has, which files belong to each part, and which parts each part may use.

const KINDS = ["base", "application", "library", "joint"];
const LINES = ["once", "always", "migration"];

export class BadManifest extends Error {}

/**
 * @returns {{name: string, kind: string, needs: string[], files: {how: string, path: string}[]}[]} the parts in the order of the manifest
 */
export function readManifest(text) {
  const parts = [];
  text.split("\n").forEach((line, index) => {
    const words = line.replace(/#.*/, "").trim().split(/\s+/);
    if (words[0] === "") return;
    const refuse = (why) => {
      throw new BadManifest(`sql/manifest.txt line ${index + 1}: ${why}: ${line.trim()}`);
    };
    if (words[0] === "part") {
      const [, name, kind, needs, ...needed] = words;
      if (!KINDS.includes(kind)) refuse(`a part is one of ${KINDS.join(", ")}`);
      if (needs !== undefined && (needs !== "needs" || needed.length === 0)) refuse("after the kind only 'needs PART …' may stand");
      const absent = needed.find((other) => !parts.some((part) => part.name === other));
      if (absent) refuse(`the part ${absent} is not declared above`);
      if (parts.some((part) => part.name === name)) refuse("this part is declared twice");
      parts.push({ name, kind, needs: needed, files: [] });
    } else if (LINES.includes(words[0]) && words.length === 2) {
      if (parts.length === 0) refuse("a file stands before the first part");
      parts.at(-1).files.push({ how: words[0], path: words[1] });
    } else {
      refuse(`a line begins with part, ${LINES.join(", ")}`);
    }
  });
  return parts;
}

/** The parts that each part may use: itself, what it needs, what those need, and every base part before it. */
export function reach(parts) {
  const reached = new Map();
  const base = [];
  for (const part of parts) {
    const names = new Set([part.name, ...base]);
    for (const needed of part.needs) for (const name of reached.get(needed)) names.add(name);
    reached.set(part.name, names);
    if (part.kind === "base") base.push(part.name);
  }
  return reached;
}
