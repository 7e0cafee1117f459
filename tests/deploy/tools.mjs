// Where scripts/setup --for deploy has put the checkers.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

import { cacheRoot } from "../../sdk/local/stack/paths.mjs";

const run = promisify(execFile);
const folder = path.join(cacheRoot, "deploy-tools");
export const nodeModules = path.join(folder, "node_modules");
export const prometheus = path.join(folder, "prometheus/prometheus");

/** Runs a checker: whether it is content, and what it says. */
async function check(program, args, { input, ...options } = {}) {
  try {
    const running = run(program, args, options);
    running.child.stdin.end(input);
    const { stdout, stderr } = await running;
    return { ok: true, text: stdout + stderr };
  } catch (error) {
    if (typeof error.code !== "number") throw error; // it did not run at all
    return { ok: false, text: error.stdout + error.stderr };
  }
}
export const promtool = (args, options) => check(path.join(folder, "prometheus/promtool"), args, options);
export const python = (name, ...args) => check(path.join(folder, "python/bin", name), args);
