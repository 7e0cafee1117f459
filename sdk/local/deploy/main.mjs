// `gristmill deploy cloudflare|supabase`: writes the platform's own files, checks what is missing before it changes anything, deploys, and ends with doctor.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

import * as cloudflare from "./cloudflare.mjs";
import { look as lookAtDatabase, run as runSql } from "./database.mjs";
import { digest, ignoring, KEPT, Plan, readEnv, Refusal, SECRETS_FILE, secretsOf, writeEnv } from "./files.mjs";
import { APPLICATIONS, bindingsOf, CONSOLE, CONSOLE_BINDINGS, FUNCTIONS, functionsOf, WORKER } from "./functions.mjs";
import * as jobs from "./jobs.mjs";
import * as own from "./own.mjs";
import * as supabase from "./supabase.mjs";
import { Tools } from "./tools.mjs";

const platforms = { cloudflare, supabase };
const SETTINGS = "gristmill.deploy.json";
const STATE = `${KEPT}/deployed.json`;

/** Settings of both platforms. */
const common = {
  with: { about: "applications to install and deploy: documents,refresh,exports,workflows,compat; or all. Without it the engine alone", standard: "" },
  origins: { about: "origins whose pages may call the functions (CORS_ORIGINS): https://app.example.com, https://*.example.com" },
  "worker-url": { about: "where Postgres reaches the container worker; without it the worker looks every 1 to 5 s", isUrl: true },
};

function help() {
  const list = (settings) => Object.entries(settings).map(([name, { about, standard, required }]) =>
    `  --${name.padEnd(14)} ${about}${required ? " (needed the first time)" : ""}${typeof standard === "string" && standard ? ` [${standard}]` : ""}`).join("\n");
  return `usage: gristmill deploy cloudflare|supabase [--check | --dry-run] [SETTINGS]

Writes the platform's own files into this folder, deploys Gristmill's functions and those of your own in functions/, installs the database's
schema, runs the files of sql/, tells the database where the functions are, registers the jobs of your functions,
and ends with gristmill doctor. It first checks what is missing, and changes nothing while something is. A second run changes nothing.

  --check          only says what is missing; exit code 1 if something is
  --dry-run        checks, and shows files and commands without writing or running them
  --new-secrets    lets this deployment take over a database that signs with a key which ${SECRETS_FILE} does not have

Settings are kept in ${SETTINGS}: say each once.
${list(common)}
  --var NAME=VALUE   an optional variable of functions, such as UPLOAD_MAX_BYTES=1000000; NAME= takes it away

cloudflare
${list(cloudflare.settings)}

supabase
${list(supabase.settings)}

Read from the environment, or from lines NAME=value of ${SECRETS_FILE}:
  GRISTMILL_DATABASE_URL       postgres://USER:PASSWORD@HOST:PORT/DATABASE, of the owner
  SUPABASE_ANON_KEY, SUPABASE_SERVICE_ROLE_KEY   for cloudflare; on Supabase the functions have them
  FMP_API_KEY and other optional secrets (docs/deploy.md)
  further lines of that file   secrets of your own functions
All other secrets are made once and kept in ${SECRETS_FILE}, which only you can read. None is ever printed.
`;
}

/** `binary`: where the native one is, `{path}` or `{missing}`, as the command has found it. */
export async function main(args, { folder = process.cwd(), env = process.env, binary = { path: env.GRISTMILL_BIN }, say = console.log, complain = console.error } = {}) {
  try {
    return await deploy(args, { folder, env, binary, say });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    complain(`gristmill deploy: ${error.message}`);
    return 2;
  }
}

