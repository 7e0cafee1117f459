// `gristmill dev`: the local stack with the user's functions, in the folder of a project.
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

import { checkoutState } from "../stack/paths.mjs";
import { isListening } from "../stack/ports.mjs";
import { claim, endLeftovers, runningSupervisor } from "../stack/registry.mjs";
import { follow } from "./follow.mjs";
import { namesIn } from "./functions.mjs";
import { applicationsOf, applySql, environmentOf, hastenPump, onEnd, queuesOf, Refused, sqlFilesOf, stackOf } from "./project.mjs";
import { registerJobs } from "./register.mjs";

const USAGE = `usage: gristmill dev [--with APPLICATION,…] [--port PORT] [--fresh]
       eval "$(npx gristmill dev --env)"

Runs Postgres, the gateway, the relay and workerd with the functions of this project, until Ctrl-C.
A function is compiled again when one of its files changes, and the jobs that it describes are registered;
the files of sql/ are run at the start and when one changes. Data stays in .gristmill/ until --fresh.

  --with NAMES   also install these applications: documents, refresh, exports, workflows, compat, or all
  --port PORT    the port of the address (default: the one of the last start, if it is free)
  --fresh        forget the database first
  --env          print addresses and keys of the running stack as shell variables
  -h, --help     this text`;

const colours = process.stdout.isTTY && !process.env.NO_COLOR;
const bold = (text) => (colours ? `\x1b[1m${text}\x1b[0m` : text);
const dim = (text) => (colours ? `\x1b[2m${text}\x1b[0m` : text);
const red = (text) => (colours ? `\x1b[31m${text}\x1b[0m` : text);

export async function main(args, project) {
  const { values } = parseArgs({ args, options: {
    with: { type: "string" }, port: { type: "string" }, fresh: { type: "boolean" }, env: { type: "boolean" }, help: { type: "boolean", short: "h" } } });
  if (values.help) return console.log(USAGE) ?? 0;
  const folder = path.join(checkoutState, "dev");
  const variables = path.join(project, ".gristmill/dev.env");
  const running = runningSupervisor(folder);
  if (values.env) return printVariables(running, variables);
  refuseSecond(running);
  const applications = applicationsOf(values.with);
  await endLeftovers(folder);
  if (values.fresh) fs.rmSync(folder, { recursive: true, force: true });
  const port = await portOf(values.port, folder);
  if (!claim(folder)) refuseSecond(runningSupervisor(folder) ?? { pid: "unknown" });

  const begun = performance.now();
  const stack = stackOf("dev", applications, { port, reload: true, onStep: (part) => console.log(dim(`  ${part.padEnd(9)} starting …`)) });
  const { end, isEnding } = onEnd(Object.assign(async () => {
    console.log(dim("\nstopping …"));
    await stack.stop();
    fs.rmSync(variables, { force: true });
  }, { exitCode: 0 }));

  try {
    await stack.start([]);
    fs.writeFileSync(path.join(folder, "port"), String(stack.ports.gatewayPort));
    await hastenPump(stack);
    await trySql(stack, project);
    follow(path.join(stack.logDir, "workerd.log"), showLine);
    await stack.add(stack.wanted);
    await tryRegister(stack, project);
    follow(path.join(stack.logDir, "workerd.log"), (line) => /^reloaded /.test(line) && tryRegister(stack, project));
    writeVariables(variables, await environmentOf(stack));
  } catch (error) {
    if (isEnding()) return new Promise(() => {}); // Ctrl-C has cut it off; the process ends by itself
    console.error(`${red("error:")} ${error.message}\n  logs: ${stack.logDir}\n  to begin again with an empty database: npx gristmill dev --fresh`);
    return end(1);
  }
  for (const part of Object.values(stack.parts)) {
    part.process.once("exit", () => {
      if (!isEnding()) console.error(`${red("error:")} ${part.name} ended unexpectedly (${part.ending}); log: ${part.log}`);
    });
  }
  await show(stack, project, (performance.now() - begun) / 1000);
  watchSql(stack, project);
  return new Promise(() => {});
}

function refuseSecond(running) {
  if (!running) return;
  throw new Refused(`the stack of this project is already running (process ${running.pid})
  it ${running.url ? `answers at ${running.url}` : "is just being started"}; stop it with Ctrl-C in its terminal, or: kill ${running.pid}`);
}

