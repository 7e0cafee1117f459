// The commands a new user types first: ./scripts/dev, Ctrl-C, a second start, and a deployment's dry run.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { root } from "../../scripts/lib/stack/paths.mjs";
import { readFunctions } from "../../scripts/lib/stack/wrangler.mjs";
import { isAlive, isSoak, until } from "../support.mjs";

let state;
before(() => {
  // Never the developer's own data. Open to the user that runs Postgres when the tests run as root.
  state = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-front-door-"));
  fs.chmodSync(state, 0o755);
});
after(() => fs.rmSync(state, { recursive: true, force: true }));

function command(file, ...args) {
  // Our scripts work from any folder; wrangler builds from where it is called.
  const cwd = file.startsWith("scripts/") ? os.tmpdir() : root;
  const child = spawn(path.join(root, file), args, {
    cwd, env: { ...process.env, GRISTMILL_STATE: state, GRISTMILL_BUILT: "1", WRANGLER_SEND_METRICS: "false" }, stdio: ["ignore", "pipe", "pipe"],
  });
  const run = { child, output: "" };
  child.stdout.on("data", (chunk) => (run.output += chunk));
  child.stderr.on("data", (chunk) => (run.output += chunk));
  run.ended = new Promise((resolve) => child.once("close", (code, signal) => resolve(code ?? signal)));
  return run;
}

const says = (run, text) => until(() => run.output.includes(text), `"${text}" (so far: ${run.output})`, 180_000);

function recorded() {
  const [checkout] = fs.readdirSync(state).filter((name) => fs.existsSync(path.join(state, name, "dev")));
  return JSON.parse(fs.readFileSync(path.join(state, checkout, "dev/running.json"), "utf8"));
}

test("dev --once shows a job from enqueue to settled, and stops", async () => {
  const dev = command("scripts/dev", "--once");
  assert.equal(await dev.ended, 0, dev.output);
  assert.match(dev.output, /result {3}\{"echo":\{"hello":"Gristmill"\}\}/);
  assert.match(dev.output, /took {5}\d+ ms from enqueue to settled/);
});

test("Ctrl-C stops everything that dev started, and the address it printed worked", async () => {
  const dev = command("scripts/dev");
  await says(dev, "Ctrl-C stops everything");
  const { url, pids } = recorded();
  assert.equal((await fetch(`${url}/rest/v1/`)).status, 200);

  const env = command("scripts/dev", "--env");
  assert.equal(await env.ended, 0);
  assert.match(env.output, new RegExp(`^export GRISTMILL_URL='${url}'$`, "m"));

  const second = command("scripts/dev");
  assert.equal(await second.ended, 1);
  assert.match(second.output, /already running/);
  assert.ok(Object.values(pids).every(isAlive), "the second start disturbed the first");

  dev.child.kill("SIGINT");
  assert.equal(await dev.ended, 0, dev.output);
  assert.deepEqual(Object.entries(pids).filter(([, pid]) => isAlive(pid)), []);
});

test("what a dev that was killed at work left behind is ended by the next start, which shows everything again", async () => {
  const dev = command("scripts/dev");
  await says(dev, "up in");
  const { pid, pids } = recorded();
  process.kill(pid, "SIGKILL");
  await dev.ended;
  assert.ok(Object.values(pids).some(isAlive), "the parts outlive a killed supervisor");

  const next = command("scripts/dev", "--once");
  assert.equal(await next.ended, 0, next.output);
  assert.deepEqual(Object.values(pids).filter(isAlive), []);
});

test("Ctrl-C stops dev while it shows the applications, without an error", async () => {
  const dev = command("scripts/dev");
  await says(dev, "up in");
  const { pids } = recorded();
  dev.child.kill("SIGINT");
  assert.equal(await dev.ended, 0, dev.output);
  assert.doesNotMatch(dev.output, /error|Gristmill is up/);
  assert.deepEqual(Object.values(pids).filter(isAlive), []);
});

test("every script explains itself and refuses what it does not know", async () => {
  for (const script of ["dev", "test", "build", "setup", "bench"]) {
    const help = command(`scripts/${script}`, "--help");
    assert.equal(await help.ended, 0, script);
    assert.match(help.output, /^usage: scripts\//m, script);
    const wrong = command(`scripts/${script}`, "--nonsense");
    assert.equal(await wrong.ended, 2, `${script}: ${wrong.output}`);
  }
});

test("wrangler takes each environment of wrangler.toml", async () => {
  const names = isSoak ? readFunctions().functions.map(({ name }) => name) : ["health"];
  for (const name of names) {
    const deploy = command("node_modules/.bin/wrangler", "deploy", "--dry-run", "-e", name,
      "--outdir", path.join(state, name));
    assert.equal(await deploy.ended, 0, deploy.output);
    assert.match(deploy.output, /--dry-run: exiting now/);
  }
});
