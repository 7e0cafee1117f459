// The start of ./scripts/dev before anything runs: how far cargo is, which stage waits for which, and what is compiled at all.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { isFresh } from "../../scripts/lib/dev/choose.mjs";
import { inWords, ofLog, readProgress } from "../../scripts/lib/dev/progress.mjs";
import { Stages, table } from "../../scripts/lib/dev/stages.mjs";
import { root } from "../../sdk/local/stack/paths.mjs";
import { isRunning } from "../processes.mjs";
import { until } from "../support.mjs";

// What cargo 1.95 wrote into a file while it compiled scripts/lib/bindgen, with the variables of progress.mjs.
const REAL = path.join(import.meta.dirname, "cargo-progress.txt");

let folder;
before(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-cold-start-"))));
after(() => fs.rmSync(folder, { recursive: true, force: true }));

test("the newest bar of real cargo output tells the crates that are compiled and the total", () => {
  const text = fs.readFileSync(REAL, "utf8");
  const whole = readProgress(text);
  assert.ok(whole.total > 40, `a total of ${whole.total}`);
  assert.equal(whole.done, whole.total - 1); // the last bar is drawn while the last crate is compiled
  const half = readProgress(text.slice(0, text.length / 2));
  assert.equal(half.total, whole.total);
  assert.ok(half.done > 0 && half.done < whole.done, `${half.done} of ${half.total} in the middle`);
});

test("cargo output without a bar tells nothing of the progress", () => {
  assert.equal(readProgress("   Compiling serde v1.0.0\n    Finished `release` profile\n"), null);
  assert.equal(ofLog(path.join(folder, "missing.log"), 3), null);
});

test("the time that is left is guessed from the pace since the first bar, in round figures", () => {
  assert.equal(inWords({ done: 213, total: 318, before: 0 }, 100), "213 of 318 crates, about 50 s left");
  assert.equal(inWords({ done: 60, total: 318, before: 0 }, 60), "60 of 318 crates, about 4 min left");
  // 200 were compiled by an earlier start: 50 took 100 s, so the other 68 take 136 s.
  assert.equal(inWords({ done: 250, total: 318, before: 200 }, 100), "250 of 318 crates, about 2 min left");
});

test("no time is guessed before a tenth of the crates is compiled", () => {
  assert.equal(inWords({ done: 20, total: 318, before: 0 }, 60), "20 of 318 crates");
  assert.equal(inWords({ done: 220, total: 318, before: 212 }, 60), "220 of 318 crates");
});

const quietly = () => {
  const said = [];
  return { said, stages: new Stages({ terminal: false, every: 1, write: (text) => said.push(text) }) };
};
const shell = (script) => ({ message: "testing", mend: "look at the test", command: ["bash", "-c", script] });

test("a stage begins after the stages that it waits for, and beside all others", async () => {
  const { stages, said } = quietly();
  const note = path.join(folder, "order");
  const slow = stages.run("slow", shell(`until [ -e ${note}-beside ]; do sleep 0.02; done; touch ${note}-slow`));
  const beside = stages.run("beside", shell(`touch ${note}-beside`));
  const last = stages.run("last", { ...shell(`test -e ${note}-slow`), after: [slow, beside, null] });
  await last;
  assert.deepEqual(stages.times.map(({ name }) => name), ["beside", "slow", "last"]);
  assert.deepEqual(said, [], "stages that end at once stay silent");
});

test("a stage that takes long is announced, shows how far it is, and tells how long it took", async () => {
  const { stages, said } = quietly();
  await stages.run("long", shell("sleep 7"));
  assert.match(said.join(""), /^ {2}long {11}testing …\n {17}long \d s\n(?:.*\n)* {2}long {11}done in 7 s\n$/);
});

test("a stage that fails says what it printed and what to do", async () => {
  const { stages } = quietly();
  await assert.rejects(stages.run("broken", shell("echo no such crate >&2; exit 3")),
    { name: "StageFailed", message: "broken: 'testing' failed (exit 3)\n  no such crate\n  what to do: look at the test" });
});

test("a stage whose forerunner failed never begins", async () => {
  const { stages } = quietly();
  const note = path.join(folder, "never");
  const broken = stages.run("broken", shell("exit 1"));
  await assert.rejects(stages.run("next", { ...shell(`touch ${note}`), after: [broken] }), { name: "StageFailed" });
  assert.equal(fs.existsSync(note), false);
});

test("ending the stages ends what they have started, and what that has started", async () => {
  const { stages } = quietly();
  const note = path.join(folder, "pids");
  const running = stages.run("running", shell(`(trap "sleep 0.3; exit" TERM; while :; do sleep 0.05; done) >/dev/null 2>&1 & echo $! >${note}.new; mv ${note}.new ${note}; wait`));
  const refused = assert.rejects(running, { message: "stopped" });
  await until(() => fs.existsSync(note), "the stage having started something");
  const grandchild = Number(fs.readFileSync(note, "utf8"));
  assert.ok(isRunning(grandchild));
  await stages.end();
  assert.equal(isRunning(grandchild), false);
  await refused;
  await assert.rejects(stages.run("later", shell("true")), { message: "stopped" });
});

test("the table of a cold start lists steps and moments by when they ended", () => {
  const text = table([{ name: "npm", from: 0, to: 14, cpu: 9.6 }, { name: "gristmill", from: 1, to: 100, cpu: null }], [{ name: "— first job —", to: 50 }]);
  assert.deepEqual(text.split("\n").map((line) => line.trim().split(/ {2,}/)),
    [["step", "seconds", "CPU ended at"], ["npm", "14", "10", "14"], ["— first job —", "50"], ["gristmill", "99", "100"]]);
});

test("what the tests have built counts as fresh until a source is newer, and never for the sources of another checkout", () => {
  const made = path.join(folder, "gristmill");
  const source = path.join(root, "command/Cargo.toml");
  fs.writeFileSync(made, "");
  fs.writeFileSync(`${made}.d`, `${made}: ${source}\n`);
  assert.equal(isFresh(made), true);
  fs.writeFileSync(`${made}.d`, `${made}: /elsewhere${source}\n`);
  assert.equal(isFresh(made), false, "sources of another checkout");
  fs.writeFileSync(`${made}.d`, `${made}: ${source}\n`);
  fs.utimesSync(made, new Date(0), new Date(0));
  assert.equal(isFresh(made), false, "a source is newer");
  assert.equal(isFresh(path.join(folder, "missing")), false, "never built");
});
