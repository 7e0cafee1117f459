// Ends a stack whose owner is gone, however it went: a test runner that is interrupted ends its files without waiting for their cleaning up.
//   node undertaker.mjs FOLDER OTHER…    waits until its standard input ends, then ends every process that carries the mark of FOLDER
//                                        and removes all the folders
import { spawn } from "node:child_process";
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { all, hasVariable } from "./processes.mjs";
import { mark } from "./registry.mjs";

const file = fileURLToPath(import.meta.url);

/**
 * Watches over a stack from a process of its own, until this process ends. After an orderly `destroy()` no process is left to end.
 * To be called before the stack is started; `others`: folders that go with it.
 */
export function watchOver(stack, ...others) {
  // detached: Ctrl-C in a terminal must not reach it.
  const child = spawn(process.execPath, [file, stack.folder, ...others], { detached: true, stdio: ["pipe", "ignore", "inherit"] });
  child.unref();
  child.stdin.unref();
}

/** The processes that were started for a stack, and what they have started. */
function marked(folder) {
  const [[name, value]] = Object.entries(mark(folder));
  return all().filter((pid) => hasVariable(pid, name, value));
}

async function bury(folders) {
  for (let left; (left = marked(folders[0])).length > 0; await sleep(50)) {
    for (const pid of left) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended in between.
      }
    }
  }
  // With retries: what prepares a data folder carries no mark, and may still be writing.
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

if (process.argv[1] === file) process.stdin.on("end", () => bury(process.argv.slice(2))).resume();
