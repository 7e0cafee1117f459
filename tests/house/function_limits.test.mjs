// The build warns of functions that platforms refuse or start slowly.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { LIMITS, measure, warnings } from "../../scripts/lib/function-limits.mjs";
import { root } from "../../sdk/local/stack/paths.mjs";

let folder;
before(() => {
  folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "function-limits-")), "mine");
  fs.mkdirSync(folder);
});
after(() => fs.rmSync(path.dirname(folder), { recursive: true }));

test("a function of over 5 MB is named with its size", async () => {
  fs.writeFileSync(path.join(folder, "index.js"), "");
  fs.writeFileSync(path.join(folder, "index_bg.wasm"), Buffer.alloc(LIMITS.bytes));
  assert.deepEqual(await warnings(folder), []);
  fs.writeFileSync(path.join(folder, "index.js"), "// one byte more");
  const [said] = await warnings(folder);
  assert.match(said, /^mine has 5\.0 MB of code/);
});

test("a function that takes over a second until it serves is named with its time", async () => {
  fs.writeFileSync(path.join(folder, "index_bg.wasm"), "");
  fs.writeFileSync(path.join(folder, "deno.js"), "const begun = performance.now(); while (performance.now() - begun < 1100); Deno.serve({}, () => {});");
  const [said] = await warnings(folder);
  assert.match(said, /^mine takes 1\.\d\d s until it serves/);
});

test("every built function is far below both limits", async () => {
  const built = path.join(root, "build/functions");
  for (const name of fs.readdirSync(path.join(root, "functions"))) {
    const { bytes, seconds } = await measure(path.join(built, name));
    assert.ok(bytes > 100_000 && bytes < LIMITS.bytes / 2, `${name}: ${bytes}`);
    assert.ok(seconds > 0, `${name} does not start`);
  }
});
