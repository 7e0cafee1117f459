// ./scripts/dev: builds what is missing, starts the stack, shows the applications at work, stays up.
//
// The first start is staged. A job needs the gateway, the relay and two functions, which are 324 of 860 CPU seconds: these
// come first, the job is shown, and everything else is compiled behind it. 75 crates are compiled twice, because the applications switch on
// features of what both stand on (bitflags, num-traits, url …). By cargo tree it is 28 such crates; listing them as dependencies would save this, and was not tried.
//
//   rust ─┬─ wasm ── worker (Debian packages) ─────────────────────────────┐
//         ├─ bindgen ────┐                                                 │
//   npm ──┼──────────────┼─ functions of the first job ─┐                  │
//         └─ gristmill ──┴─ Postgres, gateway, relay ───┴─ first job ─ all functions ─ all of gristmill ─ the applications
//
// Nothing that npm installs is imported before npm is done.
import fs from "node:fs";
import path from "node:path";

import { choose, functionNames, noteComplete } from "./dev/choose.mjs";
import { Stages, table } from "./dev/stages.mjs";
import { checkoutState, gristmill, root, targetDir } from "../../sdk/local/stack/paths.mjs";
import { endLeftovers, runningSupervisor } from "../../sdk/local/stack/registry.mjs";
import { leaveTerminal, outliveTerminal } from "../../sdk/local/stack/terminal.mjs";

const colours = process.stdout.isTTY && !process.env.NO_COLOR;
const bold = (text) => (colours ? `\x1b[1m${text}\x1b[0m` : text);
const dim = (text) => (colours ? `\x1b[2m${text}\x1b[0m` : text);

const FIRST = ["enqueue", "processor"]; // what the first job calls
const MEND = "see what the compiler says above; what is compiled already is kept, and ./scripts/dev goes on from there";
const options = new Set(process.argv.slice(2));
const folder = path.join(checkoutState, "dev");
const stages = new Stages();
const moments = [];
let stack = null;

let stopping = false;
async function stop(code, { terminalIsGone = false } = {}) {
  if (stopping) return;
  stopping = true;
  stages.say(dim("\nstopping …"));
  await stages.end();
  await stack?.stop();
  if (terminalIsGone) leaveTerminal();
  process.exit(code);
}
outliveTerminal();
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process.on(signal, () => stop(0, { terminalIsGone: signal === "SIGHUP" }));

refuseSecondStart();
await endLeftovers(folder);
if (options.has("--fresh")) fs.rmSync(folder, { recursive: true, force: true });

// Tests come with everything built, and must not wait for cargo's lock while other tests are compiled.
const built = Boolean(process.env.GRISTMILL_BUILT);
const chosen = built ? { native: "tested", functions: "tested", staged: false } : choose();
if (chosen.functions === "local") process.env.GRISTMILL_FUNCTIONS_DIR ??= path.join(root, "build/local");

let fail;
const failure = new Promise((_, reject) => (fail = reject));
failure.catch(() => {}); // it is looked at below, perhaps later
try {
  await Promise.race([work(), failure]);
} catch (error) {
  if (stopping) await new Promise(() => {}); // Ctrl-C has cut it off; stop() ends the process
  stages.say("");
  console.error(`error: ${error.message}${stack ? `\n  logs: ${stack.logDir}` : ""}`);
  await stop(1);
}
if (options.has("--once")) await stop(0);
showAddresses();

for (const part of Object.values(stack.parts)) {
  part.process.once("exit", () => {
    if (!stopping) console.error(`${part.name} ended unexpectedly (${part.ending}); log: ${part.log}`);
  });
}

async function work() {
  const { staged } = chosen;
  const tools = prepare();
  // One run of cargo after another: they would wait for each other's lock, and what runs while compiling is shared.
  // The page of the console is read from its folder, so nothing waits for it.
  bundleConsole(tools);
  const native = compileNative(tools, { first: staged });
  const functions = compileFunctions(tools, native, staged ? FIRST : functionNames());

  await Promise.all([native, tools.npm]);
  const [{ Stack }, { scanner }, { demonstrate }] = await Promise.all([import("../../sdk/local/stack/stack.mjs"), import("../../sdk/local/stack/scanner.mjs"), import("./demo/index.mjs")]);
  refuseSecondStart(); // compiling has taken its time
  if (stopping) throw new Error("stopped");
  const begun = performance.now();
  const scanning = scanner();
  stack = new Stack("dev", {
    parts: ["gateway", "relay", "storage", "provider", "workerd", "work", ...("missing" in scanning ? [] : ["clamd"])],
    realtime: true,
    functions: staged ? FIRST : null,
    binary: chosen.native === "local" ? (process.env.GRISTMILL_BIN ?? path.join(targetDir, "local/gristmill")) : gristmill,
    onStep: (part) => stages.say(`  ${bold(part.padEnd(14))} starting …`),
  });
  await stack.start(["gateway", "relay"]);
  await functions;
  await stack.add(["workerd"]);

  if (staged) {
    await demonstrate(stack, print, isFirst);
    moment("first job");
    stages.say(dim(`  It answers at ${stack.url} from now on. The applications follow when they are compiled.\n`));
    const all = compileFunctions(tools, functions, functionNames());
    const rest = compileNative(tools, { after: all });
    await stack.add(["storage", "provider"]);
    await all;
    stack.functions = null; // all of them
    await stack.replace("workerd");
    await rest;
  } else {
    await stack.add(["storage", "provider"]);
  }
  await tools.worker;
  // It reads its signatures for half a minute. Until it answers, documents wait in their first stage.
  if ("missing" in scanning) stages.say(dim(`  uploads are not scanned for viruses: ${scanning.missing}`));
  else stack.add(["clamd"]).catch(fail);
  await stack.add(["work"]);
  noteComplete(chosen);
  if (!staged) stages.say(dim(`  up in ${((performance.now() - begun) / 1000).toFixed(1)} s\n`));
  await demonstrate(stack, print, (order) => !(staged && isFirst(order)));
  if (staged) showTimes();
}

