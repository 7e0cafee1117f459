// Serves all functions of wrangler.toml in one real workerd, each below /functions/v1/NAME, with a shared
// R2 bucket. Runs as a process of its own, so that it can be killed and started like any other part.
//   node workerd.mjs PORT R2_FOLDER      bindings for all functions come as JSON in GRISTMILL_BINDINGS; GRISTMILL_FUNCTIONS
//   names those to serve, where not all are wanted
import { Log, LogLevel, Miniflare } from "miniflare";

import { readFunctions } from "./wrangler.mjs";

const [port, r2Folder] = process.argv.slice(2);
const bindings = JSON.parse(process.env.GRISTMILL_BINDINGS);
const { shared, functions } = readFunctions(process.env.GRISTMILL_FUNCTIONS);

const miniflare = new Miniflare({
  host: "127.0.0.1",
  port: Number(port),
  cf: false,
  telemetry: { enabled: false },
  log: new Log(LogLevel.WARN),
  r2Persist: r2Folder,
  workers: functions.map(({ name, folder, vars, buckets }) => ({
    name,
    rootPath: folder,
    modulesRoot: folder,
    modules: [
      { type: "ESModule", path: `${folder}/index.js` },
      { type: "CompiledWasm", path: `${folder}/index_bg.wasm` },
    ],
    compatibilityDate: shared.compatibility_date,
    compatibilityFlags: shared.compatibility_flags,
    // Open at the end: a route without a star matches no request with a query.
    routes: [`*/functions/v1/${name}*`],
    r2Buckets: buckets,
    bindings: { ...vars, ...bindings },
  })),
});

const stop = async () => {
  await miniflare.dispose();
  process.exit(0);
};
process.on("SIGTERM", stop);
process.on("SIGINT", stop);
await miniflare.ready;
console.log(`functions are served on port ${port}`);
