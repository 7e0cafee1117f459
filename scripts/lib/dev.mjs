// ./scripts/dev after everything is built: starts the stack, shows the applications at work, stays up.
import fs from "node:fs";
import path from "node:path";

import { demonstrate } from "./demo/index.mjs";
import { checkoutState } from "./stack/paths.mjs";
import { endLeftovers, runningSupervisor } from "./stack/registry.mjs";
import { Stack } from "./stack/stack.mjs";

const colours = process.stdout.isTTY && !process.env.NO_COLOR;
const bold = (text) => (colours ? `\x1b[1m${text}\x1b[0m` : text);
const dim = (text) => (colours ? `\x1b[2m${text}\x1b[0m` : text);

const options = new Set(process.argv.slice(2));
const folder = path.join(checkoutState, "dev");

const running = runningSupervisor(folder);
if (running) {
  console.error(`error: the development stack of this checkout is already running (process ${running.pid})\n  it answers at ${running.url}; stop it with Ctrl-C in its terminal, or: kill ${running.pid}`);
  process.exit(1);
}
await endLeftovers(folder);
if (options.has("--fresh")) fs.rmSync(folder, { recursive: true, force: true });

const started = performance.now();
const stack = new Stack("dev", {
  parts: ["gateway", "relay", "storage", "provider", "workerd", "work"],
  realtime: true,
  onStep: (part) => console.log(`  ${bold(part.padEnd(10))} starting …`),
});

let stopping = false;
async function stop(code) {
  if (stopping) return;
  stopping = true;
  console.log(dim("\nstopping …"));
  await stack.stop();
  process.exit(code);
}
process.on("SIGINT", () => stop(0));
process.on("SIGTERM", () => stop(0));

try {
  await stack.start();
  console.log(dim(`  up in ${((performance.now() - started) / 1000).toFixed(1)} s\n`));
  await demonstrate(stack, print);
} catch (error) {
  if (stopping) await new Promise(() => {}); // Ctrl-C has cut it off; stop() ends the process
  console.error(`error: ${error.message}\n  logs: ${stack.logDir}`);
  await stop(1);
}
if (options.has("--once")) await stop(0);
showAddresses();

for (const part of Object.values(stack.parts)) {
  part.process.once("exit", () => {
    if (!stopping) console.error(`${part.name} ended unexpectedly (${part.ending}); log: ${part.log}`);
  });
}

function print({ title, way, lines }) {
  console.log(`${bold(title)} ${dim(way)}`);
  for (const [name, text] of lines) {
    for (const [at, line] of [text].flat().entries()) console.log(`  ${(at === 0 ? name : "").padEnd(8)} ${line}`);
  }
  console.log();
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

${bold("Try it")} in another terminal
  eval "$(./scripts/dev --env)"
  curl -s $GRISTMILL_URL/functions/v1/enqueue -H "Authorization: Bearer $GRISTMILL_USER_TOKEN" \\
    -d '{"kind": "echo", "payload": {"hello": "you"}}'

${dim("Ctrl-C stops everything.")}`);
}