async function deploy(args, { folder, env, binary, say }) {
  const { platform, flags, modes } = read(args);
  if (modes.help) {
    say(help());
    return 0;
  }
  const chosen = choose(folder, platform, flags);
  const { lay, look, checks, apply, brought, functionsUrl, workerVars } = platforms[platform];
  const storage = chosen.storage ?? "supabase";
  const code = await own.bundled(folder);
  if (chosen.console === "yes" && CONSOLE in code) throw new Refusal(`functions/${CONSOLE} has the name of Gristmill's console. Rename the folder, or deploy with --console no`);
  const described = await jobs.described(code);
  const tools = new Tools({ folder, env, say, isDry: Boolean(modes["dry-run"]) });

  // Everything is looked at first.
  const bindings = Object.fromEntries([...functionsOf(chosen.with).map((name) => [name, bindingsOf(name, storage)]),
    ...(chosen.console === "yes" ? [[CONSOLE, CONSOLE_BINDINGS]] : []),
    ...Object.keys(code).map((name) => [name, own.bindings(readEnv(path.join(folder, SECRETS_FILE)))])]);
  const bound = Object.values(bindings);
  const needed = [...new Set([...bound.flatMap(({ secrets }) => secrets), ...brought])].filter((name) => platform === "cloudflare" || !name.startsWith("SUPABASE_"));
  const optional = [...new Set([...bound.flatMap(({ optional }) => optional.secrets), ...WORKER.secrets, ...(WORKER[storage]?.secrets ?? [])])];
  const { kept, secrets, missing } = secretsOf(folder, [...new Set([...needed, ...optional.filter((name) => env[name])])], env);
  const databaseUrl = flags["database-url"] ?? env.GRISTMILL_DATABASE_URL ?? kept.GRISTMILL_DATABASE_URL;
  const database = databaseUrl ? await lookAtDatabase(databaseUrl, secrets.INVOKE_SECRET) : { missing: true };
  const crons = Boolean(database.version) && !database.schedules && !database.hasPgCron;
  const plan = new Plan(folder);
  lay(plan, chosen, bindings, { env, crons, own: code, binary, secrets });
  const found = await look(tools, chosen, bindings);
  const lines = [
    ...binaryChecks(binary),
    ...(missing.length > 0 ? [{ name: "secrets of your own", wrong: `${missing.join(", ")} not known`, mend: `copy from the dashboard of Supabase (Settings, API keys) into the environment or into ${SECRETS_FILE}` }] : []),
    ...databaseChecks(database, { chosen, platform, url: functionsUrl(chosen), takesOver: Boolean(modes["new-secrets"]), hasKept: Boolean(kept.INVOKE_SECRET) }),
    ...checks(found, chosen, bindings, secrets),
    ...await jobs.checks(described, { databaseUrl: database.isInstalled ? databaseUrl : null, platform }),
  ];
  for (const { name, wrong, mend, isOurs } of lines) {
    if (!wrong) say(`  ok      ${name}`);
    else if (isOurs && !modes.check) say(`  to do   ${name}: ${wrong}`);
    else say(`  MISSING ${name}: ${wrong}\n          → ${mend}`);
  }
  const wrong = lines.filter((line) => line.wrong);
  if (modes.check) return wrong.length > 0 ? 1 : 0;
  if (wrong.some(({ isOurs }) => !isOurs)) {
    say("Nothing was changed. Mend what is missing, then run this again.");
    return 1;
  }

  plan.add(SETTINGS, settingsText(folder, platform, chosen));
  plan.add(SECRETS_FILE, writeEnv({ ...kept, ...secrets }), 0o600);
  const forWorker = [...WORKER.secrets, ...(WORKER[storage]?.secrets ?? [])].filter((name) => secrets[name]);
  plan.add(`${KEPT}/worker.env`, writeEnv({ ...workerVars(chosen), ...Object.fromEntries(forWorker.map((name) => [name, secrets[name]])) }), 0o600);
  plan.add(".gitignore", ignoring(folder));
  const changed = tools.isDry ? plan.changes() : plan.apply();
  for (const name of new Set(changed.map(shown))) say(`${tools.isDry ? "would write" : "wrote"} ${name}`);

  const gristmill = (...args) => tools.run(binary.path, args, { shown: "gristmill", env: { GRISTMILL_DATABASE_URL: databaseUrl, GRISTMILL_INVOKE_SECRET: secrets.INVOKE_SECRET?.trim().split(/\s+/)[0] } });
  const state = new State(folder, platform);
  for (const args of migrations(chosen)) if (await gristmill("migrate", ...args) !== 0) return stopped(say);
  for (const { name, text } of own.sqlFiles(folder)) {
    if (state.get(name) === digest(text)) continue;
    say(`running ${name}`);
    if (tools.isDry) continue;
    await runSql(databaseUrl, text).catch((error) => {
      throw new Refusal(`${name}: ${error.message}`);
    });
    state.set(name, digest(text));
  }
  if (!await apply(tools, chosen, bindings, { secrets, folder, found, state })) return stopped(say);
  const address = functionsUrl(chosen);
  if (database.functionsUrl !== address || database.signsWith !== 0 || chosen["worker-url"]) {
    const worker = chosen["worker-url"] ? ["--worker-url", chosen["worker-url"]] : [];
    if (await gristmill("configure", "--functions-url", address, ...worker) !== 0) return stopped(say);
  }
  if (tools.isDry) {
    say("$ gristmill doctor");
    return 0;
  }
  const ailing = [...await jobs.registerAll(described, { address, secret: secrets.INVOKE_SECRET, databaseUrl, say }), ...await ask(address, functionsOf(chosen.with))];
  for (const line of ailing) say(`  WRONG ${line}`);
  if (await gristmill("doctor") !== 0 || ailing.length > 0) return 1;
  if (chosen.console === "yes") say(`\nThe console is at ${chosen.url}/console/ (docs/console.md says who may sign in).`);
  say(`\nThe deployment answers at ${address}. Try it: gristmill smoke --url ${address.slice(0, -"/functions/v1".length)}`);
  if (chosen.with.some((name) => name !== "refresh" && name !== "compat")) say(`Start the container worker with the environment of ${KEPT}/worker.env (docs/deploy-worker.md).`);
  return 0;
}

