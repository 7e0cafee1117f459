// What the system says about processes: from /proc on Linux, from ps elsewhere.
import { execFileSync } from "node:child_process";
import fs from "node:fs";

const hasProc = fs.existsSync("/proc/self/environ");

/** The ids of all processes. */
export function all() {
  const names = hasProc ? fs.readdirSync("/proc") : ps("-A", "-o", "pid=").split("\n").map((line) => line.trim());
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Whether a process was started with this variable; false for one that is gone, or not ours to look at. */
export function hasVariable(pid, name, value) {
  try {
    const entry = `${name}=${value}`;
    // ps writes the variables behind the command, separated by spaces.
    return hasProc
      ? fs.readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(entry)
      : ` ${ps("eww", "-o", "command=", "-p", String(pid)).trim()} `.includes(` ${entry} `);
  } catch {
    return false;
  }
}

/** When a process was started, in the system's own words: with the id it names the process for good. Null for one that is gone. */
export function startOf(pid) {
  try {
    if (!hasProc) return ps("-o", "lstart=", "-p", String(pid)).trim() || null;
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name before may hold anything
    return fields[0] === "Z" ? null : fields[19]; // a zombie has ended
  } catch {
    return null;
  }
}

const ps = (...args) => execFileSync("ps", args, { encoding: "latin1", stdio: ["ignore", "pipe", "ignore"] });
