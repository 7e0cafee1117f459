// A deployment on Supabase: supabase/functions/NAME/index.ts as the CLI looks for it, and supabase/config.toml.
import fs from "node:fs";
import path from "node:path";

import * as artefacts from "./artefacts.mjs";
import { digest, KEPT, ours, owner, Refusal, withTables, writeEnv } from "./files.mjs";
import { FUNCTIONS, PROVIDED_BY_SUPABASE } from "./functions.mjs";
import { find } from "./tools.mjs";

const CONFIG = "supabase/config.toml";
const CODE = "gristmill.js";
const STORAGE = "supabase";

// A function of the user's own is a module with `fetch(request, env, context)`, as for workerd. PORT and GRISTMILL_HOST are for those who run it elsewhere.
const SERVED = `import worker from "./${CODE}";

const env = Deno.env.toObject();
const context = { waitUntil: (promise) => globalThis.EdgeRuntime?.waitUntil?.(promise), passThroughOnException() {} };
Deno.serve({ hostname: env.GRISTMILL_HOST ?? "0.0.0.0", port: Number(env.PORT ?? 8000) }, (request) => worker.fetch(request, env, context));
`;

export const tool = "supabase";

export const settings = {
  project: { about: "the reference of the project: the part before .supabase.co in its address", required: true },
  "supabase-url": { about: "the project's address, where it is another than https://PROJECT.supabase.co", isUrl: true, standard: ({ project }) => `https://${project}.supabase.co` },
  names: { about: "further names of functions to deploy, separated by commas: upload,jobs; or all. Without it all where compat is installed, otherwise none" },
};

/** The platform has them itself. The container worker alone needs the service key: where the environment has it, its file is complete. */
export const brought = [];

export const functionsUrl = (chosen) => `${chosen["supabase-url"]}/functions/v1`;
export const workerVars = (chosen) => ({ SUPABASE_URL: chosen["supabase-url"], STORAGE });

const some = (names, values) => Object.fromEntries(names.filter((name) => values[name]).map((name) => [name, values[name]]));

/** What is deployed: each name, and the function whose code it has. */
export function namesOf(chosen, bindings) {
  const functions = Object.keys(bindings);
  const further = Object.fromEntries(functions.flatMap((name) => (FUNCTIONS[name]?.names ?? []).map((known) => [known, name])));
  // compat's schedules and programs call functions by their further names.
  const asked = chosen.names ?? (chosen.with.includes("compat") ? "all" : "");
  const wanted = asked === "all" ? Object.keys(further) : asked.split(",").map((name) => name.trim()).filter(Boolean);
  for (const name of wanted) {
    if (!further[name]) throw new Refusal(`--names: ${name} is no further name of a function that is deployed. There are: ${Object.keys(further).join(", ")}`);
  }
  return Object.fromEntries([...functions.map((name) => [name, name]), ...wanted.map((name) => [name, further[name]])]);
}

export function lay(plan, chosen, bindings, { env, own }) {
  const built = artefacts.folder(env, plan.folder);
  const names = namesOf(chosen, bindings);
  for (const [name, of] of Object.entries(names)) {
    const index = `supabase/functions/${name}/index.ts`;
    const whose = owner(path.join(plan.folder, index));
    if (whose === "theirs" || whose === "changed") {
      throw new Refusal(`${index} is ${whose === "theirs" ? "a function of yours" : "ours, and was changed by hand"}. Move it to another folder, and run this again.`);
    }
    // JavaScript beside it: parsed as TypeScript, some of it would mean something else.
    plan.add(index, ours(of in own ? SERVED : `import "./${CODE}";\n`, "gristmill deploy supabase", "//"));
    plan.add(`supabase/functions/${name}/${CODE}`, own[of] ?? artefacts.read(built, of, "deno.js"));
  }
  const config = path.join(plan.folder, CONFIG);
  const text = fs.existsSync(config) ? fs.readFileSync(config, "utf8") : `project_id = ${JSON.stringify(chosen.project)}\n`;
  const tables = Object.fromEntries(Object.entries(names).map(([name, of]) => [`functions.${name}`, { verify_jwt: verifyJwt(of) }]));
  plan.add(CONFIG, withTables(text, tables, CONFIG));
}

// A function of the user's own is called by Postgres, with a signature and no token.
const verifyJwt = (name) => FUNCTIONS[name]?.verify_jwt ?? false;

