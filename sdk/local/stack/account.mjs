// Postgres refuses to run as root: then it runs as another user, who has to reach its files.
import fs from "node:fs";
import path from "node:path";

export const isRoot = process.getuid?.() === 0;

/** The user that runs Postgres in the place of root. */
export function unprivilegedAccount() {
  const passwd = fs.readFileSync("/etc/passwd", "utf8").split("\n").map((line) => line.split(":"));
  const entry = passwd.find(([name]) => name === "postgres") ?? passwd.find(([name]) => name === "nobody");
  if (!entry) throw new Error("running as root needs an unprivileged user for Postgres: create one named 'postgres'");
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

/** Whether that user may pass through a folder and all above it. Below /root, for example, it may not. */
export function isReachable(folder, { uid, gid } = unprivilegedAccount()) {
  const { mode, uid: owner, gid: group } = fs.statSync(folder);
  const mayPass = mode & (owner === uid ? 0o100 : group === gid ? 0o010 : 0o001);
  const above = path.dirname(folder);
  return Boolean(mayPass) && (above === folder || isReachable(above, { uid, gid }));
}
