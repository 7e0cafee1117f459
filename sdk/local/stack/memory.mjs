// How much memory the processes of a part have used at the most.
import fs from "node:fs";

/** Peak resident megabytes of each process in the group that `pid` leads, added up. */
export function peakMegabytes(pid) {
  let total = 0;
  for (const entry of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = fs.readFileSync(`/proc/${entry}/stat`, "utf8");
      const group = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
      if (group !== pid) continue;
      total += Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${entry}/status`, "utf8"))?.[1] ?? 0);
    } catch {
      // It ended while we looked.
    }
  }
  return total / 1024;
}

/** Peak resident megabytes of the largest process that `pid` has started and that still runs: a backend of Postgres. */
export function peakMegabytesOfChild(pid) {
  let largest = 0;
  for (const entry of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const status = fs.readFileSync(`/proc/${entry}/status`, "utf8");
      if (Number(/PPid:\s+(\d+)/.exec(status)[1]) === pid) largest = Math.max(largest, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {
      // It ended while we looked.
    }
  }
  return largest / 1024;
}
