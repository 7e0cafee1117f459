// Serves functions in one real workerd, each below /functions/v1/NAME, with a shared R2 bucket: those of wrangler.toml, and in a
// project the user's own, which are reloaded when they change. Runs as a process of its own, so that it can be killed and started like any other part.
//   node workerd.mjs PORT R2_FOLDER      bindings for all functions come as JSON in GRISTMILL_BINDINGS; GRISTMILL_FUNCTIONS
//   names those to serve, where not all are wanted; GRISTMILL_PROJECT is the folder of a project, and GRISTMILL_RELOAD=1 has it watched
import { Log, LogLevel, Miniflare } from "miniflare";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";

import { readFunctions, workersOf } from "./wrangler.mjs";

const [port, r2Folder] = process.argv.slice(2);
const bindings = JSON.parse(process.env.GRISTMILL_BINDINGS);
const { shared, functions } = readFunctions(process.env.GRISTMILL_FUNCTIONS);
const project = process.env.GRISTMILL_PROJECT;

const here = path.dirname(fileURLToPath(import.meta.url));
const workers = workersOf(functions);
const servedBy = Object.fromEntries(workers.flatMap(({ name, names }) => names.map((known) => [known, name])));

const stop = async () => {
  await miniflare?.dispose();
  process.exit(0);
};
let miniflare;
process.on("SIGTERM", stop);
process.on("SIGINT", stop);

// esbuild is loaded only where there is something to compile.
const { ProjectFunctions, variablesOf } = project ? await import("../project/functions.mjs") : {};
const mine = project && new ProjectFunctions(project, Object.keys(servedBy));
if (mine) tell((await mine.build()).problems);
let variables = mine && JSON.stringify(variablesOf(project)); // as they are served

let served = new Map(mine?.code); // the user's code that workerd has, by name
miniflare = new Miniflare(options(served));
try {
  await miniflare.ready;
} catch (error) {
  if (served.size === 0) throw error;
  served = new Map();
  miniflare = new Miniflare(options(served));
  await miniflare.ready;
  await serve();
}
console.log(`functions are served on port ${port}`);
if (mine && process.env.GRISTMILL_RELOAD) mine.watch(oneAfterAnother(reload));

function options(code) {
  const own = projectWorkers(code);
  return {
    host: "127.0.0.1",
    port: Number(port),
    cf: false,
    telemetry: { enabled: false },
    log: new Log(LogLevel.WARN),
    r2Persist: r2Folder,
    ...(mine && { handleRuntimeStdio: pass }),
    workers: [front(own), ...workers.map(worker), ...own],
  };
}

// First: Miniflare gives it every request that no route fits, which would otherwise be answered by the first function.
function front(own) {
  const all = { ...servedBy, ...Object.fromEntries(own.map(({ name }) => [name, name])) };
  return {
    name: "front",
    rootPath: here,
    modulesRoot: here,
    modules: ["front.mjs", "unknown-function.mjs"].map((file) => ({ type: "ESModule", path: path.join(here, file) })),
    compatibilityDate: shared.compatibility_date,
    bindings: { FUNCTIONS: Object.keys(all) },
    serviceBindings: all,
  };
}

function worker({ name, names, folder, vars, buckets }) {
  return {
    name,
    rootPath: folder,
    modulesRoot: folder,
    modules: [
      { type: "ESModule", path: `${folder}/index.js` },
      { type: "CompiledWasm", path: `${folder}/index_bg.wasm` },
    ],
    compatibilityDate: shared.compatibility_date,
    compatibilityFlags: shared.compatibility_flags,
    routes: routes(...names),
    r2Buckets: buckets,
    bindings: { ...vars, ...bindings },
  };
}

// The user's functions have what a deployed function of theirs would have, and not the secrets of ours.
function projectWorkers(code) {
  const { SUPABASE_URL, SUPABASE_ANON_KEY, SUPABASE_SERVICE_ROLE_KEY, INVOKE_SECRET } = bindings;
  return [...code].map(([name, contents]) => ({
    name,
    modules: [{ type: "ESModule", path: `${name}.mjs`, contents }],
    compatibilityDate: shared.compatibility_date,
    compatibilityFlags: ["nodejs_compat"],
    routes: routes(name),
    bindings: { ...variablesOf(project), SUPABASE_URL, SUPABASE_ANON_KEY, SUPABASE_SERVICE_ROLE_KEY, INVOKE_SECRET },
  }));
}

// The exact names and what lies below them. With a query the name alone fits neither: see front.mjs.
function routes(...names) {
  return names.flatMap((known) => [`*/functions/v1/${known}`, `*/functions/v1/${known}/*`]);
}

async function reload() {
  const begun = performance.now();
  const { changed, problems } = await mine.build();
  tell(problems);
  const now = JSON.stringify(variablesOf(project));
  if (changed.length === 0 && now === variables) return;
  variables = now;
  const failed = await serve();
  const reloaded = changed.filter((name) => !failed.includes(name));
  if (reloaded.length > 0 || changed.length === 0) console.log(`reloaded ${reloaded.join(", ") || "all, with the new .env"} in ${Math.round(performance.now() - begun)} ms`);
}

/** workerd has all of the code or none of it. So a function that throws while it is loaded keeps its older code, or is left out. Names those. */
async function serve() {
  const wanted = new Map(mine.code);
  if (await take(wanted)) return [];
  const good = new Map([...served].filter(([name]) => wanted.has(name)));
  const changed = [...wanted].filter(([name, code]) => good.get(name) !== code);
  const failed = [];
  for (const [name, code] of changed) {
    if (changed.length > 1 && (await take(new Map([...good, [name, code]])))) {
      good.set(name, code);
    } else {
      failed.push(name);
    }
  }
  await take(good);
  for (const name of failed) tell([`functions/${name} fails while it is loaded${good.has(name) ? "; its older code goes on" : ""}`]);
  return failed;
}

async function take(code) {
  try {
    await miniflare.setOptions(options(code));
    served = code;
    return true;
  } catch (error) {
    if (error.code !== "ERR_RUNTIME_FAILURE") throw error;
    return false;
  }
}

// What functions write, with the places of errors in the user's own files.
function pass(...streams) {
  for (const stream of streams) readline.createInterface({ input: stream }).on("line", (line) => console.log(mine.translated(line)));
}

/** A call that comes while one is under way is done after it, once. */
function oneAfterAnother(work) {
  let running = false, again = false;
  return async () => {
    again = true;
    if (running) return;
    running = true;
    while (again) {
      again = false;
      await work().catch((error) => console.error(error));
    }
    running = false;
  };
}

function tell(problems) {
  for (const problem of problems) console.error(problem);
}
