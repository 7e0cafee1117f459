// The virus scanner of a local stack: clamd, where this machine has it with real signatures. A scanner with signatures of our own would call every virus clean.
import fs from "node:fs";
import path from "node:path";

const PLACES = [...(process.env.PATH ?? "").split(path.delimiter), "/usr/sbin", "/sbin"];
const DATABASES = "/var/lib/clamav";

/**
 * clamd and its databases, or why there is no scanner.
 * @returns {{command: string, databases: string} | {missing: string}}
 */
export function scanner({ places = PLACES, databases = DATABASES } = {}) {
  const command = places.map((folder) => path.join(folder, "clamd")).find((file) => fs.existsSync(file));
  if (!command) return { missing: "clamd is not installed (Debian: clamav-daemon)" };
  const has = (name) => ["cvd", "cld"].some((ending) => fs.existsSync(path.join(databases, `${name}.${ending}`)));
  if (!has("main") || !has("daily")) return { missing: `clamd has no signatures in ${databases}: run freshclam` };
  return { command, databases };
}

/** How clamd is to run: within a folder of the stack, as large files as documents may be. */
export function configuration({ databases, folder, socket }) {
  return ["Foreground yes", `LocalSocket ${socket}`, `DatabaseDirectory ${databases}`, `TemporaryDirectory ${folder}`,
    "StreamMaxLength 64M", "MaxFileSize 64M", "MaxScanSize 64M", "AlertExceedsMax yes", ""].join("\n");
}
