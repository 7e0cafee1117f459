// A deployment on Cloudflare: one worker per function without a public host, a router in front of them, a bucket of R2.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { stringify } from "smol-toml";

import * as artefacts from "./artefacts.mjs";
import { consoleWorker } from "./console.mjs";
import { digest, KEPT, ours, owner, Refusal } from "./files.mjs";
import { CONSOLE, FUNCTIONS, OLDER_PATHS } from "./functions.mjs";
import { find } from "./tools.mjs";

/** global_fetch_strictly_public: the function that took a job calls the router, a worker of its own zone. Without the flag Cloudflare refuses that with error 1042. */
export const COMPATIBILITY = { compatibility_date: "2026-04-01", compatibility_flags: ["enable_request_signal", "global_fetch_strictly_public"] };
const ROUTER = "router";

export const tool = "wrangler";

/** Settings beside those of all platforms: name, what it is, and what stands for it where nobody has said. */
export const settings = {
  url: { about: "the address of the deployment: https://NAME.SUBDOMAIN.workers.dev, or a host of a domain that you have at Cloudflare", required: true, isUrl: true },
  "supabase-url": { about: "the project that has the database, https://PROJECT.supabase.co, or your own gateway", required: true, isUrl: true },
  storage: { about: "where files lie: r2 or supabase", standard: "r2", choices: ["r2", "supabase"] },
  bucket: { about: "the bucket of R2", standard: "gristmill-files" },
  console: { about: "whether the console is served at /console: yes or no", standard: "no", choices: ["yes", "no"] },
};

/** Secrets that a user has to bring. */
export const brought = ["SUPABASE_ANON_KEY", "SUPABASE_SERVICE_ROLE_KEY"];

export const functionsUrl = (chosen) => `${chosen.url}/functions/v1`;

/** What the container worker is told beside secrets. */
export const workerVars = (chosen) => ({ SUPABASE_URL: chosen["supabase-url"], STORAGE: chosen.storage,
  ...(chosen.storage === "r2" && { FILES_URL: `${functionsUrl(chosen)}/documents` }) });

const valueOf = (chosen) => ({ SUPABASE_URL: chosen["supabase-url"], STORAGE: chosen.storage, FILES_URL: `${functionsUrl(chosen)}/documents`,
  ...(chosen.origins && { CORS_ORIGINS: chosen.origins }), ...chosen.vars });
const some = (names, values) => Object.fromEntries(names.filter((name) => values[name]).map((name) => [name, values[name]]));
const isWorkersDev = (chosen) => new URL(chosen.url).hostname.endsWith(".workers.dev");
/** What the workers' names begin with. On workers.dev the host says how the router is called. */
const prefix = (chosen) => isWorkersDev(chosen) ? new URL(chosen.url).hostname.split(".")[0] : "gristmill";

/** The file that wrangler reads: wrangler.toml, or a name of our own where that is the user's. */
export function configFile(folder) {
  const named = ["wrangler.toml", "wrangler.json", "wrangler.jsonc"].map((name) => [name, owner(path.join(folder, name))]);
  return named.some(([, whose]) => whose === "theirs") ? "gristmill.wrangler.toml" : "wrangler.toml";
}

// As the router knows it too: a binding's name is an identifier.
const bindingName = (name) => name.toUpperCase().replaceAll("-", "_");

/** Adds all files of the layout to the plan. `crons`: whether triggers stand in for pg_cron. */
export function lay(plan, chosen, bindings, { env, crons, own, binary, secrets }) {
  const built = artefacts.folder(env, plan.folder);
  const values = valueOf(chosen);
  const functions = Object.keys(bindings);
  const environments = {};
  for (const name of functions) {
    const bound = bindings[name];
    environments[name] = {
      name: `${prefix(chosen)}-${name}`,
      main: `${KEPT}/functions/${name}/index.js`,
      ...COMPATIBILITY,
      // As `gristmill dev` runs them: libraries of the user's may need Node's modules.
      ...(name in own && { compatibility_flags: [...COMPATIBILITY.compatibility_flags, "nodejs_compat"] }),
      workers_dev: false,
      preview_urls: false,
      vars: { ...some(bound.vars, values), ...some(bound.optional.vars, values) },
      ...(bound.bucket && { r2_buckets: [{ binding: bound.bucket, bucket_name: chosen.bucket }] }),
      ...(crons && bound.crons.length > 0 && { triggers: { crons: bound.crons } }),
    };
    if (name === CONSOLE && !(name in own)) {
      // Without the binary nothing is deployed: the checks say so.
      if (binary.path) plan.add(`${KEPT}/functions/${name}/index.js`, consoleWorker(binary.path, { url: chosen.url, key: secrets.SUPABASE_ANON_KEY }));
    } else if (name in own) plan.add(`${KEPT}/functions/${name}/index.js`, own[name]);
    else for (const file of ["index.js", "index_bg.wasm"]) plan.add(`${KEPT}/functions/${name}/${file}`, artefacts.read(built, name, file));
  }
  plan.add(`${KEPT}/functions/${ROUTER}/index.js`, fs.readFileSync(fileURLToPath(new URL("router.mjs", import.meta.url))));
  const names = Object.fromEntries(functions.flatMap((name) => [name, ...(FUNCTIONS[name]?.names ?? [])].map((known) => [known, name])));
  environments[ROUTER] = {
    name: prefix(chosen),
    main: `${KEPT}/functions/${ROUTER}/index.js`,
    ...COMPATIBILITY,
    workers_dev: isWorkersDev(chosen),
    preview_urls: false,
    ...(isWorkersDev(chosen) ? {} : { routes: [{ pattern: new URL(chosen.url).host, custom_domain: true }] }),
    vars: { SUPABASE_URL: chosen["supabase-url"], NAMES: names,
      OLDER_PATHS: Object.fromEntries(Object.entries(OLDER_PATHS).filter(([, name]) => name in names)) },
    services: functions.map((name) => ({ binding: bindingName(name), service: environments[name].name })),
  };
  const file = configFile(plan.folder);
  if (owner(path.join(plan.folder, file)) === "changed") {
    throw new Refusal(`${file} was changed by hand since it was written. Put your change into gristmill.deploy.json (see --help), remove ${file}, and run this again.`);
  }
  plan.add(file, ours(stringify({ name: prefix(chosen), env: environments }), "gristmill deploy cloudflare"));
}

