// What must not compile with the adapters and with gristmill/testing does not, and what must does.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

import { root } from "../../sdk/local/stack/paths.mjs";

test("wrong payloads, texts instead of jobs, and a database instead of its transaction do not compile", async () => {
  const { stdout } = await promisify(execFile)(path.join(root, "node_modules/.bin/tsc"), ["-p", path.join(root, "tests/testing/types")]).catch((error) => error);
  assert.equal(stdout, "");
});
