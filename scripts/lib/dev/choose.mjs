// What ./scripts/dev compiles, and whether it has to at all.
//
// What the tests have built (the profiles quick and wasm) is used as it is while no source is newer: nothing is compiled twice.
// After an edit the profile local is compiled, though quick is there. Cargo would compile quick again for the most part: the tests compile our
// crates with lints, and the whole workspace gives tokio and futures-util other features than the binary alone does.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

import { root, targetDir } from "../../../sdk/local/stack/paths.mjs";

const marker = (kind) => path.join(targetDir, `local/complete-${kind}`);

/**
 * native, functions: "tested" where what the tests have built is fresh, or else "local".
 * staged: something was never compiled with these dependencies, so the first job is shown before the rest is there.
 */
export function choose() {
  const native = isFresh(path.join(targetDir, "quick/gristmill")) ? "tested" : "local";
  const functions = functionNames().every(isTestedFunction) ? "tested" : "local";
  const staged = Object.entries({ native, functions }).some(([kind, build]) => build === "local" && known(kind) !== dependencies());
  return { native, functions, staged };
}

/** Notes that all of the profile local was compiled that was chosen. The next start compiles what has changed in one go. */
export function noteComplete(chosen) {
  for (const kind of ["native", "functions"].filter((one) => chosen[one] === "local")) fs.writeFileSync(marker(kind), dependencies());
}

export const functionNames = () => fs.readdirSync(path.join(root, "functions"));

function isTestedFunction(name) {
  return fs.existsSync(path.join(root, "build/functions", name, "index.js"))
    && isFresh(path.join(targetDir, "wasm32-unknown-unknown/wasm", `gristmill_fn_${name}.wasm`));
}

/** Whether no source is newer than a file that cargo has made. Cargo lists the sources beside it, SQL and templates too. */
export function isFresh(file, list = file.replace(/\.wasm$/, "") + ".d") {
  try {
    const made = fs.statSync(file).mtimeMs;
    const sources = fs.readFileSync(list, "utf8").split(": ").slice(1).join(": ").trim().split(/(?<!\\) /);
    // A target folder that was copied from another checkout names the sources of that one.
    if (!sources.some((source) => source.startsWith(`${root}/`))) return false;
    return [...sources.map((source) => source.replaceAll("\\ ", " ")), path.join(root, "Cargo.lock"), path.join(root, "Cargo.toml")]
      .every((source) => fs.statSync(source).mtimeMs <= made);
  } catch {
    return false; // not built, or a source has gone
  }
}

const dependencies = () =>
  createHash("sha256").update(fs.readFileSync(path.join(root, "Cargo.lock"))).update(fs.readFileSync(path.join(root, "Cargo.toml"))).digest("hex");

function known(kind) {
  try {
    return fs.readFileSync(marker(kind), "utf8");
  } catch {
    return null;
  }
}
