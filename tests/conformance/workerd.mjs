// Serves one function in a real workerd, with the environment that adapters are given as its bindings.
//   node workerd.mjs FOLDER     a compiled function: index.js and index_bg.wasm
//   node workerd.mjs FILE       a module, which is bundled first
import { Log, LogLevel, Miniflare } from "miniflare";
import { build } from "esbuild";
import path from "node:path";

import { readFunctions } from "../../sdk/local/stack/wrangler.mjs";

const NAMES = ["SUPABASE_URL", "SUPABASE_SERVICE_ROLE_KEY", "SUPABASE_ANON_KEY", "INVOKE_SECRET"];
const source = path.resolve(process.argv[2]);
const { shared } = readFunctions("processor");

const compiled = (folder) => ({
  rootPath: folder, modulesRoot: folder,
  modules: [{ type: "ESModule", path: path.join(folder, "index.js") }, { type: "CompiledWasm", path: path.join(folder, "index_bg.wasm") }],
});

async function bundled(file) {
  const { outputFiles } = await build({ entryPoints: [file], bundle: true, write: false, format: "esm", target: "es2022", conditions: ["workerd"] });
  return { modules: [{ type: "ESModule", path: "index.mjs", contents: outputFiles[0].text }] };
}

const miniflare = new Miniflare({
  host: "127.0.0.1", port: Number(process.env.PORT), cf: false, telemetry: { enabled: false }, log: new Log(LogLevel.WARN), name: "conform",
  ...(/\.m?[jt]s$/.test(source) ? await bundled(source) : compiled(source)),
  compatibilityDate: shared.compatibility_date, compatibilityFlags: shared.compatibility_flags,
  bindings: Object.fromEntries(NAMES.map((name) => [name, process.env[name]])),
});
await miniflare.ready;
