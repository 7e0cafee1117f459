// What the tests of a user's project share: commands whose output is read while they run, and a project in a folder of its own.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { root } from "../../sdk/local/stack/paths.mjs";
import { until } from "../support.mjs";

export const bin = path.join(root, "sdk/typescript/bin/gristmill.mjs");

/** Starts a command; `output` grows while it runs. */
export function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  const run = { child, output: "", over: false };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (run.output += chunk));
  run.ended = new Promise((resolve) => child.once("close", (code, signal) => {
    run.over = true;
    resolve(code ?? signal);
  }));
  run.says = async (text, patience = 60_000) => {
    await until(() => run.output.includes(text) || run.over, `"${text}"`, patience);
    if (!run.output.includes(text)) throw new Error(`it ended without saying "${text}": ${run.output}`);
  };
  return run;
}

/** Runs a command to its end. */
export async function run(command, args, options) {
  const running = start(command, args, options);
  return { code: await running.ended, output: running.output };
}

/** An empty folder that the user who runs Postgres can reach. */
export function emptyFolder() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-project-"));
  fs.chmodSync(folder, 0o755);
  return folder;
}

/** Changes a file of a project, as an editor does. */
export function edit(project, file, from, to) {
  const whole = path.join(project, file);
  const text = fs.readFileSync(whole, "utf8");
  if (!text.includes(from)) throw new Error(`${file} has no "${from}"`);
  fs.writeFileSync(whole, text.replace(from, to));
}

/** What `gristmill dev` has noted of itself and its parts. */
export const recorded = (project) => JSON.parse(fs.readFileSync(path.join(project, ".gristmill/dev/running.json"), "utf8"));

/** What `npm install` does, from this checkout: every package of ours, and the library as it is here. */
export function installFromCheckout(project) {
  const from = path.join(root, "node_modules"), to = path.join(project, "node_modules");
  fs.mkdirSync(to);
  for (const name of fs.readdirSync(from)) fs.symlinkSync(path.join(from, name), path.join(to, name));
  fs.symlinkSync(path.join(root, "sdk/typescript"), path.join(to, "gristmill"));
}
