// Example 5 in a folder of its own: jobs by psql alone.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { startStack } from "../support.mjs";
import { copyOf, remove } from "./folder.mjs";

const skip = spawnSync("psql", ["--version"]).error ? "psql is not on this system" : false;
let stack, folder;
before(async () => {
  if (skip) return;
  [stack, folder] = await Promise.all([startStack("example-sql", { parts: [], applications: "none" }), copyOf("5-sql")]);
});
after(async () => {
  remove(folder);
  await stack?.destroy();
});

test("jobs are registered, enqueued, claimed and settled by psql alone, and it prints what the example says", { skip }, async () => {
  const [, command] = /```sh\n(.*)\n```/.exec(fs.readFileSync(path.join(folder, "README.md"), "utf8"));
  const { stdout } = await promisify(execFile)("bash", ["-c", `${command} 2>&1`], { cwd: folder, env: { ...process.env, DATABASE_URL: stack.databaseUrl } });
  assert.equal(stdout, fs.readFileSync(path.join(folder, "expected.txt"), "utf8"));
});
