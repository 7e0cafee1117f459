// Where the built functions are: index.js with index_bg.wasm for Cloudflare, deno.js for Supabase.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { Refusal } from "./files.mjs";

/** The folder of them: where GRISTMILL_FUNCTIONS_DIR says, in the package @gristmill/local of the project or beside this one, or in the checkout that this file belongs to. */
export function folder(env, project) {
  const checkout = fileURLToPath(new URL("../../../build", import.meta.url));
  const places = [env.GRISTMILL_FUNCTIONS_DIR, released(path.join(project, "package.json")), released(import.meta.url), path.join(checkout, "functions")].filter(Boolean);
  const found = places.find((place) => fs.existsSync(place));
  if (found) return found;
  throw new Refusal("the built functions were not found: npm install @gristmill/local, or in a checkout run ./scripts/build, or set GRISTMILL_FUNCTIONS_DIR");
}

function released(from) {
  try {
    return path.join(path.dirname(createRequire(from).resolve("@gristmill/local/package.json")), "functions");
  } catch {
    return null;
  }
}

export function read(place, name, file) {
  const at = path.join(place, name, file);
  if (!fs.existsSync(at)) throw new Refusal(`${at} is missing: in a checkout run ./scripts/build; otherwise install @gristmill/local again`);
  return fs.readFileSync(at);
}
