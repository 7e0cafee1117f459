// The process table, as the tests of children look at it.
import fs from "node:fs";

import { until } from "./support.mjs";

/** What a file of /proc says; nothing once its process has ended. */
export const read = (file) => {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
};

/** Whether a process runs; a zombie does not. */
export const isRunning = (pid) => /^State:\s+[^ZX]/m.test(read(`/proc/${pid}/status`));

/** Memory of a process, in MB. */
export const resident = (pid) => Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))[1]) / 1024;

export const niceness = (pid) => Number(read(`/proc/${pid}/stat`).split(") ")[1].split(" ")[16]);

/** Those children of a worker that set documents. */
export const presses = (worker) => fs.readdirSync("/proc").filter((pid) => /^\d+$/.test(pid)
  && Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1]) === worker
  && read(`/proc/${pid}/cmdline`).split("\0")[1] === "set-document").map(Number);

/** Waits until a worker sets a document, and gives the child that does. */
export const press = (worker) => until(() => presses(worker)[0], "a child setting the document", 60_000);

/** Waits until a process is gone. */
export const gone = (pid) => until(() => !isRunning(pid), `process ${pid} being gone`, 10_000);

// Within all bounds of a document, and still far more than 30 seconds of computing: typst looks at a paragraph that changes
// its direction with every word as often as it has words.
export const endless = "א a ".repeat(24_000);
