// The programs of programs/ as single files, as they would be deployed. Node loads such a file with half of the CPU time that the modules of supabase-js take,
// 0.15 s instead of 0.3, and the tests start some forty programs.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { buildSync } from "esbuild";

const files = new Map();
let folder = null;

/** Where a program lies as one file; made once per process. */
export function programFile(name) {
  if (folder === null) {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-programs-"));
    process.once("exit", () => fs.rmSync(folder, { recursive: true, force: true }));
  }
  if (!files.has(name)) {
    const file = path.join(folder, `${name}.mjs`);
    buildSync({ entryPoints: [path.join(import.meta.dirname, "programs", `${name}.mjs`)], outfile: file, bundle: true, platform: "node", format: "esm", logLevel: "error",
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' } });
    files.set(name, file);
  }
  return files.get(name);
}
