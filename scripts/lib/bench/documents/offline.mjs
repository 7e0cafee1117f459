// What the reading rules miss, without a stack: for whoever writes rules.
//   node scripts/lib/bench/documents/offline.mjs [--kind KIND] [--form text|scan|noisy|turned] [--id PART] [--seed N] [--all] [--held-out] [--read PROGRAM]
// It reads the known half and prints each document's misses. --held-out reads the other half instead and prints figures alone: what stands
// in those documents must not shape the rules. --read is the built example `read` of gristmill-reading; without it cargo builds one.
// --id takes documents whose id contains PART; --all prints documents without a miss as well.
import path from "node:path";
import { parseArgs } from "node:util";

import { documents, write } from "../../samples/generate.mjs";
import { figures, judge } from "./tally.mjs";
import { pagesOf, read, reader } from "./words.mjs";

const { values } = parseArgs({ options: { kind: { type: "string" }, form: { type: "string" }, id: { type: "string" }, seed: { type: "string" },
  all: { type: "boolean" }, "held-out": { type: "boolean" }, read: { type: "string" } } });
const half = values["held-out"] ? "held-out" : "known";
const chosen = (await documents({ halves: [half], kind: values.kind ?? null, seed: values.seed === undefined ? null : Number(values.seed) }))
  .filter(({ id, form }) => (!values.form || form === values.form) && (!values.id || id.includes(values.id)));
if (chosen.length === 0) {
  console.error(`error: no document of the ${half} half fits; see: node scripts/lib/samples/generate.mjs --half ${half}`);
  process.exit(2);
}

const program = values.read ? path.resolve(values.read) : reader();
const judged = [];
for (const document of chosen) {
  const written = write(document);
  const found = await read(program, await pagesOf(document, written));
  judged.push(judge(document, written, found));
  if (half === "known") print(judged.at(-1), found);
}
const rows = [...figures(judged, [half])];
const width = Math.max(...rows.map(({ metric }) => metric.length));
for (const { metric, value, peer } of rows) console.log(`${metric.padEnd(width)}  ${String(Number(value.toPrecision(4))).padStart(8)}${peer ? `  ${peer}` : ""}`);

function print({ document, hits, truth, found, missed, invented, lost, stated, wronglyCoded, undoubted }, { doubts = [] }) {
  const lines = [["missed", missed], ["invented", invented], ["LOST SILENTLY", lost], ["STATED AS CURRENT", stated], ["WRONG CODE", wronglyCoded], ["WITHOUT DOUBT", undoubted]]
    .flatMap(([what, list]) => list.map((one) => `  ${what}  ${one}`));
  if (lines.length === 0 && !values.all) return;
  console.log(`${document.id}: ${hits} of ${truth} right, ${found - hits} wrong, ${doubts.length} doubts`);
  for (const line of lines) console.log(line);
}
