// What scripts/bench says of itself, and that its figures can be read by a program. No figure is judged here:
// a machine that runs tests is no place to time anything.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { promisify } from "node:util";

import { root } from "../../scripts/lib/stack/paths.mjs";

const run = promisify(execFile);
const env = { ...process.env, GRISTMILL_BUILT: "1" };
const bench = (...words) => run(path.join(root, "scripts/bench"), words, { cwd: root, env });
const suites = fs.readdirSync(path.join(root, "scripts/lib/bench"))
  .filter((file) => file.endsWith(".suite.mjs"))
  .map((file) => file.slice(0, -".suite.mjs".length));

test("help lists every suite with what it measures", async () => {
  const { stdout } = await bench("--help");
  for (const suite of suites) assert.match(stdout, new RegExp(`^  ${suite} +\\S.+$`, "m"));
});

test("an unknown suite, option or part is refused", async () => {
  await assert.rejects(bench("no-such-suite"), { code: 1 });
  await assert.rejects(bench("wake", "--no-such-option"), { code: 2 });
  await assert.rejects(bench("engine", "--only=no-such-part"), { code: 2 });
});

test("json output is one figure a line and nothing else", async () => {
  const { stdout } = await bench("wake", "--json");
  const lines = stdout.trimEnd().split("\n");
  assert.ok(lines.length > 0);
  for (const line of lines) {
    const figure = JSON.parse(line);
    assert.deepEqual(Object.keys(figure), ["suite", "metric", "value", "unit", "peer", "ratio"]);
    assert.equal(figure.suite, "wake");
    for (const key of ["metric", "unit"]) assert.equal(typeof figure[key], "string");
    assert.equal(typeof figure.value, "number");
    assert.equal(figure.peer === null, figure.ratio === null);
  }
});
