// A suite for one file, one folder or one Rust test: what ./scripts/test does with a word that names no suite.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { root } from "../../../sdk/local/stack/paths.mjs";
import { readCargo, readNode, readPlain } from "./counts.mjs";
import { cargoTest, compiled, nodeTest } from "./suites.mjs";

/** The suite, or null where the word is neither a file with tests nor the name of a Rust test. */
export function suiteOf(word) {
  const file = [path.resolve(word), path.join(root, word)].find((candidate) => fs.existsSync(candidate));
  return file === undefined ? ofRustName(word) : ofFile(path.relative(root, file));
}

const named = (file) => file.replace(/^tests\//, "").replace(/(\.test)?\.\w+$/, "").replace(/\W+/g, "-").replace(/-$/, "");

function ofFile(file) {
  if (file.endsWith(".rs")) return ofRustFile(file);
  const isFolder = fs.statSync(path.join(root, file)).isDirectory();
  if (/^tests\/sql\b/.test(file)) {
    return { name: named(file), needs: ["native"], read: readPlain, command: [process.execPath, "scripts/lib/test/pgtap.mjs", "embedded", file] };
  }
  const hasTests = isFolder ? fs.readdirSync(path.join(root, file)).some((entry) => entry.endsWith(".test.mjs")) : file.endsWith(".test.mjs");
  return hasTests && file.startsWith("tests/")
    ? { name: named(file), needs: ["native", "functions", ...(/^tests\/deploy\b/.test(file) ? ["deploy tools"] : []), ...(/^tests\/operate\b/.test(file) ? ["pgbouncer", "sdk"] : []), ...(/^tests\/(testing|examples)\b/.test(file) ? ["sdk image"] : [])], read: readNode, command: nodeTest(isFolder ? `${file}/` : file) }
    : null;
}

const rust = (name, ...filter) => ({ name, ...compiled, read: readCargo, command: [...cargoTest, ...filter] });

// CRATE/src/a/b.rs and CRATE/src/a/b/mod.rs have the module a::b. CRATE/tests/NAME.rs and CRATE/tests/NAME/ are a program of its own.
function ofRustFile(file) {
  const [, program, part] = /^(?!tests\/).+?\/tests\/([^/.]+)(?:\/(.+))?\.rs$/.exec(file) ?? [];
  if (program) return rust(named(file), "--test", program, ...(part === undefined || part === "main" ? [] : [`${part.replaceAll("/", "::")}::`]));
  const module = /\bsrc\/(.+)\.rs$/.exec(file)?.[1].replace(/\/mod$/, "").replace(/^(main|lib)$/, "tests").replaceAll("/", "::");
  return module === undefined ? null : rust(named(file), "--lib", "--bins", `${module}::`);
}

function ofRustName(word) {
  if (!/^[\w:]+$/.test(word)) return null;
  const last = word.split("::").at(-1);
  const { status } = spawnSync("git", ["grep", "-qE", `(fn|mod) \\w*${last}`, "--", "*.rs"], { cwd: root });
  return status === 0 ? rust(named(word), "--lib", "--bins", "--tests", word) : null;
}
