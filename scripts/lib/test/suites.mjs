// Every suite that ./scripts/test knows: what it runs, what it needs built, and how its result is read.
import fs from "node:fs";
import path from "node:path";

import { root } from "../../../sdk/local/stack/paths.mjs";
import { readCargo, readCheck, readLints, readNode, readPlain } from "./counts.mjs";

const node = process.execPath;
// node:test runs the files of a suite one after another: each starts a whole stack of its own.
export const nodeTest = (...files) => [node, "--test", "--test-concurrency=1", "--test-reporter=tap", ...files];
// Files that hold nothing to a time: several run at once.
const nodeTestAtOnce = (...files) => [node, "--test", "--test-concurrency=3", "--test-reporter=tap", ...files];
const quick = ["--locked", "--profile", "quick"];
// In the same profile, so that what runs while compiling, macros and build scripts, is compiled once for both.
const wasm = [...quick, "--target", "wasm32-unknown-unknown"];
// Always the workspace: a crate's features are the sum of what is built with it, and others would be compiled anew.
export const cargoTest = ["cargo", "test", ...quick, "--workspace"];
// As scripts/lib/build-tests.sh has compiled them, or they would be compiled again.
export const compiled = { cargo: true, needs: ["tests"], env: { RUSTC_WORKSPACE_WRAPPER: path.join(root, "scripts/lib/linting-rustc.sh") } };
const inNode = { NODE_OPTIONS: `--require=${path.join(root, "shared/edge/js/node-timers.cjs")}` };
const FUNCTIONS = fs.readdirSync(path.join(root, "functions")).flatMap((name) => ["-p", `gristmill-fn-${name}`]);

const OPENAPI = "tests/e2e/openapi.test.mjs";
const E2E = fs.readdirSync(path.join(root, "tests/e2e")).filter((file) => file.endsWith(".test.mjs")).map((file) => `tests/e2e/${file}`);

const app = (name) => ({ group: "apps", name, needs: ["native", "functions"], read: readNode, command: nodeTest(`tests/${name}/`) });

/**
 * cargo: run one after another, because they would only wait for each other's lock. The others are taken from the top by
 * whoever is free, so the longest stand first.
 * onSoak: left out of the default run; runs in ./scripts/test soak, or when it is named.
 * alone: run after all others, because it holds the system to a time, and a busy machine is no failure of the system.
 */
