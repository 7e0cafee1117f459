// Serves all functions of wrangler.toml in one real workerd, each below /functions/v1/NAME, with a shared
// R2 bucket. Runs as a process of its own, so that it can be killed and started like any other part.
//   node workerd.mjs PORT R2_FOLDER      bindings for all functions come as JSON in GRISTMILL_BINDINGS; GRISTMILL_FUNCTIONS
//   names those to serve, where not all are wanted
import { Log, LogLevel, Miniflare } from "miniflare";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { readFunctions, workersOf } from "./wrangler.mjs";

const [port, r2Folder] = process.argv.slice(2);
const bindings = JSON.parse(process.env.GRISTMILL_BINDINGS);
const { shared, functions } = readFunctions(process.env.GRISTMILL_FUNCTIONS);

const here = path.dirname(fileURLToPath(import.meta.url));
const workers = workersOf(functions);
const servedBy = Object.fromEntries(workers.flatMap(({ name, names }) => names.map((known) => [known, name])));
// First: Miniflare gives it every request that no route fits, which would otherwise be answered by the first function.
const front = {
  name: "front",
  rootPath: here,
  modulesRoot: here,
  modules: ["front.mjs", "unknown-function.mjs"].map((file) => ({ type: "ESModule", path: path.join(here, file) })),
  compatibilityDate: shared.compatibility_date,
  bindings: { FUNCTIONS: Object.keys(servedBy) },
  serviceBindings: servedBy,
};

const miniflare = new Miniflare({
  host: "127.0.0.1",
  port: Number(port),
  cf: false,
  telemetry: { enabled: false },
  log: new Log(LogLevel.WARN),
  r2Persist: r2Folder,
  workers: [front, ...workers.map(({ name, names, folder, vars, buckets }) => ({
    name,
    rootPath: folder,
    modulesRoot: folder,
    modules: [
      { type: "ESModule", path: `${folder}/index.js` },
      { type: "CompiledWasm", path: `${folder}/index_bg.wasm` },
    ],
    compatibilityDate: shared.compatibility_date,
    compatibilityFlags: shared.compatibility_flags,
    // The exact names and what lies below them. With a query the name alone fits neither: see front.mjs.
    routes: names.flatMap((known) => [`*/functions/v1/${known}`, `*/functions/v1/${known}/*`]),
    r2Buckets: buckets,
    bindings: { ...vars, ...bindings },
  }))],
});

const stop = async () => {
  await miniflare.dispose();
  process.exit(0);
};
process.on("SIGTERM", stop);
process.on("SIGINT", stop);
await miniflare.ready;
console.log(`functions are served on port ${port}`);