/** What is set on the platform, for all functions together: Supabase's secrets belong to the project. */
function shared(chosen, bindings, secrets) {
  const names = new Set(Object.values(bindings).flatMap(({ secrets: own, optional }) => [...own, ...optional.secrets]));
  const vars = { ...(chosen.origins && { CORS_ORIGINS: chosen.origins }), ...chosen.vars };
  const allowed = new Set(Object.values(bindings).flatMap(({ optional }) => optional.vars));
  return { ...some([...names].filter((name) => !PROVIDED_BY_SUPABASE.includes(name)), secrets), ...some([...allowed], vars) };
}

export async function look(tools, chosen) {
  if (!find(tool, tools.folder, tools.env)) return { missing: true };
  const projects = await tools.ask(tool, ["projects", "list", "--output", "json"]);
  if (projects.code !== 0) return { isLoggedOut: true };
  const listed = rows(projects.output);
  const refs = listed.map((project) => project.ref ?? project.id ?? project.reference_id);
  if (!refs.includes(chosen.project)) return { refs };
  const [secrets, functions] = [await tools.ask(tool, ["secrets", "list", "--project-ref", chosen.project, "--output", "json"]),
    await tools.ask(tool, ["functions", "list", "--project-ref", chosen.project, "--output", "json"])];
  return { secrets: rows(secrets.output).map(({ name }) => name), functions: rows(functions.output).map(({ slug, name }) => slug ?? name) };
}

function rows(output) {
  try {
    // What it says beside its answer may stand before it.
    return JSON.parse(/\[\s*(?:\{[\s\S]*\}\s*)?\]/.exec(output)[0]);
  } catch {
    return [];
  }
}

export function checks(found, chosen, bindings, secrets) {
  if (found.missing) return [{ name: "supabase", wrong: "the CLI is not installed", mend: "npm install --save-dev supabase" }];
  const lines = [{ name: "supabase" }];
  if (found.isLoggedOut) return [...lines, { name: "login", wrong: "the CLI is not logged in", mend: "npx supabase login, or set SUPABASE_ACCESS_TOKEN" }];
  lines.push({ name: "login" });
  if (found.refs) return [...lines, { name: "project", wrong: `you have no project ${chosen.project}`, mend: `--project REF; there are: ${found.refs.join(", ") || "none"}` }];
  lines.push({ name: "project" });
  const absent = Object.keys(shared(chosen, bindings, secrets)).filter((name) => !found.secrets.includes(name));
  lines.push({ name: "secrets", wrong: absent.length > 0 && `not set: ${absent.join(", ")}`, mend: "gristmill deploy supabase sets them", isOurs: true });
  const undeployed = Object.keys(namesOf(chosen, bindings)).filter((name) => !found.functions.includes(name));
  lines.push({ name: "functions", wrong: undeployed.length > 0 && `not deployed: ${undeployed.join(", ")}`, mend: "gristmill deploy supabase deploys them", isOurs: true });
  return lines;
}

export async function apply(tools, chosen, bindings, { secrets, state, folder, found }) {
  // Secrets first: a function reads them when it starts.
  const given = shared(chosen, bindings, secrets);
  const mark = digest(JSON.stringify(given));
  if (state.get("secrets") !== mark || Object.keys(given).some((name) => !found.secrets.includes(name))) {
    const file = `${KEPT}/supabase.secrets.env`;
    try {
      if (!tools.isDry) fs.writeFileSync(path.join(folder, file), writeEnv(given), { mode: 0o600 });
      if (await tools.run(tool, ["secrets", "set", "--env-file", file, "--project-ref", chosen.project]) !== 0) return false;
    } finally {
      fs.rmSync(path.join(folder, file), { force: true });
    }
    if (!tools.isDry) state.set("secrets", mark);
  }
  for (const [name, of] of Object.entries(namesOf(chosen, bindings))) {
    const code = path.join(folder, "supabase/functions", name);
    const mark = tools.isDry ? null : digest(String(verifyJwt(of)), ...["index.ts", CODE].map((file) => fs.readFileSync(path.join(code, file))));
    if (mark && state.get(name) === mark && found.functions.includes(name)) continue;
    // --use-api: bundled by the platform, so that no Docker is needed here.
    if (await tools.run(tool, ["functions", "deploy", name, "--project-ref", chosen.project, "--use-api"]) !== 0) return false;
    if (mark) state.set(name, mark);
  }
  return true;
}
