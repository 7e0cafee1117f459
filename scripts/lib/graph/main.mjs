// scripts/graph: what depends on what, in sql/ and among the crates.
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

import { root } from "../../../sdk/local/stack/paths.mjs";
import { arrowsOfSql, bundle, complaints } from "./arrows.mjs";
import { complaintsAboutCrates, cratesOf, linesOfRust, readMetadata } from "./crates.mjs";
import { drawings } from "./draw.mjs";
import { readManifest } from "./manifest.mjs";

const USAGE = `usage: scripts/graph sql|crates [--check] [--files] [--mermaid|--dot] [--sql-dir DIR]

Draws what depends on what. Arrows must point down.
  sql       the parts of sql/, as sql/manifest.txt declares them; an arrow where a file names an object of another part
  crates    the crates of the workspace with their purpose and their lines of Rust

  --check      print each arrow that points up and each crate that is too large, and exit with 1 if there is one
  --files      print the files and names behind each arrow of sql
  --mermaid    a diagram for docs
  --dot        a diagram for Graphviz
  --sql-dir    another folder than sql/`;

/** @returns {{nodes: object[], arrows: object[], wrong: string[]}} */
function graphOfSql(folder) {
  const parts = readManifest(fs.readFileSync(path.join(folder, "manifest.txt"), "utf8"));
  if (parts.length === 0) throw new Error("sql/manifest.txt declares no part");
  const single = arrowsOfSql(parts, (file) => fs.readFileSync(path.join(folder, file), "utf8"));
  return {
    nodes: parts.map((part) => ({ name: part.name, label: part.name, group: part.kind })),
    arrows: bundle(single).map((arrow) => ({ ...arrow, count: arrow.reasons.length })),
    wrong: complaints(parts, single),
  };
}

function graphOfCrates() {
  const crates = cratesOf(readMetadata(root), linesOfRust);
  return {
    nodes: crates.map(({ name, lines, folder, about }) => ({ name, label: `${name} (${lines} lines)`, group: folder.split("/")[0], about })),
    arrows: crates.flatMap((crate) => crate.uses.map((used) => ({ from: crate.name, to: used, reasons: [] }))),
    wrong: complaintsAboutCrates(crates),
  };
}

function main() {
  const { values, positionals: [what, ...rest] } = parseArgs({
    allowPositionals: true,
    options: {
      check: { type: "boolean" }, files: { type: "boolean" }, mermaid: { type: "boolean" }, dot: { type: "boolean" },
      "sql-dir": { type: "string", default: path.join(root, "sql") }, help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(USAGE);
  if (!["sql", "crates"].includes(what) || rest.length > 0) throw new Error(`say sql or crates\n${USAGE}`);

  const { nodes, arrows, wrong } = what === "sql" ? graphOfSql(values["sql-dir"]) : graphOfCrates();
  if (values.check) {
    for (const sentence of wrong) console.log(sentence);
    if (wrong.length > 0) process.exitCode = 1;
    else console.log(`${nodes.length} ${what === "sql" ? "parts" : "crates"}, ${arrows.length} arrows, all of them point down`);
    return;
  }
  const form = values.mermaid ? "mermaid" : values.dot ? "dot" : "text";
  console.log(drawings[form](nodes, arrows));
  if (values.files) {
    for (const { from, to, isUp, reasons } of arrows) {
      console.log(`\n${from} -> ${to}${isUp ? " UP" : ""}`);
      for (const { file, line, name } of reasons) console.log(`  ${file}:${line} ${name}`);
    }
  }
}

try {
  main();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(2);
}
