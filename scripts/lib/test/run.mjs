// ./scripts/test after setup: builds what the chosen suites need, runs them side by side, sums up.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { isRoot, root } from "../../../sdk/local/stack/paths.mjs";
import { hasDebianPostgres } from "../../../sdk/local/stack/postgres.mjs";
import { suiteOf } from "./one.mjs";
import { suites } from "./suites.mjs";

const groups = [...new Set(suites.map((suite) => suite.group))];
const wanted = process.argv.slice(2).filter((word) => word !== "soak");
const soak = process.argv.includes("soak");

if (wanted.includes("--help")) {
  console.log(`usage: scripts/test [soak] [${groups.join("|")}|SUITE|PATH|RUST_TEST …]

Runs every test, or the named groups or suites: ${suites.map((suite) => suite.name).join(", ")}.
  soak        the same tests with the large counts, and ${suites.filter((suite) => suite.onSoak).map((suite) => suite.name).join(" and ")} (hours, not minutes)
  PATH        one file or folder: tests/sql/…, tests/…/NAME.test.mjs, or a Rust file, for the tests inside it
  RUST_TEST   the name of a Rust test or of a module of tests, or a part of it

Ends with one line 'N passed, M failed' and exits non-zero on any failure.`);
  process.exit(0);
}
const single = wanted.filter((word) => !suites.some((suite) => suite.group === word || suite.name === word)).map((word) => ({ word, suite: suiteOf(word) }));
const unknown = single.filter(({ suite }) => suite === null).map(({ word }) => word);
if (unknown.length > 0) {
  console.error(`error: there is no suite, no file with tests and no Rust test named ${unknown.join(", ")}\n  suites: ${groups.join(", ")}, ${suites.map((s) => s.name).join(", ")}`);
  process.exit(2);
}

const chosen = suites
  .filter((suite) => wanted.length === 0 && (soak || !suite.onSoak) || wanted.includes(suite.group) || wanted.includes(suite.name))
  .concat(single.map(({ suite }) => suite))
  .filter((suite) => {
    const missing = suite.debian && !hasDebianPostgres() ? "Debian's Postgres 15 is not on this system"
      : suite.root && !isRoot ? "it needs root, to make a network of its own" : null;
    if (missing) console.log(`  ${suite.name.padEnd(14)} left out: ${missing}`);
    return !missing;
  });
const logs = path.join(process.env.CACHE ?? root, "logs");
const env = { ...process.env, ...(soak && { GRISTMILL_SOAK: "1" }) };
const needs = new Set(chosen.flatMap((suite) => suite.needs ?? []));
if (needs.has("tests")) build("scripts/lib/build-tests.sh");
else if (needs.has("native")) build("scripts/lib/build-native.sh");
if (needs.has("deploy tools")) build("scripts/setup", "--for", "deploy");
if (needs.has("pgbouncer")) build("scripts/setup", "--for", "operate");
if (needs.has("faketime")) build("scripts/setup", "--for", "chaos");
if (needs.has("functions")) build("scripts/build", "--quiet", ...(needs.has("conformance function") ? ["--conformance"] : []));
if (needs.has("sdk") || needs.has("sdk image")) build("scripts/lib/build-sdk.sh", ...(needs.has("sdk image") ? ["--image"] : []));

const cargo = chosen.filter((suite) => suite.cargo);
const others = chosen.filter((suite) => !suite.cargo && !suite.alone);
const alone = chosen.filter((suite) => suite.alone);
const running = new Set();
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    for (const list of [cargo, others, alone]) list.length = 0;
    for (const child of running) child.kill(signal); // a terminal sends it to their stacks as well
    process.exitCode = 130;
  });
}

const started = Date.now();
const runners = [[cargo, others], [others], [others], [others]];
const results = (await Promise.all(runners.map(runSuites))).flat();
results.push(...await runSuites([alone]));
const total = results.reduce(
  (sums, { counts }) => ({
    passed: sums.passed + counts.passed, failed: sums.failed + counts.failed, skipped: sums.skipped + counts.skipped,
  }), { passed: 0, failed: 0, skipped: 0 });
for (const { suite, text, log } of results.filter(({ counts }) => counts.failed > 0)) {
  console.log(`\n--- ${suite.name}: ${log}\n${interesting(text)}`);
}
console.log(`\nin ${((Date.now() - started) / 1000).toFixed(0)} s`);
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`);
process.exit(process.exitCode ?? (total.failed > 0 ? 1 : 0));

function build(...command) {
  const { status } = spawnSync(command[0], command.slice(1), { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs suites from the top of each list until it is empty; runners may share a list. */
async function runSuites(lists) {
  const done = [];
  for (const list of lists) {
    while (list.length > 0) done.push(await runSuite(list.shift()));
  }
  return done;
}

function runSuite(suite) {
  const log = path.join(logs, `test-${suite.name}.log`);
  const begun = Date.now();
  // The wasm toolchain is put on PATH by the same shell function that the build uses.
  const command = suite.toolchain === "wasm"
    ? ["bash", "-c", '. scripts/lib/common.sh; use_wasm_toolchain; "$@"', "bash", ...suite.command]
    : suite.command;
  return new Promise((resolve) => {
    const child = spawn(command[0], command.slice(1), { cwd: root, env: { ...env, ...suite.env }, stdio: ["ignore", "pipe", "pipe"] });
    running.add(child);
    let text = "";
    child.stdout.on("data", (chunk) => (text += chunk));
    child.stderr.on("data", (chunk) => (text += chunk));
    child.on("error", (error) => (text += `${error.message}\n`));
    child.on("close", (code) => {
      running.delete(child);
      fs.writeFileSync(log, text);
      const counts = suite.read(text, code ?? 1);
      const mark = counts.failed > 0 ? "FAILED" : "ok";
      const seconds = ((Date.now() - begun) / 1000).toFixed(1);
      const detail = `${counts.passed} passed${counts.failed ? `, ${counts.failed} failed` : ""}${counts.skipped ? `, ${counts.skipped} skipped` : ""}`;
      console.log(`  ${mark.padEnd(7)} ${suite.name.padEnd(14)} ${detail.padEnd(28)} ${seconds.padStart(6)} s`);
      resolve({ suite, counts, text, log });
    });
  });
}

// The lines that tell why, without those of the hundreds that passed: in TAP a line, its heading and its block.
function interesting(text) {
  const lines = text
    .replace(/^( *)ok .*\n(?:\1 {2}---\n(?:.*\n)*?\1 {2}\.\.\.\n)?/gm, "")
    .split("\n")
    .filter((line) => !/^\s*(# Subtest|Compiling|Checking|test .* \.\.\. ok)/.test(line));
  return lines.slice(-60).map((line) => `  ${line}`).join("\n");
}
