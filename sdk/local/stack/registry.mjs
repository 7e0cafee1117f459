// Who runs which stack. A supervisor that was killed leaves its parts behind; the next start finds them
// here and ends them, and only them: a recorded id counts only while that process still carries our mark.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { hasVariable, startOf } from "./processes.mjs";

const file = (folder) => path.join(folder, "running.json");

/** Writes down the supervisor and its parts. */
export function record(folder, known) {
  fs.writeFileSync(file(folder), JSON.stringify({ pid: process.pid, startedAt: startOf(process.pid), ...known }), { mode: 0o600 });
}

/** Says that this process is starting a stack here; false where another was faster. Leftovers have to be gone before. */
export function claim(folder) {
  fs.mkdirSync(folder, { recursive: true });
  try {
    fs.writeFileSync(file(folder), JSON.stringify({ pid: process.pid, startedAt: startOf(process.pid), pids: {} }), { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  }
}

export function forget(folder) {
  fs.rmSync(file(folder), { force: true });
}

/** The environment variable that marks every process of a stack. */
export const mark = (folder) => ({ GRISTMILL_STACK: folder });

/** The supervisor of this folder, when it is alive. */
export function runningSupervisor(folder) {
  const known = read(folder);
  // A process of another start has been given the id of one that is gone.
  return known?.startedAt && known.pid !== process.pid && startOf(known.pid) === known.startedAt ? known : null;
}

/** Ends parts whose supervisor is gone. */
export async function endLeftovers(folder) {
  const known = read(folder);
  if (!known) return forget(folder); // half written, if it is there at all
  const parts = Object.entries(known.pids).filter(([, pid]) => carriesMark(pid, folder));
  const left = parts.map(([, pid]) => pid);
  // Postgres waits for its clients after SIGTERM; after SIGINT it sends them away. One that is killed in the end leaves sessions behind, and
  // the next start fails on what they still hold.
  for (const [name, pid] of parts) signal(pid, name === "postgres" ? "SIGINT" : "SIGTERM");
  const deadline = Date.now() + 10_000;
  while (left.some((pid) => carriesMark(pid, folder))) {
    if (Date.now() > deadline) for (const pid of left) signal(pid, "SIGKILL");
    await sleep(50);
  }
  forget(folder);
}

function read(folder) {
  try {
    return JSON.parse(fs.readFileSync(file(folder), "utf8"));
  } catch {
    return null;
  }
}

const carriesMark = (pid, folder) => Object.entries(mark(folder)).every(([name, value]) => hasVariable(pid, name, value));

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It ended in between.
  }
}
