// What scripts/bench says of itself, and that its figures can be read by a program. No figure is judged here:
// a machine that runs tests is no place to time anything.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { promisify } from "node:util";

import { checkoutState, root } from "../../sdk/local/stack/paths.mjs";
import { isAlive, until } from "../support.mjs";

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

test("an unknown suite, option or choice is refused", async () => {
  await assert.rejects(bench("no-such-suite"), { code: 1 });
  await assert.rejects(bench("wake", "--no-such-option"), { code: 2 });
  for (const option of ["--only=no-such-part", "--batch=7", "--postgres=no-such-server"]) {
    await assert.rejects(bench("engine", option), { code: 2 });
  }
  await assert.rejects(bench("wake", "--postgres=debian"), { code: 2 });
});

test("json output is one figure a line and nothing else", async () => {
  const { stdout } = await bench("wake", "--only=relay", "--json");
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

test("a bench that is interrupted ends what it started and leaves no data behind", async () => {
  const state = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-bench-"));
  fs.chmodSync(state, 0o755); // also for the user that runs Postgres when the tests run as root
  try {
    const child = execFile(path.join(root, "scripts/bench"), ["wake"], { cwd: root, env: { ...env, GRISTMILL_STATE: state } }, () => {});
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const folder = await until(() => running(state), "a stack that starts");
    const { pids } = JSON.parse(fs.readFileSync(path.join(folder, "running.json"), "utf8"));
    child.kill("SIGTERM");
    assert.equal(await ended, 130);
    assert.deepEqual(Object.values(pids).filter(isAlive), []);
    assert.equal(fs.existsSync(folder), false, "its folder is gone");
  } finally {
    fs.rmSync(state, { recursive: true, force: true });
  }
});

function running(state) {
  const stacks = path.join(state, path.basename(checkoutState));
  return fs.existsSync(stacks) && fs.readdirSync(stacks)
    .map((name) => path.join(stacks, name))
    .find((folder) => fs.existsSync(path.join(folder, "running.json")));
}