// A function's files are one thing to a reader.
const shown = (name) => name.startsWith(`${KEPT}/functions/`) ? path.dirname(name) : name;

function stopped(say) {
  say("It stopped there. Run the same again: what is done is not done twice.");
  return 1;
}

function read(args) {
  const all = { ...common, ...cloudflare.settings, ...supabase.settings };
  const options = Object.fromEntries(Object.keys(all).map((name) => [name, { type: "string" }]));
  for (const name of ["check", "dry-run", "new-secrets", "help"]) options[name] = { type: "boolean", ...(name === "help" && { short: "h" }) };
  let parsed;
  try {
    parsed = parseArgs({ args, allowPositionals: true, options: { ...options, var: { type: "string", multiple: true }, "database-url": { type: "string" } } });
  } catch (error) {
    throw new Refusal(`${error.message}. gristmill deploy --help says what there is.`);
  }
  const { values, positionals: [platform, ...more] } = parsed;
  if (values.help || args.length === 0) return { modes: { help: true } };
  if (!Object.hasOwn(platforms, platform ?? "") || more.length > 0) throw new Refusal("say where: gristmill deploy cloudflare, or gristmill deploy supabase");
  const foreign = Object.keys(values).find((name) => name in all && !(name in common) && !(name in platforms[platform].settings));
  if (foreign) throw new Refusal(`--${foreign} is no setting of ${platform}`);
  if (values.check && values["dry-run"]) throw new Refusal("--check and --dry-run are two ways to look: choose one");
  return { platform, flags: values, modes: values };
}

function stored(folder) {
  const file = path.join(folder, SETTINGS);
  if (!fs.existsSync(file)) return {};
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch (error) {
    throw new Refusal(`${SETTINGS} is not JSON: ${error.message}`);
  }
}

/** What was said before, and what is said now. */
function choose(folder, platform, flags) {
  const known = { ...common, ...platforms[platform].settings };
  const kept = stored(folder)[platform] ?? {};
  const chosen = { vars: { ...kept.vars } };
  for (const [name, { standard, required, choices, isUrl }] of Object.entries(known)) {
    const value = flags[name] ?? kept[name] ?? (typeof standard === "function" ? standard({ ...kept, ...flags }) : standard);
    if (required && !value) throw new Refusal(`--${name} is needed the first time: ${known[name].about}`);
    if (choices && !choices.includes(value)) throw new Refusal(`--${name} is ${choices.join(" or ")}, not ${value}`);
    chosen[name] = isUrl && value ? address(name, value) : value;
  }
  for (const pair of flags.var ?? []) {
    const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(pair) ?? [];
    const allowed = [...new Set(Object.keys(FUNCTIONS).flatMap((known) => bindingsOf(known, "r2").optional.vars))].filter((name) => name !== "CORS_ORIGINS");
    if (!allowed.includes(name)) throw new Refusal(`--var ${pair.split("=")[0]}: no function reads it. There are: ${allowed.join(", ")}`);
    if (value) chosen.vars[name] = value;
    else delete chosen.vars[name];
  }
  const listed = [chosen.with ?? []].flat().flatMap((text) => text.split(",")).map((name) => name.trim()).filter(Boolean);
  chosen.with = listed.includes("all") ? APPLICATIONS : listed;
  const strange = chosen.with.find((name) => !APPLICATIONS.includes(name));
  if (strange) throw new Refusal(`--with ${strange}: there is no such application. There are: ${APPLICATIONS.join(", ")}, all`);
  return chosen;
}

function address(name, value) {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (!url || !["http:", "https:"].includes(url.protocol) || url.username || url.search) throw new Refusal(`--${name} ${value}: an address such as https://app.example.com is needed`);
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function settingsText(folder, platform, chosen) {
  const { vars, ...rest } = chosen;
  const said = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined && value !== "" && value?.length !== 0));
  return `${JSON.stringify({ ...stored(folder), [platform]: { ...said, ...(Object.keys(vars).length > 0 && { vars }) } }, null, 2)}\n`;
}

function binaryChecks({ missing }) {
  return [missing ? { name: "gristmill", wrong: "the native program is not there", mend: missing } : { name: "gristmill" }];
}

