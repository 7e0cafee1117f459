// Serves one module in a real workerd, with the environment that adapters are given as its bindings.
//   node workerd.mjs FOLDER [FILE]     FILE (index.js) is the module; an index_bg.wasm beside it is compiled
import { Log, LogLevel, Miniflare } from "miniflare";
import fs from "node:fs";
import path from "node:path";

import { readFunctions } from "../../sdk/local/stack/wrangler.mjs";

const folder = path.resolve(process.argv[2]);
const main = path.join(folder, process.argv[3] ?? "index.js");
const wasm = path.join(folder, "index_bg.wasm");
const { shared } = readFunctions("processor");
const names = ["SUPABASE_URL", "SUPABASE_SERVICE_ROLE_KEY", "SUPABASE_ANON_KEY", "INVOKE_SECRET"];

const miniflare = new Miniflare({
  host: "127.0.0.1", port: Number(process.env.PORT), cf: false, telemetry: { enabled: false }, log: new Log(LogLevel.WARN),
  name: "conform", rootPath: folder, modulesRoot: folder,
  modules: [{ type: "ESModule", path: main }, ...(fs.existsSync(wasm) ? [{ type: "CompiledWasm", path: wasm }] : [])],
  compatibilityDate: shared.compatibility_date, compatibilityFlags: shared.compatibility_flags,
  bindings: Object.fromEntries(names.map((name) => [name, process.env[name]])),
});
await miniflare.ready;
