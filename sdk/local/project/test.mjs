// `gristmill test`: the tests of a project, against a stack of their own whose data is thrown away.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

import { watchOver } from "../stack/undertaker.mjs";
import { bundle } from "./bundle.mjs";
import { follow } from "./follow.mjs";
import { ProjectFunctions } from "./functions.mjs";
import { applicationsOf, applySql, environmentOf, hastenPump, namesOfOurs, onEnd, Refused, stackOf } from "./project.mjs";
import { registerJobs } from "./register.mjs";

const USAGE = `usage: gristmill test [--with APPLICATION,…] [--watch] [FILE…] [-- OPTIONS OF node --test]

Starts a fresh stack with the functions of this project, runs the project's tests with node --test,
and throws the stack away. Without FILE: all files *.test.ts and *.test.mjs of the project.
The tests find the stack by GRISTMILL_URL, GRISTMILL_ANON_KEY, GRISTMILL_SERVICE_KEY,
GRISTMILL_USER_TOKEN and GRISTMILL_DATABASE_URL. The exit code is that of the tests.

  --with NAMES   also install these applications: documents, refresh, exports, workflows, compat, or all
  --watch        keep the stack, and run the tests again when a test, a function or a file of sql/ changes, until Ctrl-C
  -h, --help     this text`;

const IS_TEST = /\.test\.(ts|mts|tsx|js|mjs)$/;

export async function main(args, project) {
  const at = args.includes("--") ? args.indexOf("--") : args.length;
  const { values, positionals } = parseArgs({ args: args.slice(0, at), allowPositionals: true,
    options: { with: { type: "string" }, watch: { type: "boolean" }, help: { type: "boolean", short: "h" } } });
  if (values.help) return console.log(USAGE) ?? 0;
  const applications = applicationsOf(values.with);
  const chosen = () => (positionals.length > 0 ? positionals.map((file) => path.resolve(file)) : testsIn(project));
  const files = chosen();
  const missing = files.find((file) => !fs.existsSync(file));
  if (missing) throw new Refused(`there is no file ${path.relative(process.cwd(), missing)}`);
  if (files.length === 0) throw new Refused("this project has no tests: write a file that ends in .test.ts, for example test/greet.test.ts");

  const stack = stackOf(`test-${process.pid}`, applications, {
    // Nothing here outlives the run, so nothing is forced to disk.
    settings: { fsync: "off", full_page_writes: "off", synchronous_commit: "off" },
    reload: values.watch,
  });
  const bundles = path.join(project, `.gristmill/tests-${process.pid}`);
  let child = null;
  const { end, isEnding } = onEnd(async () => {
    child?.kill();
    await stack.destroy();
    fs.rmSync(bundles, { recursive: true, force: true });
  });
  watchOver(stack, bundles);
  try {
    const bundled = await bundle(files, project, bundles);
    const { problems } = await new ProjectFunctions(project, namesOfOurs(stack)).build();
    if (problems.length > 0) throw new Refused(problems.join("\n"));
    console.error("starting a stack for the tests …"); // not into what a reporter writes
    await stack.start([]);
    await hastenPump(stack);
    await applySql(stack, project);
    await stack.add(stack.wanted);
    await registerJobs(stack, project);
    const options = args.slice(at + 1);
    if (!options.some((option) => option.startsWith("--test-reporter"))) options.push("--test-reporter=spec");
    const environment = await environmentOf(stack);
    const run = async (tests) => {
      // NODE_TEST_CONTEXT: where a test runs this command, the tests in here would report to that one.
      child = spawn(process.execPath, ["--enable-source-maps", "--test", ...options, ...tests],
        { cwd: project, stdio: "inherit", env: { ...process.env, ...environment, NODE_TEST_CONTEXT: undefined } });
      return new Promise((resolve) => child.once("exit", (status, signal) => resolve(signal ? 1 : status)));
    };
    const code = await run(bundled);
    if (values.watch) return await runAgain({ stack, project, run, bundleAll: () => bundle(chosen(), project, bundles) });
    if (code !== 0) showLog(stack);
    return end(code);
  } catch (error) {
    if (!isEnding()) console.error(`error: ${error.message}`); // otherwise Ctrl-C has cut it off
    return end(1);
  }
}

// Until the process is ended. What happens during a run is seen after it.
async function runAgain({ stack, project, run, bundleAll }) {
  let changed = null, tell = () => {};
  const change = (what) => tell((changed = what));
  // The functions have changed when workerd has them.
  follow(path.join(stack.logDir, "workerd.log"), (line) => (/^reloaded /.test(line) ? change("a function") : console.error(`functions │ ${line}`)));
  let timer = null;
  for (const folder of foldersOf(project)) {
    fs.watch(folder, (_, file) => {
      if (!/\.(ts|mts|tsx|js|mjs|sql)$/.test(file ?? "")) return;
      clearTimeout(timer);
      timer = setTimeout(change, 100, path.relative(project, path.join(folder, file)));
    });
  }
  for (;;) {
    console.error("waiting for a change; Ctrl-C ends");
    if (!changed) await new Promise((resolve) => (tell = resolve));
    console.error(`\n${changed} has changed`);
    changed = null;
    try {
      await applySql(stack, project);
      await registerJobs(stack, project);
      await run(await bundleAll());
    } catch (error) {
      if (!error.isRefusal) throw error;
      console.error(`error: ${error.message}`);
    }
  }
}

// All but those of functions, which workerd.mjs watches, and what is not the user's.
function foldersOf(folder, isTop = true) {
  return [folder, ...fs.readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules" && !(isTop && entry.name === "functions"))
    .flatMap((entry) => foldersOf(path.join(folder, entry.name), false))];
}

// A failed test is often explained by what the function wrote.
function showLog(stack) {
  const lines = fs.readFileSync(path.join(stack.logDir, "workerd.log"), "utf8").trim().split("\n").filter((line) => !line.startsWith("functions are served"));
  if (lines.length > 0) console.error(`\nWhat the functions wrote, the last ${Math.min(lines.length, 30)} lines:\n${lines.slice(-30).map((line) => `  │ ${line}`).join("\n")}`);
}

function testsIn(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" || entry.name.startsWith(".") ? [] : testsIn(file);
    return IS_TEST.test(entry.name) ? [file] : [];
  }).sort();
}
