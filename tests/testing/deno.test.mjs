// gristmill/testing in Deno.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

import { root } from "../../sdk/local/stack/paths.mjs";

test("the engine runs inside a process of Deno", async () => {
  const { stdout } = await promisify(execFile)(path.join(root, "node_modules/.bin/deno"),
    ["run", "--quiet", "--no-check", "--allow-all", "--node-modules-dir=manual", "tests/testing/in_deno.ts"], { cwd: root });
  assert.deepEqual(stdout.trim().split("\n").map((line) => JSON.parse(line)), [{ completed: 1, result: "Hello Deno" }, []]);
});
