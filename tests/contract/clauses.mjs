// Which tests carry the number of which clause. `node tests/contract/clauses.mjs` prints the list.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { readContract } from "./contract.mjs";

const tests = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** The clauses of clauses.txt, in their order. */
export function readClauses() {
  const lines = fs.readFileSync(path.join(tests, "contract/clauses.txt"), "utf8").split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [clause, name] = line.split("\t");
    return { clause, name };
  });
}

// The first argument of test(…): one quoted text. A name may be put together, and then the parts that are written out count.
const TEST_NAME = /\b(?:test|it|describe)(?:\.\w+)?\(\s*(["'`])((?:\\.|(?!\1).)*)\1/gs;

// The last argument of a pgTAP assertion is its description: a text that is followed by the closing parenthesis.
const DESCRIPTION = /'((?:[^']|'')*)'\s*\)/g;

// Files of tests that a .test.mjs file runs on its own stack: here routes.test.mjs.
const RUN_BY_ANOTHER = ["contract/functions.mjs"];

/** Every test name below a folder, with its file. */
export function testNames(folder = tests) {
  const files = fs.readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name)).sort();
  const names = files.flatMap((file) => {
    const isTest = file.endsWith(".test.mjs") || RUN_BY_ANOTHER.includes(path.relative(folder, file));
    const pattern = isTest ? TEST_NAME : file.endsWith(".sql") && path.relative(folder, file).startsWith("sql") ? DESCRIPTION : null;
    if (pattern === null) return [];
    const found = [...fs.readFileSync(file, "utf8").matchAll(pattern)].map((match) => match.at(-1));
    return found.map((name) => ({ file: path.relative(folder, file), name: name.replaceAll("''", "'") }));
  });
  return [...names, ...catalogNames()];
}

// catalog.mjs makes tests of the lines of the contract.
function catalogNames() {
  const objects = new Set(readContract().filter(({ what }) => what !== "key").map(({ clause, object }) => `${clause}: ${object}`));
  return [...objects].map((name) => ({ file: "contract/general.test.mjs", name: `${name} has the shape and grants of the contract` }));
}

/** The tests of a clause. */
export function testsOf(clause, names) {
  const carries = new RegExp(`\\b${clause}\\b`);
  return names.filter(({ name }) => carries.test(name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = testNames();
  for (const { clause, name } of readClauses()) {
    const found = testsOf(clause, names);
    console.log(`${clause}  ${name}${found.length === 0 ? "\n    NO TEST" : ""}`);
    for (const { file, name: test } of found) console.log(`    ${file}: ${test}`);
  }
}