function databaseChecks(found, { chosen, platform, url, takesOver, hasKept }) {
  const name = "database";
  if (found.missing) return [{ name, wrong: "its address is not known", mend: `set GRISTMILL_DATABASE_URL, or put it into ${SECRETS_FILE}. On Supabase: Connect, Session pooler` }];
  if (found.error) return [{ name, wrong: `it cannot be reached: ${found.error}`, mend: "look at GRISTMILL_DATABASE_URL: host, port, user, password, sslmode=require" }];
  if (found.version < 15) return [{ name, wrong: `it is Postgres ${found.version}`, mend: "Gristmill needs Postgres 15 or newer" }];
  if (!found.mayCreate && !found.isInstalled) return [{ name, wrong: "this role may create no schema", mend: "use the role that owns the database; on Supabase that is postgres" }];
  const lines = [{ name }];
  const onSupabase = platform === "supabase" || chosen["supabase-url"]?.endsWith(".supabase.co");
  lines.push({ name: "pg_net", wrong: !found.sends && (found.hasPgNet ? "the extension is not switched on" : "nothing provides net.http_post"),
    mend: onSupabase || found.hasPgNet ? "create extension pg_net; or in the dashboard under Database, Extensions" : "run gristmill relay beside your Postgres (docs/relay.md)" });
  // Migrating switches pg_cron on where it may; Cloudflare has cron triggers for databases without one.
  const cronIsMended = found.hasPgCron || platform === "cloudflare";
  lines.push({ name: "pg_cron", wrong: !found.schedules && !cronIsMended && "nothing provides cron.schedule", mend: "run gristmill relay beside your Postgres (docs/relay.md)" });
  if (found.signsWith === -1 && !takesOver) {
    return [...lines, { name: "signing key", wrong: "the database signs with a key that is not INVOKE_SECRET of this deployment",
      mend: hasKept ? "somebody has configured another one: gristmill deploy --new-secrets sets ours again"
        : `another deployment uses this database: put its INVOKE_SECRET into ${SECRETS_FILE}. To take the database over: --new-secrets` }];
  }
  lines.push({ name: "schema and address", wrong: !found.isInstalled ? "the schema is not installed" : found.functionsUrl !== url ? `the database looks for functions at ${found.functionsUrl ?? "no address"}`
    : found.signsWith !== 0 && (found.signsWith === null ? "there is no signing key" : "the database signs with an older key"), mend: `gristmill deploy ${platform} does it`, isOurs: true });
  return lines;
}

/** The arguments of each `gristmill migrate`: applications that have a schema of their own are installed apart. */
function migrations(chosen) {
  const bySchema = new Map();
  for (const name of chosen.with) {
    const schema = chosen.vars[`${name.toUpperCase()}_SCHEMA`] ?? "public";
    bySchema.set(schema, [...(bySchema.get(schema) ?? []), name]);
  }
  if (bySchema.size === 0) return [[]];
  // compat goes last: it brings names of what is there.
  const order = [...bySchema].sort(([, one], [, other]) => one.includes("compat") - other.includes("compat"));
  return order.map(([schema, names]) => ["--with", names.join(","), ...(schema === "public" ? [] : ["--schema", schema])]);
}

/** What was deployed, so that the same is not deployed twice. It holds digests, no secrets. */
class State {
  #file;
  #all;
  #platform;

  constructor(folder, platform) {
    this.#file = path.join(folder, STATE);
    this.#platform = platform;
    this.#all = fs.existsSync(this.#file) ? JSON.parse(fs.readFileSync(this.#file, "utf8")) : {};
    this.#all[platform] ??= {};
  }

  get(name) {
    return this.#all[this.#platform][name];
  }

  set(name, mark) {
    this.#all[this.#platform][name] = mark;
    fs.writeFileSync(this.#file, JSON.stringify(this.#all, null, 2), { mode: 0o600 });
  }
}

/** Whether each function answers and has its bindings. A new address needs some seconds until it is known everywhere. */
async function ask(address, functions) {
  const deadline = Date.now() + 60_000;
  const ailing = async (name) => {
    try {
      const answer = await fetch(`${address}/${name}/health`, { signal: AbortSignal.timeout(10_000) });
      // The function health answers for the whole system: doctor reads that.
      if (answer.ok || name === "health" && answer.status === 503) return null;
      const { detail } = await answer.json().catch(() => ({}));
      return `${name} answers ${answer.status}${detail ? `: ${detail} Its log says what is missing.` : ""}`;
    } catch (error) {
      return `${name} does not answer: ${error.cause?.code ?? error.message}`;
    }
  };
  for (;;) {
    const found = (await Promise.all(functions.map(ailing))).filter(Boolean);
    if (found.length === 0 || Date.now() > deadline) return found;
    await sleep(2_000);
  }
}
