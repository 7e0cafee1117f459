// Plays the scenarios against all adapters, or some, and prints the matrix. Ends with 1 when a scenario does not hold.
//   node matrix.mjs [--adapter NAME]… [--scenario WORD]… [--calls]
import { parseArgs } from "node:util";

import { playAll } from "./runner/all.mjs";
import { readAdapters, readScenarios } from "./runner/load.mjs";
import { tapeText } from "./runner/play.mjs";
import { matrixText } from "./runner/text.mjs";

const { values } = parseArgs({ options: { adapter: { type: "string", multiple: true }, scenario: { type: "string", multiple: true }, calls: { type: "boolean" } } });
const adapters = readAdapters().filter(({ name }) => !values.adapter || values.adapter.some((wanted) => name.startsWith(wanted)));
const scenarios = readScenarios().filter(({ name }) => !values.scenario || values.scenario.some((word) => name.includes(word)));
if (adapters.length === 0 || scenarios.length === 0) throw new Error("no adapter or no scenario of this name");

const begun = performance.now();
const cells = await playAll(adapters, scenarios, (cell) => {
  if (values.calls && cell.calls.length > 0) console.log(`\n${cell.scenario.name} (${cell.adapter.column}), ${cell.ms} ms\n  ${tapeText(cell.calls).join("\n  ")}`);
});
const failed = cells.filter(({ verdict }) => verdict === "failed");
for (const { scenario, adapter, problems } of failed) console.log(`\n✗ ${scenario.name} (${adapter.column})\n  ${problems.join("\n  ")}`);
console.log(`\n${matrixText(cells)}\n\n${scenarios.length} scenarios, ${cells.filter(({ verdict }) => verdict === "passed").length} passed, ${failed.length} failed in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
process.exit(failed.length > 0 ? 1 : 0);
