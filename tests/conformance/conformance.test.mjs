// Every scenario against every adapter: docs/protocol.md holds for each library and for our own workers.
import assert from "node:assert/strict";
import { after, test } from "node:test";

import { isSoak } from "../support.mjs";
import { playAll } from "./runner/all.mjs";
import { readAdapters, readScenarios } from "./runner/load.mjs";
import { matrixText } from "./runner/text.mjs";

const adapters = readAdapters().filter(({ on_soak: onSoak }) => isSoak || !onSoak);
const cells = await playAll(adapters, readScenarios());
after(() => console.log(`\n${matrixText(cells)}`));

for (const { scenario, adapter, verdict, problems } of cells.filter(({ verdict }) => ["passed", "failed"].includes(verdict))) {
  test(`${scenario.name} (${adapter.column})`, () => assert.equal(verdict, "passed", problems.join("\n")));
}
