// One word, one meaning: docs/glossary.md has the words, and a full installation has no name that the glossary has retired.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";
import { House } from "./harness.mjs";

// What a name may not be, and what to say instead. See docs/decisions/names.md.
const RETIRED = [
  [/^take(_|$)/, "lock_… where rows are locked for a claim, register_… or receive_… elsewhere"],
  [/^(sweep|look_below)/, "raise_floors, lower_floors, repair_floors, repair_lanes, repair_hints"],
  [/(^|_)room(_|$)/, "capacity"],
  [/^(hurry|adopt|ran|roll|throttled|duplicates|asked_jobs|front_of_lanes|next_round|lose_jobs|running)$|^adopt_/, "a verb and its object"],
  [/^tell_/, "call_…_hooks"],
  [/^stand_in/, "reclaim_while_pump_is_silent"],
  [/^(begin|advance|fold|resume)_job$|^job_(output|state|progress)$/, "workflow: a job is a job of the engine"],
  [/documented/, "compat or compatible"],
];
// A pump that was under way while release 0.1.0 was upgraded calls these for up to a minute (sql/engine/pump/names_of_a_running_pump.sql).
const FOR_ONE_RELEASE = ["function next_round", "function ran"];

let house, query;
before(async () => {
  house = await new House("names", { postgres: "embedded" }).start();
  const database = await house.database(["--with", "all"]);
  query = async (text) => (await house.server.query(database, { text, rowMode: "array" })).rows.map((row) => row[0]);
});
after(() => house?.destroy());

/** Every name in `mill` that somebody has chosen: those of constraints are sentences. */
const NAMES = `
  select case p.prokind when 'p' then 'procedure ' else 'function ' end || p.proname from pg_proc p where p.pronamespace = 'mill'::regnamespace
  union all
  select 'relation ' || c.relname from pg_class c where c.relnamespace = 'mill'::regnamespace
  union all
  select format('column %s.%s', c.relname, a.attname) from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'mill'::regnamespace and c.relkind in ('r', 'p', 'v') and a.attnum > 0 and not a.attisdropped
  union all
  select 'trigger ' || t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid where c.relnamespace = 'mill'::regnamespace and not t.tgisinternal
  order by 1`;

const wordOf = (name) => name.replace(/^\w+ /, "").split(".").at(-1);
const isRetired = (name) => RETIRED.some(([pattern]) => pattern.test(wordOf(name)));

test("no name in mill is one that the glossary has retired", async () => {
  const names = await query(NAMES);
  assert.ok(names.length > 500, `${names.length} names were looked at`);
  assert.deepEqual(names.filter(isRetired), FOR_ONE_RELEASE);
});

test("a retired name that comes back is found, also as a column or as a part of a name", () => {
  for (const name of ["function take", "function take_some", "relation sweep_state", "column job.room", "function next_room", "trigger tell_all", "function ran"]) assert.ok(isRetired(name), name);
  for (const name of ["function lock_jobs_by_priority", "function transaction", "relation claimant", "column queue.max_running", "function give_slots_to_running_jobs"]) assert.ok(!isRetired(name), name);
});

test("no two functions of ours differ only by their arguments", async () => {
  const overloads = `
    select format('%s.%s', n.nspname, p.proname) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('mill', 'public')
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    group by 1 having count(*) > 1 order by 1`;
  assert.deepEqual(await query(overloads), []);
  assert.ok((await query("select proname::text from pg_proc where pronamespace = 'mill'::regnamespace")).length > 300);
});

const GLOSSARY = "docs/glossary.md";
const glossary = fs.readFileSync(path.join(root, GLOSSARY), "utf8");
const entries = [...glossary.matchAll(/^\| ([a-z][a-z -]+?) \| (.+?) \| (.+?) \|$/gm)].map(([, word, meaning, where]) => ({ word, meaning, where }))
  .filter(({ word }) => word !== "word");

/** What is written outside of the glossary and of the page about its words: SQL, Rust and docs, with names taken apart into words. */
function texts() {
  const files = execFileSync("git", ["ls-files", "-z", "--", "sql", "docs", "*.rs", "README.md", "ARCHITECTURE.md"], { cwd: root, encoding: "utf8" }).split("\0")
    .filter((file) => file && ![GLOSSARY, "docs/decisions/names.md", "sql/schema.sql"].includes(file) && fs.existsSync(path.join(root, file)));
  return files.map((file) => fs.readFileSync(path.join(root, file), "utf8")).join("\n").replaceAll("_", " ").toLowerCase();
}

test("every word of the glossary is used in sql/, in a crate or in docs, outside of the glossary", () => {
  assert.ok(entries.length > 60, `${entries.length} entries were read`);
  const all = texts();
  const unused = entries.map(({ word }) => word).filter((word) => !new RegExp(`\\b${word.replace("-", "[- ]")}(e?s|e?d)?\\b`).test(all));
  assert.deepEqual(unused, []);
});

test("no word stands in the glossary twice", () => {
  const words = entries.map(({ word }) => word);
  assert.deepEqual(words.filter((word, at) => words.indexOf(word) !== at), []);
});

test("every object, file and page that the glossary names is there", async () => {
  const named = entries.flatMap(({ word, where }) => [...where.matchAll(/`([^`]+)`|\]\(([^)]+)\)/g)].map(([, code, page]) => ({ word, code, page })));
  const objects = named.filter(({ code }) => /^(mill|public)\./.test(code ?? "")).map(({ code }) => code);
  const there = await query(`
    select n.nspname || '.' || p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    union select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    union select n.nspname || '.' || c.relname || '.' || a.attname from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid`);
  assert.ok(objects.length > 50);
  assert.deepEqual(objects.filter((object) => !there.includes(object)), []);
  const files = named.map(({ code, page }) => (page ? `docs/${page.replace(/#.*/, "")}` : /^sql\//.test(code) ? code : null)).filter(Boolean);
  assert.deepEqual(files.filter((file) => !fs.existsSync(path.join(root, file))), []);
});
