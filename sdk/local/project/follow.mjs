// Shows what a part writes into its log, line by line, from now on.
import fs from "node:fs";

/** Calls `onLine` for every line that is added to `file`. */
export function follow(file, onLine) {
  let at = fs.existsSync(file) ? fs.statSync(file).size : 0;
  let rest = "";
  const timer = setInterval(() => {
    const size = fs.existsSync(file) ? fs.statSync(file).size : 0;
    if (size <= at) return;
    const bytes = Buffer.alloc(size - at);
    const descriptor = fs.openSync(file, "r");
    at += fs.readSync(descriptor, bytes, 0, bytes.length, at);
    fs.closeSync(descriptor);
    const lines = (rest + bytes.toString("utf8")).split("\n");
    rest = lines.pop();
    lines.forEach(onLine);
  }, 50);
  return () => clearInterval(timer);
}
