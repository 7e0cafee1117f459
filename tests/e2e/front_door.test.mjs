// The commands a new user types first: ./scripts/dev, Ctrl-C, a second start, and a deployment's dry run.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";
import { readFunctions } from "../../sdk/local/stack/wrangler.mjs";
import { read } from "../processes.mjs";
import { isAlive, isSoak, until } from "../support.mjs";

let state;
before(() => {
  // Never the developer's own data. Open to the user that runs Postgres when the tests run as root.
  state = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-front-door-"));
  fs.chmodSync(state, 0o755);
});
after(() => fs.rmSync(state, { recursive: true, force: true }));

const command = (file, ...args) => commandWith({ GRISTMILL_BUILT: "1" }, file, ...args);

function commandWith(env, file, ...args) {
  // Our scripts work from any folder; wrangler builds from where it is called.
  const cwd = file.startsWith("scripts/") ? os.tmpdir() : root;
  const child = spawn(path.resolve(root, file), args, {
    cwd, env: { ...process.env, GRISTMILL_STATE: state, WRANGLER_SEND_METRICS: "false", ...env }, stdio: ["pipe", "pipe", "pipe"],
  });
  const run = { child, output: "", over: false };
  child.stdout.on("data", (chunk) => (run.output += chunk));
  child.stderr.on("data", (chunk) => (run.output += chunk));
  run.ended = new Promise((resolve) => child.once("close", (code, signal) => {
    run.over = true;
    resolve(code ?? signal);
  }));
  return run;
}

// As on a machine where nothing was compiled yet. The compiler is the real one.
function uncompiled(env = {}, ...args) {
  const target = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-uncompiled-"));
  const dev = commandWith({ GRISTMILL_BUILT: "", CARGO_TARGET_DIR: target, ...env }, "scripts/dev", ...args);
  return { dev, target };
}

/** Processes that compile into a folder: whatever cargo starts inherits the variable. */
const compilersOf = (target) => fs.readdirSync("/proc").filter((pid) => /^\d+$/.test(pid))
  .filter((pid) => read(`/proc/${pid}/environ`).split("\0").includes(`CARGO_TARGET_DIR=${target}`));

async function says(run, text) {
  await until(() => run.output.includes(text) || run.over, `"${text}"`, 180_000);
  assert.ok(run.output.includes(text), `it ended without saying "${text}": ${run.output}`);
}

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

  // The last thing that it prints is a link to the console, which signs in.
  const link = new URL(/^ +(http:\/\/\S+\/console\/#key=\S+)$/m.exec(dev.output)[1]);
  assert.match(await (await fetch(link)).text(), /<script type="module" src="app\.js"/);
  const session = await fetch(new URL("session", link), {
    method: "POST", headers: { "content-type": "application/json", origin: link.origin }, body: JSON.stringify({ key: link.hash.slice("#key=".length) }),
  });
  const { token, role } = await session.json();
  assert.equal(role, "admin");
  const start = await fetch(`${url}/rest/v1/rpc/console_start`, { method: "POST", headers: { "content-type": "application/json", authorization: `Bearer ${token}` }, body: "{}" });
  assert.equal((await start.json()).role, "admin");

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

// Holds a terminal, tells when the command in it is up, and closes the terminal when it is told to.
const TERMINAL = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
seen = b""
while b"Ctrl-C stops everything" not in seen: seen += os.read(terminal, 65536)
print("up", flush=True)
sys.stdin.readline()
os.close(terminal)
print("ended with", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

test("closing the terminal stops everything that dev started", async () => {
  const terminal = commandWith({ GRISTMILL_BUILT: "1" }, "/usr/bin/env", "python3", "-c", TERMINAL, path.join(root, "scripts/dev"));
  await says(terminal, "up\n");
  const { pid, pids } = recorded();
  terminal.child.stdin.end("close\n");
  assert.equal(await terminal.ended, 0, terminal.output);
  assert.match(terminal.output, /ended with 0$/m);
  assert.deepEqual([pid, ...Object.values(pids)].filter(isAlive), []);
});

for (const signal of ["SIGHUP", "SIGINT"]) {
  test(`${signal} ends dev while it compiles, and leaves no compiler behind`, async () => {
    const { dev, target } = uncompiled();
    try {
      await says(dev, "compiling the native binary");
      await until(() => compilersOf(target).some((pid) => read(`/proc/${pid}/cmdline`).includes("rustc")), "a compiler at work");
      dev.child.kill(signal);
      assert.equal(await dev.ended, 0, dev.output);
      assert.deepEqual(compilersOf(target), []);
    } finally {
      dev.child.kill("SIGKILL");
      fs.rmSync(target, { recursive: true, force: true });
    }
  });
}

// Compiles everything, which takes minutes: ./scripts/test soak.
if (isSoak) {
  test("a cold start shows the first job before all is compiled, then every application, and where the time went", async () => {
    const { dev, target } = uncompiled({}, "--once");
    assert.equal(await dev.ended, 0, dev.output);
    const order = ["A job went the whole way", "functions, all", "gristmill, all", "Documents were read", "Where the time went", "— first job —", "— all applications —"]
      .map((text) => dev.output.indexOf(text));
    assert.deepEqual(order, order.toSorted((a, b) => a - b), dev.output);
    assert.ok(order[0] >= 0, dev.output);
    const [, file] = /also in (\S+cold-start\.txt)/.exec(dev.output);
    assert.ok(dev.output.includes(fs.readFileSync(file, "utf8")), "the file holds the table that was printed");

    const again = commandWith({ GRISTMILL_BUILT: "", CARGO_TARGET_DIR: target }, "scripts/dev", "--once");
    assert.equal(await again.ended, 0, again.output);
    assert.doesNotMatch(again.output, /compiling|installing|Where the time went/, "a second start compiles nothing");
    fs.rmSync(target, { recursive: true, force: true });
  });
}

test("a stage of dev that fails shows the compiler's words, says what to do, and nothing is started", async () => {
  const { dev, target } = uncompiled({ RUSTFLAGS: "--no-such-option" });
  assert.equal(await dev.ended, 1, dev.output);
  assert.match(dev.output, /error: gristmill: 'compiling the native binary, without the applications' failed/);
  assert.match(dev.output, /Unrecognized option: 'no-such-option'/);
  assert.match(dev.output, /what to do: see what the compiler says above/);
  assert.doesNotMatch(dev.output, /starting …/);
  assert.deepEqual(compilersOf(target), []);
  fs.rmSync(target, { recursive: true, force: true });
});

test("every script explains itself and refuses what it does not know", async () => {
  for (const script of ["dev", "test", "build", "setup", "bench", "release"]) {
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
