// Functions of the user's own: every folder functions/NAME with an index file whose default export has `fetch(request, env)`, as `gristmill dev` runs them. They
// are deployed beside ours. The files of sql/ are run after ours.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { Refusal } from "./files.mjs";
import { FUNCTIONS, GENERATED, PROVIDED_BY_SUPABASE } from "./functions.mjs";

const INDEX = ["index.ts", "index.tsx", "index.mts", "index.js", "index.mjs"];
const NAMES_OF_OURS = Object.entries(FUNCTIONS).flatMap(([name, { names = [] }]) => [name, ...names]);

/** The code of each, by name, bundled into one module. */
export async function bundled(project) {
  const folder = path.join(project, "functions");
  const found = !fs.existsSync(folder) ? [] : fs.readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^[_.]/.test(entry.name))
    .map(({ name }) => ({ name, index: INDEX.map((file) => path.join(folder, name, file)).find((file) => fs.existsSync(file)) })).filter(({ index }) => index);
  if (found.length === 0) return {};
  const esbuild = await bundler(project);
  const code = {};
  for (const { name, index } of found) {
    if (!/^[a-z][a-z0-9_-]{0,40}$/.test(name)) throw new Refusal(`functions/${name}: a function's name is made of a-z, 0-9, _ and -. Rename the folder`);
    if (NAMES_OF_OURS.includes(name) || name === "router") throw new Refusal(`functions/${name} has the name of a function of Gristmill. Rename the folder`);
    try {
      const { outputFiles: [{ text }] } = await esbuild.build({ entryPoints: [index], absWorkingDir: project, bundle: true, write: false, logLevel: "silent", format: "esm", target: "es2022",
        platform: "browser", conditions: ["workerd", "worker", "browser"], external: ["node:*", "cloudflare:*"] });
      code[name] = text;
    } catch (error) {
      const said = error.errors ? (await esbuild.formatMessages(error.errors, { kind: "error" })).join("").trimEnd() : error.message;
      throw new Refusal(`functions/${name} does not compile\n${said}`);
    }
  }
  return code;
}

// The project's own, or that of @gristmill/local, which bundles them for `gristmill dev`.
async function bundler(project) {
  const from = path.join(project, "package.json");
  const tries = [() => createRequire(from).resolve("esbuild"), () => createRequire(createRequire(from).resolve("@gristmill/local/package.json")).resolve("esbuild"),
    () => createRequire(import.meta.url).resolve("esbuild")];
  for (const resolve of tries) {
    try {
      const { default: esbuild } = await import(pathToFileURL(resolve()));
      return esbuild;
    } catch {
      // the next
    }
  }
  throw new Refusal("your functions cannot be bundled: npm install --save-dev @gristmill/local, or esbuild");
}

/**
 * What each of them is given: the project and its keys, the secret with which Postgres signs, and every line of the secrets' file that is not ours. `kept`: that file.
 */
export function bindings(kept) {
  const ours = new Set([...Object.keys(GENERATED), ...PROVIDED_BY_SUPABASE, ...Object.values(FUNCTIONS).flatMap(({ secrets, optional }) => [...secrets, ...(optional?.secrets ?? [])])]);
  const further = Object.keys(kept).filter((name) => !ours.has(name) && !name.startsWith("GRISTMILL_"));
  return { vars: ["SUPABASE_URL"], secrets: ["SUPABASE_ANON_KEY", "SUPABASE_SERVICE_ROLE_KEY", "INVOKE_SECRET", ...further], bucket: null, optional: { vars: ["CORS_ORIGINS"], secrets: [] }, crons: [] };
}

/** The files of sql/, in the order of their names. Each is written so that it may run twice. */
export function sqlFiles(project) {
  const folder = path.join(project, "sql");
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder).filter((name) => name.endsWith(".sql")).sort().map((name) => ({ name: `sql/${name}`, text: fs.readFileSync(path.join(folder, name), "utf8") }));
}
