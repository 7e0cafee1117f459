#!/usr/bin/env node
// The command `gristmill`. What a project needs on a developer's machine (init, dev, run, test, deploy) is JavaScript, in ../command and @gristmill/local; all else
// is the native binary, which comes as an optional package for the platform.
import { spawn } from "node:child_process";
import os from "node:os";

import { binary } from "../command/binary.mjs";

/** Each answers `main(args)` with an exit code. */
const commands = {
  init: () => import("../command/init.mjs"),
  dev: async () => (await import("../command/local.mjs")).command("dev"),
  run: async () => (await import("../command/local.mjs")).command("run"),
  test: async () => (await import("../command/local.mjs")).command("test"),
  deploy: async () => (await import("../command/local.mjs")).tool("deploy"),
  smoke: async () => (await import("../command/local.mjs")).tool("smoke"),
};

const [name, ...args] = process.argv.slice(2);
if (Object.hasOwn(commands, name ?? "")) {
  const { main } = await commands[name]();
  process.exitCode = await main(args);
} else if (name === "console") {
  (await import("../command/console.mjs")).main(args, native);
} else {
  if ([undefined, "help", "-h", "--help"].includes(name) && args.length === 0) console.log(`For a project of your own: gristmill ${Object.keys(commands).join("|")} (each has --help)\n`);
  native(process.argv.slice(2));
}

// In the place of this process as nearly as Node can: same streams, signals passed on, same exit code.
function native(all) {
  const found = binary();
  if (found.missing) {
    console.error(`gristmill: ${found.missing}`);
    process.exitCode = 1;
    return;
  }
  const child = spawn(found.path, all, { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`gristmill: ${found.path} does not start: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (os.constants.signals[signal] ?? 0);
  });
}
