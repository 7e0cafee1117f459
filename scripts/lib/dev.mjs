// ./scripts/dev after everything is built: starts the stack, shows a job at work, stays up.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

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
  await showAJob();
} catch (error) {
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

// One job, as a signed-in user would submit it, until Postgres says that it is settled.
async function showAJob() {
  const token = await stack.token({ role: "authenticated", sub: randomUUID() });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const enqueue = `${stack.url}/functions/v1/enqueue`;
  const body = JSON.stringify({ kind: "echo", payload: { hello: "Gristmill" } });

  const answer = await fetch(enqueue, { method: "POST", headers, body });
  if (answer.status !== 202) throw new Error(`enqueue answered ${answer.status}: ${await answer.text()}`);
  const { id } = await answer.json();
  const deadline = Date.now() + 20_000;
  let job;
  do {
    await sleep(5);
    job = await (await fetch(`${enqueue}/${id}`, { headers })).json();
  } while (job.state !== "completed" && Date.now() < deadline);
  if (job.state !== "completed") throw new Error(`job ${id} is still ${job.state} after 20 s`);

  const took = Date.parse(job.finished_at) - Date.parse(job.created_at);
  console.log(`${bold("A job went the whole way")} ${dim("enqueue → Postgres → net → processor (wasm) → Postgres")}`);
  console.log(`  id       ${job.id}`);
  console.log(`  result   ${JSON.stringify(job.result)}`);
  console.log(`  took     ${took} ms from enqueue to settled\n`);
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
