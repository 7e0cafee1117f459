// What a platform asks of a function: at most 5 MB of code, and a cold start within a second. Whoever builds one that is larger or slower is warned.
//   node scripts/lib/function-limits.mjs FOLDER…
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { root } from "../../sdk/local/stack/paths.mjs";

export const LIMITS = { bytes: 5 * 1024 * 1024, seconds: 1 };

// Loading the file starts to serve, which is all of a cold start but the process: so nothing is served here.
const LOAD = `Object.defineProperty(Deno, "serve", { value() {} });
const begun = performance.now();
await import(Deno.args[0]);
console.log(performance.now() - begun);`;

/** The size of a built function, and how long its code takes until it serves; null where there is no file for Deno. */
export async function measure(folder) {
  const size = (name) => fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  const bytes = size("index.js") + size("index_bg.wasm");
  const file = path.join(folder, "deno.js");
  if (!fs.existsSync(file)) return { bytes, seconds: null };
  const load = ["eval", LOAD, "--", pathToFileURL(path.resolve(file)).href];
  const { stdout } = await promisify(execFile)(path.join(root, "node_modules/.bin/deno"), load).catch(({ stderr }) => {
    // All code is in one line, which must not be shown.
    throw new Error(`${file} does not load: ${String(stderr).slice(0, 300)}`);
  });
  return { bytes, seconds: Number(stdout.trim().split("\n").at(-1)) / 1000 };
}

/** One sentence for each limit that a function does not keep. */
export async function warnings(folder, limits = LIMITS) {
  const name = path.basename(folder);
  const { bytes, seconds } = await measure(folder);
  const said = [];
  if (bytes > limits.bytes) {
    said.push(`${name} has ${(bytes / 1048576).toFixed(1)} MB of code, over ${(limits.bytes / 1048576).toFixed(1)}: some platforms refuse it. Look at what it stands on: cargo tree -p gristmill-fn-${name}`);
  }
  if (seconds !== null && seconds > limits.seconds) {
    said.push(`${name} takes ${seconds.toFixed(2)} s until it serves, over ${limits.seconds}: callers wait that long for a cold start`);
  }
  return said;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const folder of process.argv.slice(2)) for (const said of await warnings(folder)) console.error(`warning: ${said}`);
}
