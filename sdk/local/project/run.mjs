// `gristmill run`: a program of a project, in TypeScript or JavaScript, beside the running stack of `gristmill dev`.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseEnv } from "node:util";

import { bundle } from "./bundle.mjs";
import { Refused } from "./project.mjs";

const USAGE = `usage: gristmill run FILE [ARGUMENT…]

Runs a TypeScript or JavaScript file of this project with Node: a worker, or a program that submits jobs.
It finds the stack that \`gristmill dev\` runs by GRISTMILL_URL, GRISTMILL_ANON_KEY, GRISTMILL_SERVICE_KEY,
GRISTMILL_USER_TOKEN and GRISTMILL_DATABASE_URL, unless these are set already. The exit code is that of the program.

  -h, --help     this text`;

export async function main([file, ...args], project) {
  if (["-h", "--help"].includes(file)) return console.log(USAGE) ?? 0;
  if (!file) throw new Refused("run takes a file. See gristmill run --help");
  const whole = path.resolve(file);
  if (!fs.existsSync(whole)) throw new Refused(`there is no file ${file}`);
  const variables = path.join(project, ".gristmill/dev.env");
  if (!fs.existsSync(variables) && !process.env.GRISTMILL_URL && !process.env.SUPABASE_URL) {
    throw new Refused("the stack of this project is not running\n  start it in another terminal with: npx gristmill dev");
  }
  const found = fs.existsSync(variables) ? parseEnv(fs.readFileSync(variables, "utf8")) : {};
  const folder = path.join(project, `.gristmill/run-${process.pid}`);
  try {
    const [program] = await bundle([whole], project, folder);
    const child = spawn(process.execPath, ["--enable-source-maps", program, ...args], { stdio: "inherit", env: { ...found, ...process.env } });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
    return await new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? 128 + os.constants.signals[signal])));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
