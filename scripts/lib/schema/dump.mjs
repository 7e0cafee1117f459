// The schema of a database as text that is equal wherever it is made: no owner, no version, no partition of a day or month.

/** What pg_dump is asked for. Partitions come and go with the date. */
export const DUMP = [
  "--schema-only", "--no-owner", "--schema=mill", "--schema=public",
  "--exclude-table=*.job_done_[0-9]*", "--exclude-table=*.audit_log_[0-9]*",
];

/** Leaves out headings, and what pg_dump says about itself, its session and the server. Bodies of functions stay as they are. */
export function plain(dump) {
  return dump
    .replace(/^--\n(?:-- .*\n)+--\n/gm, "")
    .replace(/^-- Dumped .*\n/gm, "")
    .replace(/^\\(?:un)?restrict .*\n/gm, "")
    .replace(/^(?:SET \w+ = .*;|SELECT pg_catalog\.set_config\(.*;)\n/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim() + "\n";
}

/** The first lines that differ, with their numbers; null where nothing does. */
export function difference(committed, fresh, count = 5) {
  const [old, now] = [committed.split("\n"), fresh.split("\n")];
  const first = now.findIndex((line, index) => line !== old[index]);
  if (first === -1 && old.length === now.length) return null;
  const at = first === -1 ? now.length : first;
  const some = (mark, lines) => lines.slice(at, at + count).map((line) => `  ${mark} ${line}`);
  return [`line ${at + 1}:`, ...some("-", old), ...some("+", now)].join("\n");
}