function isFirst(order) {
  return order === 1;
}

/** What has to be there before something can be compiled. Each looks first, and is done at once where nothing is missing. */
function prepare() {
  if (built) return { rust: null, npm: null, wasm: null, bindgen: null, worker: null };
  const setup = (part, message, after, mend) => stage(part, { message, after, mend, command: ["scripts/setup", "--only", part] });
  const online = "check that this machine reaches the registry, then run ./scripts/dev again";
  const npm = setup("npm", "installing Node packages from the lock file", [], online);
  const rust = setup("rust", "installing Rust", [], "install Rust from your package manager or rustup.rs, then run ./scripts/dev again");
  const wasm = setup("wasm", "getting the wasm32 target", [rust], "run: rustup target add wasm32-unknown-unknown");
  const bindgen = setup("bindgen", "building wasm-bindgen", [rust], online);
  // After the others that may call apt: two at once would meet at its lock.
  const worker = setup("worker", "installing what the applications call", [wasm], "install the packages of worker/debian-packages.txt, then run ./scripts/dev again");
  return { rust, npm, wasm, bindgen, worker };
}

function compileNative({ rust }, { first = false, after = null }) {
  if (chosen.native === "tested") return null; // cargo would compile it again, without lints and with other features
  return stage(first ? "gristmill" : "gristmill, all", {
    message: first ? "compiling the native binary, without the applications" : "compiling the native binary",
    command: ["scripts/lib/build-native.sh", "local", ...(first ? ["--first"] : [])],
    after: [rust, after], mend: MEND, log: "gristmill",
  });
}

function bundleConsole({ npm }) {
  if (built) return;
  stage("console", { message: "bundling the console", command: ["scripts/lib/build-console.sh"], after: [npm],
    mend: "see what the bundler says above, then run ./scripts/dev again" });
}

function compileFunctions({ wasm, bindgen, npm }, after, names) {
  if (built) return null;
  return stage(names === FIRST ? "functions" : "functions, all", {
    message: `compiling ${names.join(" ")} to WebAssembly`,
    command: ["scripts/build", ...(chosen.functions === "local" ? ["--local"] : []), "--quiet", ...names],
    after: [wasm, bindgen, npm, after], mend: MEND, log: "functions",
  });
}

/** Runs a stage. When it fails, ./scripts/dev ends, also while it waits for another stage. */
function stage(name, how) {
  const ended = stages.run(name, how);
  ended.catch(fail);
  return ended;
}

function moment(name) {
  moments.push({ name: `— ${name} —`, to: stages.seconds });
}

function refuseSecondStart() {
  const running = runningSupervisor(folder);
  if (!running) return;
  console.error(`error: the development stack of this checkout is already running (process ${running.pid})\n  it answers at ${running.url}; stop it with Ctrl-C in its terminal, or: kill ${running.pid}`);
  process.exit(1);
}

function showTimes() {
  moment("all applications");
  const file = path.join(stack.logDir, "cold-start.txt");
  const text = table(stages.times, moments);
  fs.writeFileSync(file, `${text}\n`);
  console.log(`${bold("Where the time went")} ${dim("in seconds; steps overlap")}\n${text}\n${dim(`  also in ${file}; the next start takes seconds`)}\n`);
}

function print({ title, way, lines }) {
  stages.say(`${bold(title)} ${dim(way)}`);
  for (const [name, text] of lines) {
    for (const [at, line] of [text].flat().entries()) stages.say(`  ${(at === 0 ? name : "").padEnd(8)} ${line}`);
  }
  stages.say("");
}

function showAddresses() {
  console.log(`${bold("Gristmill is up")} at ${bold(stack.url)}   ${dim("createClient(url, key) works with it")}
  enqueue    ${stack.url}/functions/v1/enqueue
  health     ${stack.url}/functions/v1/health
  rest       ${stack.url}/rest/v1
  postgres   ${stack.databaseUrl}
  anon key   ${stack.anonKey}
  service    ${stack.serviceKey}
  logs       ${stack.logDir}

${bold("The console")} ${dim("shows all of it, signed in by this link")}
  ${stack.consoleLink}

${bold("Try it")} in another terminal
  eval "$(./scripts/dev --env)"
  curl -s $GRISTMILL_URL/functions/v1/enqueue -H "Authorization: Bearer $GRISTMILL_USER_TOKEN" \\
    -d '{"kind": "echo", "payload": {"hello": "you"}}'

${dim("Ctrl-C stops everything.")}`);
}