/** What there is on the platform. */
export async function look(tools, chosen, bindings) {
  if (!find(tool, tools.folder, tools.env)) return { missing: true };
  const help = await tools.ask(tool, ["deploy", "--help"]);
  if (!/--secrets-file/.test(help.output)) return { isOld: true };
  const who = await tools.ask(tool, ["whoami", "--json"]);
  if (who.code !== 0) return { isLoggedOut: true };
  const bucket = chosen.storage === "r2" ? (await tools.ask(tool, ["r2", "bucket", "info", chosen.bucket, "--json"])).code === 0 : true;
  const secrets = {};
  for (const name of Object.keys(bindings)) {
    const listed = await tools.ask(tool, ["secret", "list", "--name", `${prefix(chosen)}-${name}`, "--format", "json"]);
    secrets[name] = listed.code === 0 ? namesIn(listed.output) : null;
  }
  return { bucket, secrets };
}

function namesIn(output) {
  try {
    // What it says beside its answer may stand before it.
    return JSON.parse(/\[\s*(?:\{[\s\S]*\}\s*)?\]/.exec(output)[0]).map(({ name }) => name);
  } catch {
    return [];
  }
}

export function checks(found, chosen, bindings) {
  const lines = [];
  if (found.missing) return [{ name: "wrangler", wrong: "it is not installed", mend: "npm install --save-dev wrangler" }];
  if (found.isOld) return [{ name: "wrangler", wrong: "it is too old: it knows no `wrangler deploy --secrets-file`", mend: "npm install --save-dev wrangler@latest" }];
  lines.push({ name: "wrangler" });
  if (found.isLoggedOut) return [...lines, { name: "login", wrong: "wrangler is not logged in", mend: "npx wrangler login, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID" }];
  lines.push({ name: "login" });
  if (chosen.storage === "r2") {
    lines.push({ name: "bucket", wrong: !found.bucket && `R2 has no bucket ${chosen.bucket}`, mend: "gristmill deploy cloudflare makes it", isOurs: true });
  }
  const lacking = Object.keys(bindings).flatMap((name) => {
    const listed = found.secrets[name];
    if (listed === null) return [`${name} is not deployed`];
    const absent = bindings[name].secrets.filter((secret) => !listed.includes(secret));
    return absent.length > 0 ? [`${name} lacks ${absent.join(", ")}`] : [];
  });
  lines.push({ name: "functions and their secrets", wrong: lacking.join("; "), mend: "gristmill deploy cloudflare sets them", isOurs: true });
  return lines;
}

/** Brings the platform to what was laid out. Functions come first: a router that names a worker which is not there is refused. */
export async function apply(tools, chosen, bindings, { secrets, state, folder, found }) {
  if (chosen.storage === "r2" && !found.bucket && await tools.run(tool, ["r2", "bucket", "create", chosen.bucket]) !== 0) return false;
  const config = configFile(folder);
  for (const name of [...Object.keys(bindings), ROUTER]) {
    const bound = bindings[name] ?? { secrets: [], optional: { secrets: [] } };
    const given = some([...bound.secrets, ...bound.optional.secrets], secrets);
    const code = path.join(folder, KEPT, "functions", name);
    const files = tools.isDry ? [] : fs.readdirSync(code).sort().map((file) => fs.readFileSync(path.join(code, file)));
    const mark = tools.isDry ? null : digest(environmentOf(folder, config, name), JSON.stringify(given), ...files);
    const lost = name !== ROUTER && (found.secrets[name] === null || bound.secrets.some((secret) => !found.secrets[name].includes(secret)));
    if (mark && state.get(name) === mark && !lost) continue;
    const file = `${KEPT}/${name}.secrets.json`;
    const withSecrets = Object.keys(given).length > 0;
    try {
      if (withSecrets && !tools.isDry) fs.writeFileSync(path.join(folder, file), JSON.stringify(given), { mode: 0o600 });
      if (await tools.run(tool, ["deploy", "--config", config, "--env", name, ...(withSecrets ? ["--secrets-file", file] : [])]) !== 0) return false;
    } finally {
      fs.rmSync(path.join(folder, file), { force: true });
    }
    if (mark) state.set(name, mark);
  }
  return true;
}

// One environment of the file, as text: a change of another one is no reason to deploy this one again.
function environmentOf(folder, config, name) {
  const text = fs.readFileSync(path.join(folder, config), "utf8");
  const begin = text.search(new RegExp(`^\\[env\\.${name}\\]`, "m"));
  const rest = text.slice(begin + 1);
  const end = rest.search(new RegExp(`^\\[env\\.(?!${name}\\b)`, "m"));
  return end < 0 ? rest : rest.slice(0, end);
}
