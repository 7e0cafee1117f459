// Every suite that ./scripts/test knows: what it runs, what it needs built, and how its result is read.
import fs from "node:fs";
import path from "node:path";

import { root } from "../stack/paths.mjs";
import { readCargo, readCheck, readLints, readNode, readPlain } from "./counts.mjs";

const node = process.execPath;
// node:test runs the files of a suite one after another: each starts a whole stack of its own.
const nodeTest = (...files) => [node, "--test", "--test-concurrency=1", "--test-reporter=tap", ...files];
const quick = ["--locked", "--profile", "quick"];
// In the same profile, so that what runs while compiling, macros and build scripts, is compiled once for both.
const wasm = [...quick, "--target", "wasm32-unknown-unknown"];
// Always the workspace: a crate's features are the sum of what is built with it, and others would be compiled anew.
const cargoTest = ["cargo", "test", ...quick, "--workspace"];
// As scripts/lib/build-tests.sh has compiled them, or they would be compiled again.
const compiled = { lane: "cargo", needs: ["tests"], env: { RUSTC_WORKSPACE_WRAPPER: path.join(root, "scripts/lib/linting-rustc.sh") } };
const FUNCTIONS = fs.readdirSync(path.join(root, "functions")).flatMap((name) => ["-p", `gristmill-${name}`]);

/**
 * lane: suites of one lane run one after another, lanes side by side. Cargo's share a lane, because they
 * would only wait for each other's lock; what stands in a lane of another name is there to make them equally long.
 */
export const suites = [
  { group: "lint", name: "fmt", lane: "cargo", command: ["cargo", "fmt", "--all", "--check"], read: readCheck },
  { group: "lint", name: "clippy", ...compiled, read: readLints, command: [...cargoTest, "--all-targets", "--no-run"] },
  { group: "lint", name: "clippy-wasm", lane: "cargo", toolchain: "wasm", read: readCheck,
    command: ["cargo", "clippy", ...wasm, ...FUNCTIONS, "-p", "gristmill-shared", "--features", "gristmill-shared/edge", "--", "-D", "warnings"] },
  { group: "unit", name: "unit", ...compiled, read: readCargo, command: [...cargoTest, "--lib", "--bins"] },
  { group: "native", name: "relay", ...compiled, debian: true, read: readCargo, command: [...cargoTest, "--test", "relay"] },
  { group: "native", name: "postgrest", ...compiled, debian: true, read: readCargo, command: [...cargoTest, "--test", "postgrest"] },
  { group: "unit", name: "compile-fail", ...compiled, read: readCargo, command: [...cargoTest, "--test", "compile_fail"] },
  { group: "wasm", name: "wasm", lane: "cargo", toolchain: "wasm", read: readCargo,
    env: { NODE_OPTIONS: `--require=${path.join(root, "shared/js/node-timers.cjs")}` },
    command: ["cargo", "test", ...wasm, "-p", "gristmill-shared", "--features", "edge", "--test", "wasm"] },

  { group: "lint", name: "shellcheck", lane: "stack", read: readCheck,
    command: ["bash", "-c", "shellcheck -x scripts/dev scripts/test scripts/build scripts/setup scripts/bench scripts/lib/*.sh .ci/run"] },
  { group: "sql", name: "sql-embedded", lane: "embedded", needs: ["native"], read: readPlain,
    command: [node, "scripts/lib/test/pgtap.mjs", "embedded"] },
  { group: "sql", name: "sql-debian", lane: "debian", needs: ["native"], debian: true, read: readPlain,
    command: [node, "scripts/lib/test/pgtap.mjs", "debian"] },
  { group: "sql", name: "races", lane: "embedded", needs: ["native"], read: readNode,
    command: nodeTest("tests/races/") },
  { group: "gateway", name: "gateway", lane: "stack", needs: ["native"], read: readNode,
    command: nodeTest("tests/gateway/") },
  { group: "e2e", name: "e2e", lane: "stack", needs: ["native", "functions"], read: readNode,
    command: nodeTest("tests/e2e/") },
  ...[["documents", "debian"], ["exports", "cargo"], ["refresh", "embedded"], ["workflows", "embedded"]].map(([name, lane]) => (
    { group: "apps", name, lane, needs: ["native", "functions"], read: readNode, command: nodeTest(`tests/${name}/`) })),
];
