// A release after this checkout: a copy of sql/ with every kind of change that a release may make, to objects that functions, workers and
// other objects use.
import fs from "node:fs";
import path from "node:path";

import { copyOfSql } from "./harness.mjs";

/** `n`: releases after it, each of which changes the same objects again. */
export const nextRelease = (n = "") => copyOfSql((folder) => {
  const sql = new Files(folder);

  // New parameters with a default, of functions that functions and workers call.
  sql.edit("function public.submit_job(",
    ["  p_traceparent text default null)", `  p_traceparent text default null,\n  p_tags${n} text[] default null)`],
    ["(text, jsonb, text, int, timestamptz, text, text, uuid, text, text)", "(text, jsonb, text, int, timestamptz, text, text, uuid, text, text, text[])"]);
  sql.edit("function public.claim_jobs(",
    ["p_leave_external boolean default false)", `p_leave_external boolean default false, p_label${n} text default null)`],
    ["(text, text[], int, text[], uuid, boolean)", "(text, text[], int, text[], uuid, boolean, text)"]);
  // A private function that every settlement of a function calls, under another name.
  sql.rename("mill.end_invocation", `mill.end_invocation_by_id${n}`);
  // Another return type.
  sql.edit("function mill.reclaim(", ["returns int", "returns bigint"]);
  // A parameter that no caller names has another name.
  sql.edit("function mill.pack_of(", ["p_id", "p_job"]);
  // Views with a column in the middle. The second one depends on the first.
  sql.edit("view mill.packed_job as", ["j.id, p.queue, p.kind,", `j.id, p.queue, p.batch as batch${n}, p.kind,`]);
  sql.edit("view public.job_queue as", ["  j.name as job_name,", `  j.attempt as attempts${n},\n  j.name as job_name,`]);
  // A removed function and a removed trigger.
  sql.remove("function public.discard_jobs(");
  sql.edit("trigger users_wait_in_maintenance before insert or update or delete on public.documents",
    [/^drop trigger if exists users_wait_in_maintenance on public\.documents;\ncreate trigger users_wait_in_maintenance [^;]*on public\.documents[^;]*;\n/m,
      n % 2 ? "drop trigger if exists users_wait_in_maintenance on public.documents;\ncreate trigger users_wait_in_maintenance before insert on public.documents\n  for each statement execute function mill.refuse_users_in_maintenance();\n" : ""]);
  // Tables with one more column per release, and a function that uses it.
  // ALTER TABLE puts a column behind all others: in the file that is before the first constraint.
  const atTheEnd = (table, column) => [new RegExp(`(create table ${table.replace(".", "\\.")} \\([\\s\\S]*?\\n)( {2}constraint )`), `$1  ${column},\n$2`];
  for (let k = 0; k <= Number(n); k++) {
    const label = `label${k} text not null default 'plain'`;
    sql.migrate("table mill.queue (", `${k}_queues_have_a_label`, `alter table mill.queue add column ${label};\n`,
      atTheEnd("mill.queue", label));
    const noted = `noted${k} timestamptz`;
    sql.migrate("table public.shell_files (", `${k}_files_are_noted`, `alter table public.shell_files add column ${noted};\n`,
      atTheEnd("public.shell_files", noted));
  }
  sql.edit("function public.worker_queues(", ["where q.served_by = 'worker'", `where q.served_by = 'worker' and q.label${Number(n)} <> ''`]);
});

/** The files of a release, found by what they create: files move more often than objects change their names. */
class Files {
  constructor(folder) {
    this.folder = folder;
    this.paths = this.#read("manifest.txt").split("\n").map((line) => /^(?:once|always)\s+(\S+)/.exec(line)?.[1]).filter(Boolean);
  }

  #read(file) {
    return fs.readFileSync(path.join(this.folder, file), "utf8");
  }

  #change(file, changes) {
    const before = this.#read(file);
    const after = changes.reduce((text, [from, to]) => {
      // A change that is found nowhere would make the tests of upgrades test nothing.
      if (!(from instanceof RegExp ? from.test(text) : text.includes(from))) throw new Error(`sql/${file} has no ${from}`);
      return from instanceof RegExp ? text.replace(from, to) : text.replaceAll(from, () => to);
    }, before);
    fs.writeFileSync(path.join(this.folder, file), after);
  }

  #creating(what) {
    const found = this.paths.filter((file) => new RegExp(`^create (or replace )?${what.replace(/[.()]/g, "\\$&")}`, "m").test(this.#read(file)));
    if (found.length !== 1) throw new Error(`${found.length} files of sql/ create ${what}`);
    return found[0];
  }

  edit(what, ...changes) {
    this.#change(this.#creating(what), changes);
  }

  /** A function, and whoever calls it. */
  rename(from, to) {
    const name = new RegExp(`\\b${from.replace(".", "\\.")}\\b`, "g");
    const users = this.paths.filter((file) => this.#read(file).match(name));
    if (users.length < 2) throw new Error(`${users.length} files of sql/ use ${from}`);
    for (const file of users) this.#change(file, [[new RegExp(name.source, "g"), to]]);
  }

  remove(what) {
    const file = this.#creating(what);
    this.#change("manifest.txt", [[`always ${file}\n`, ""]]);
    this.paths = this.paths.filter((other) => other !== file);
    fs.rmSync(path.join(this.folder, file));
  }

  /** A change to a table: its file as a fresh installation needs it, and the migration for those that have the table. */
  migrate(what, name, text, ...changes) {
    const file = this.#creating(what);
    this.#change(file, changes);
    this.#change("manifest.txt", [[new RegExp(`^(once +${file}(?:\\nonce .*)*(?:\\nmigration .*)*)$`, "m"), `$1\nmigration migrations/${name}.sql`]]);
    fs.mkdirSync(path.join(this.folder, "migrations"), { recursive: true });
    fs.writeFileSync(path.join(this.folder, `migrations/${name}.sql`), text);
  }
}