export const suites = [
  { group: "lint", name: "fmt", cargo: true, command: ["cargo", "fmt", "--all", "--check"], read: readCheck },
  { group: "lint", name: "clippy", ...compiled, read: readLints, command: [...cargoTest, "--all-targets", "--no-run"] },
  { group: "lint", name: "clippy-wasm", cargo: true, toolchain: "wasm", read: readCheck,
    command: ["cargo", "clippy", ...wasm, ...FUNCTIONS, "-p", "gristmill-core", "-p", "gristmill-edge", "--", "-D", "warnings"] },
  { group: "unit", name: "unit", ...compiled, read: readCargo, command: [...cargoTest, "--lib", "--bins", "--no-fail-fast"] },
  { group: "native", name: "relay", ...compiled, debian: true, read: readCargo, command: [...cargoTest, "--test", "relay"] },
  { group: "native", name: "postgrest", ...compiled, debian: true, read: readCargo, command: [...cargoTest, "--test", "postgrest"] },
  { group: "unit", name: "compile-fail", ...compiled, read: readCargo, command: [...cargoTest, "--test", "compile_fail", "--test", "conformance_worker"] },
  { group: "wasm", name: "wasm", cargo: true, toolchain: "wasm", read: readCargo,
    env: inNode, command: ["cargo", "test", ...wasm, "-p", "gristmill-core", "--test", "wasm"] },
  { group: "wasm", name: "wasm-functions", cargo: true, toolchain: "wasm", read: readCargo,
    env: inNode, command: ["cargo", "test", ...wasm, ...FUNCTIONS, "--lib", "--no-fail-fast"] },

  // Generated requests to every route take as long as all else here: in a suite of their own they run beside it.
  { group: "e2e", name: "e2e", needs: ["native", "functions", "sdk"], read: readNode, command: nodeTest(...E2E.filter((file) => file !== OPENAPI)) },
  { group: "e2e", name: "openapi", needs: ["native", "functions"], read: readNode, command: nodeTest(OPENAPI) },
  // The reading crate's example comes with the native tests.
  { ...app("documents"), needs: ["tests", "functions"] },
  app("exports"),
  { group: "sql", name: "races", needs: ["native"], read: readNode, command: nodeTest("tests/races/") },
  { group: "sql", name: "sql-debian", needs: ["native"], debian: true, read: readPlain,
    command: [node, "scripts/lib/test/pgtap.mjs", "debian"] },
  { group: "sql", name: "sql-embedded", needs: ["native"], read: readPlain,
    command: [node, "scripts/lib/test/pgtap.mjs", "embedded"] },
  // Breaks the functions behind the contracts one by one and asks the tests: all of them takes half an hour.
  { group: "sql", name: "mutants", onSoak: true, needs: ["native"], read: readPlain, command: [node, "tests/mutants/run.mjs"] },
  { group: "sql", name: "engine", needs: ["native"], read: readNode, command: nodeTestAtOnce("tests/engine/") },
  { group: "house", name: "house", needs: ["native", "functions"], read: readNode, command: nodeTestAtOnce("tests/house/") },
  { group: "sql", name: "upgrade", needs: ["native", "functions"], debian: true, read: readNode, command: nodeTestAtOnce("tests/upgrade/") },
  { group: "contract", name: "contract", needs: ["native", "functions"], read: readNode, command: nodeTestAtOnce("tests/contract/") },
  { group: "conformance", name: "conformance", needs: ["tests", "functions", "conformance function", "sdk"], read: readNode, command: nodeTest("tests/conformance/") },
  { group: "gateway", name: "gateway", needs: ["native"], read: readNode, command: nodeTest("tests/gateway/") },
  ...["refresh", "workflows"].map(app),
  { group: "e2e", name: "wake", needs: ["native", "functions"], read: readNode, command: nodeTest("tests/wake/") },
  { group: "e2e", name: "traces", needs: ["native", "functions"], read: readNode, command: nodeTest("tests/traces/") },
  { group: "console", name: "console", needs: ["native"], read: readNode, command: nodeTestAtOnce("tests/console/") },
  { group: "sdk", name: "client", needs: ["native", "functions", "sdk"], read: readNode, command: nodeTestAtOnce("tests/client/") },
  { ...app("project"), group: "project", needs: ["native", "functions", "sdk"] },
  { group: "sdk", name: "testing", needs: ["native", "sdk image"], read: readNode, command: nodeTestAtOnce("tests/testing/") },
  { group: "sdk", name: "examples", needs: ["native", "sdk image"], read: readNode, command: nodeTestAtOnce("tests/examples/") },
  { group: "sdk", name: "sdk", needs: ["native", "sdk"], read: readNode, command: nodeTestAtOnce("tests/sdk/") },
  { group: "chaos", name: "neighbours", needs: ["native", "functions"], read: readNode, command: nodeTest("tests/chaos/neighbours.test.mjs") },
  { group: "chaos", name: "poison", needs: ["native", "functions", "conformance function"], read: readNode, command: nodeTest("tests/chaos/poison.test.mjs") },
  { group: "chaos", name: "chaos", alone: true, needs: ["native", "functions"], read: readNode, command: nodeTest("tests/chaos/recovery.test.mjs") },
  // libfaketime is downloaded for this suite alone: scripts/setup --for chaos.
  { group: "chaos", name: "clocks", onSoak: true, needs: ["native", "functions", "faketime"], read: readNode, command: nodeTest("tests/chaos/clocks.test.mjs") },
  // Each stoppage is waited for up to a minute.
  { group: "chaos", name: "stoppages", onSoak: true, alone: true, needs: ["native", "functions"], read: readNode, command: nodeTest("tests/chaos/stoppages.test.mjs") },
  { group: "operate", name: "operate", needs: ["native"], debian: true, read: readNode, command: nodeTest("tests/operate/tls.test.mjs", "tests/operate/restore.test.mjs") },
  { group: "operate", name: "operate-whole", onSoak: true, needs: ["native", "functions", "sdk", "pgbouncer"], debian: true, read: readNode,
    command: nodeTest(...["pooler", "failover", "point_in_time", "rotate"].map((name) => `tests/operate/${name}.test.mjs`)) },
  // Checkers and Prometheus are downloaded for this suite alone: scripts/setup --for deploy.
  { group: "deploy", name: "deploy", onSoak: true, needs: ["native", "functions", "deploy tools"], read: readNode,
    command: nodeTest("tests/deploy/files.test.mjs", "tests/deploy/prometheus.test.mjs") },
  { group: "deploy", name: "deployed", onSoak: true, needs: ["native", "functions", "sdk"], read: readNode, command: nodeTest("tests/deploy/deployed.test.mjs", "tests/deploy/console.test.mjs", "tests/deploy/smoke.test.mjs") },
  { group: "deploy", name: "image", onSoak: true, root: true, alone: true, needs: ["native", "deploy tools"], read: readNode, command: nodeTest("tests/deploy/image.test.mjs") },
  // Installs from npm.
  { group: "project", name: "release", onSoak: true, needs: ["native", "functions"], read: readNode, command: nodeTest("tests/release/") },
  { group: "lint", name: "shellcheck", read: readCheck,
    command: ["bash", "-c", "shellcheck -x scripts/dev scripts/test scripts/build scripts/setup scripts/bench scripts/graph scripts/schema scripts/release scripts/release-dump scripts/lib/*.sh .ci/run"] },
];