async function portOf(asked, folder) {
  const noted = path.join(folder, "port");
  if (asked !== undefined) {
    const port = Number(asked);
    if (!Number.isInteger(port) || port < 1 || port > 65535) throw new Refused(`"${asked}" is not a port: --port takes a number from 1 to 65535`);
    if (await isListening(port)) throw new Refused(`port ${port} is in use: choose another with --port, or leave it out`);
    return port;
  }
  const last = fs.existsSync(noted) ? Number(fs.readFileSync(noted, "utf8")) : null;
  return last && !(await isListening(last)) ? last : null;
}

async function trySql(stack, project) {
  try {
    await applySql(stack, project);
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    console.error(`${red("error:")} ${error.message}\n${dim("  the file is run again when it changes")}`);
    return false;
  }
}

async function tryRegister(stack, project) {
  try {
    for (const name of await registerJobs(stack, project)) console.log(`jobs     ${dim("│")} those of functions/${name} are registered`);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    console.error(`${red("error:")} ${error.message}`);
  }
}

function watchSql(stack, project) {
  const folder = path.join(project, "sql");
  if (!fs.existsSync(folder)) return;
  let timer = null;
  fs.watch(folder, (_, file) => {
    if (!file?.endsWith(".sql")) return;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const count = sqlFilesOf(project).length;
      if (await trySql(stack, project)) console.log(`sql      ${dim("│")} ran ${count === 1 ? "1 file" : `${count} files`} again`);
    }, 100);
  });
}

// What functions write, and what workerd.mjs says of compiling them.
function showLine(line) {
  if (/^functions are served on port/.test(line) || isRoutine(line)) return;
  const said = /^(✘|functions\/\S+ does not compile)/.test(line) ? red(line) : /^reloaded /.test(line) ? bold(line) : line;
  console.log(`${dim("functions │")} ${said}`);
}

// Functions of Gristmill write one line per request. Those that went well are in the log, and would hide what the user's functions write.
function isRoutine(line) {
  try {
    const { function: name, correlation_id, status } = JSON.parse(line);
    return Boolean(name && correlation_id && status < 400);
  } catch {
    return false;
  }
}

function writeVariables(file, values) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, Object.entries(values).map(([name, value]) => `${name}=${value}\n`).join(""), { mode: 0o600 });
}

function printVariables(running, file) {
  if (!running || !fs.existsSync(file)) throw new Refused("the stack of this project is not running\n  start it with: npx gristmill dev");
  for (const line of fs.readFileSync(file, "utf8").trim().split("\n")) console.log(`export ${line.replace("=", "='")}'`);
  return 0;
}

async function show(stack, project, seconds) {
  const queues = await queuesOf(stack);
  const functions = namesIn(project);
  console.log(`
${bold("Gristmill is up")} at ${bold(stack.url)} ${dim(`after ${seconds.toFixed(1)} s`)}   ${dim("createClient(url, key) works with it")}
${queues.map(({ queue, served_by, function: name, kinds }) =>
    `  ${(kinds ?? ["no kind yet"]).join(", ").padEnd(12)} ${dim("in the queue")} ${queue} ${dim("→")} ${served_by === "function" ? `functions/${name}` : served_by}`).join("\n")}

  console      ${stack.consoleLink}
  anon key     ${stack.anonKey}
  service key  ${stack.serviceKey}
  postgres     ${stack.databaseUrl}
  logs         ${stack.logDir}
${dim("  addresses and keys are also in .gristmill/dev.env, for node --env-file")}
`);
  for (const { queue, served_by, function: name } of queues) {
    if (served_by === "function" && !functions.includes(name)) {
      console.log(`${red("warning:")} the queue ${queue} names the function "${name}", but there is no functions/${name}/index.ts\n`);
    }
  }
  console.log(`${bold("Submit a job")} in another terminal
${submitting(queues, project)}
${dim("Edit a function and save: the next job runs the new code. Ctrl-C stops everything.")}`);
}

// The project's own way where it has one.
function submitting(queues, project) {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(project, "package.json"), "utf8"));
  if (scripts?.submit) return "  npm run submit\n";
  const kind = queues.flatMap(({ kinds }) => kinds ?? [])[0] ?? "echo";
  return `  eval "$(npx gristmill dev --env)"
  curl -s $GRISTMILL_URL/rest/v1/rpc/submit_job -H "Authorization: Bearer $GRISTMILL_SERVICE_KEY" \\
    -H "Content-Type: application/json" -d '{"p_kind": "${kind}", "p_payload": {"hello": "you"}}'
`;
}
