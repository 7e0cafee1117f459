// scripts/graph: it finds each arrow that points up, and the real sql/ and the real crates have none.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";

import { arrowsOfSql, complaints } from "../../scripts/lib/graph/arrows.mjs";
import { complaintsAboutCrates, cratesOf } from "../../scripts/lib/graph/crates.mjs";
import { lex } from "../../scripts/lib/graph/lex.mjs";
import { reach, readManifest } from "../../scripts/lib/graph/manifest.mjs";
import { created, used } from "../../scripts/lib/graph/objects.mjs";
import { root } from "../../sdk/local/stack/paths.mjs";

const MANIFEST = `
part platform base
once   platform/tables.sql
part engine base          # the queue
always engine/settle.sql
part observe base
always observe/watch.sql
part identity library
once   identity/tables.sql
part exports application needs identity
always exports/request.sql
part workflows application
once   workflows/tables.sql
part compat application
always compat/names.sql
part compat/exports joint needs compat exports
always compat/exports/names.sql
`;
const FILES = {
  "platform/tables.sql": "create schema if not exists mill; create table mill.setting (name text);",
  "engine/settle.sql": "create or replace function mill.settle() returns void language sql as $$ select from mill.setting $$;",
  "observe/watch.sql": "create or replace function mill.watch() returns void language sql as $$ select mill.settle() $$;",
  "identity/tables.sql": "create table public.profile (id uuid);",
  "exports/request.sql": "create or replace function public.request() returns void language sql as $$ select from public.profile $$;",
  "workflows/tables.sql": "create table mill.task_ended (id uuid); create or replace function mill.advance() returns void language sql as $$ select mill.settle() $$;",
  "compat/names.sql": "create or replace view public.old_names as select mill.settle();",
  "compat/exports/names.sql": "create or replace function public.old_request() returns void language sql as $$ select public.request(), public.old_names $$;",
};
const parts = readManifest(MANIFEST);

/** What the check says when one file has `text` at its end. */
function planted(file, text) {
  return complaints(parts, arrowsOfSql(parts, (asked) => FILES[asked] + (asked === file ? `\n${text}` : "")));
}

test("parts that use only what is below them pass", () => assert.deepEqual(planted("", ""), []));

test("a joint part reaches the parts that it needs, what those need, and every base part", () => {
  assert.deepEqual([...reach(parts).get("compat/exports")].sort(), ["compat", "compat/exports", "engine", "exports", "identity", "observe", "platform"]);
});

const TASK_ENDED = ["engine/settle.sql uses mill.task_ended of workflows, which is above it"];
for (const [where, text] of [
  ["in the body of a function", "create function mill.f() returns void language plpgsql as $body$ begin insert into mill.task_ended values (null); end $body$;"],
  ["in dynamic SQL", "do $$ begin execute 'insert into mill.task_ended select $1'; end $$;"],
  ["in dynamic SQL with quotes doubled", "do $$ begin execute 'select ''x'', count(*) from mill.task_ended'; end $$;"],
  ["in an escape string", String.raw`select E'it\'s -- no comment', mill.task_ended;`],
  ["as a name by itself", "select mill.count_rows('task_ended');"],
  ["as a regclass", "select 'mill.task_ended'::regclass;"],
  ["in quotes", 'select from "mill"."task_ended";'],
  ["after a comment that has a quote", "-- it's\nselect from mill.task_ended;"],
]) {
  test(`an upward arrow ${where} is found`, () => assert.deepEqual(planted("engine/settle.sql", text), TASK_ENDED));
}

test("a function above that is called by its name alone is found", () => {
  assert.deepEqual(planted("engine/settle.sql", "select mill.run_step('advance');"), ["engine/settle.sql uses mill.advance of workflows, which is above it"]);
});

test("a base part may not use a base part that comes after it", () => {
  assert.deepEqual(planted("engine/settle.sql", "select mill.watch();"), ["engine/settle.sql uses mill.watch of observe, which is above it"]);
});

test("an application may not use an application that it does not need", () => {
  assert.deepEqual(planted("exports/request.sql", "select from mill.task_ended;"), ["exports/request.sql uses mill.task_ended of workflows, which exports does not need"]);
  assert.deepEqual(planted("exports/request.sql", "select public.old_request();"), ["exports/request.sql uses public.old_request of compat/exports, which is above it"]);
});

for (const [where, text] of [
  ["in a comment", "-- as mill.task_ended does"],
  ["in a comment over several lines", "/* as\n mill.task_ended does */"],
  ["in a comment inside a function", "do $$ begin\n  -- mill.task_ended\n  null; end $$;"],
  ["in the prose of COMMENT ON", "comment on function mill.settle() is 'Ends a job; mill.task_ended is told.';"],
  ["as a part of a longer name", "select from other.mill.task_ended_too, mill.task_ended_too;"],
  ["as a column of the same name", "select setting.task_ended from mill.setting;"],
]) {
  test(`a name ${where} is no arrow`, () => assert.deepEqual(planted("engine/settle.sql", text), []));
}

test("what a file creates is read from code and from dynamic SQL, not from comments", () => {
  const text = `create unlogged table if not exists mill.a (x int); -- create table mill.no (x int)
    create constraint trigger follow_a after insert on mill.a execute function mill.f();
    do $$ begin execute 'create function auth.b() returns int language sql as ''select 1'''; end $$;`;
  assert.deepEqual(created(text), [
    { kind: "table", name: "mill.a" }, { kind: "trigger", name: "follow_a" }, { kind: "function", name: "auth.b" },
  ]);
});

test("each name has the line on which it stands", () => {
  const text = "-- one\nselect\n  mill.x(),\n  'mill.y',\n  mill.z()";
  assert.deepEqual(used(text).map(({ name, line }) => [name, line]), [["mill.x", 3], ["mill.y", 4], ["mill.z", 5]]);
  assert.equal(lex(text).length, 3);
});

for (const [line, why] of [
  ["part x sometimes", /a part is one of/],
  ["part x base needs nothing-yet", /nothing-yet is not declared above/],
  ["once  a.sql", /stands before the first part/],
  ["part x base\nonly x/a.sql", /a line begins with/],
  ["part x base\npart x base", /declared twice/],
]) {
  test(`a manifest with '${line.replace("\n", "; ")}' is refused`, () => assert.throws(() => readManifest(line), why));
}

const crate = (folder, ...uses) => ({
  name: folder, description: "For a test", manifest_path: `/w/${folder}/Cargo.toml`, dependencies: uses.map((used) => ({ name: used, kind: null })),
});
const complaintsOf = (packages, lines = 1) => complaintsAboutCrates(cratesOf({ workspace_root: "/w", packages }, () => lines));

test("a shared crate may not use a program, a worker no platform, and nobody a function", () => {
  const packages = [crate("shared/lib", "serde", "worker/loop"), crate("worker/loop", "shared/lib", "functions/fun"), crate("functions/fun", "shared/lib"),
    crate("platform/gate", "shared/lib"), crate("worker/docs", "worker/loop", "platform/gate"), crate("command", "platform/gate", "worker/docs")];
  assert.deepEqual(complaintsOf(packages), ["shared/lib uses worker/loop, which is above it", "worker/docs uses platform/gate, which is above it",
    "worker/loop uses functions/fun, which is above it"]);
});

test("a crate of more than 6,000 lines, or without a sentence of purpose, or in an unknown folder is refused", () => {
  assert.deepEqual(complaintsOf([crate("shared/lib")], 6_000), []);
  assert.deepEqual(complaintsOf([crate("shared/lib")], 6_001), ["shared/lib has 6001 lines; 6000 is the most"]);
  assert.match(complaintsOf([{ ...crate("shared/lib"), description: null }])[0], /does not say what it is for/);
  assert.match(complaintsOf([crate("attic/lib")])[0], /a folder that .* does not know/);
});

const graph = (...args) => spawnSync(path.join(root, "scripts/graph"), args, { encoding: "utf8" });
const copy = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-graph-"));
after(() => fs.rmSync(copy, { recursive: true, force: true }));

test("in sql/ all arrows point down", () => {
  const { status, stdout, stderr } = graph("sql", "--check");
  assert.equal(status, 0, stdout + stderr);
});

test("in a copy of sql/ with one more line the new upward arrow fails the check", () => {
  fs.cpSync(path.join(root, "sql"), copy, { recursive: true });
  fs.appendFileSync(path.join(copy, "engine/tables.sql"), "\nselect mill.run_step('check_stale_data');\n");
  const { status, stdout } = graph("sql", "--check", "--sql-dir", copy);
  assert.equal(status, 1);
  assert.match(stdout, /^engine\/tables\.sql uses mill\.check_stale_data of refresh, which is above it$/m);
  assert.match(graph("sql", "--files", "--sql-dir", copy).stdout, /^engine -> refresh UP\n {2}engine\/tables\.sql:\d+ mill\.check_stale_data$/m);
});

test("among the crates all arrows point down, none is too large, and each says what it is for", () => {
  const { status, stdout, stderr } = graph("crates", "--check");
  assert.equal(status, 0, stdout + stderr);
});

for (const [form, opening] of [["--mermaid", /^graph TD\n/], ["--dot", /^digraph gristmill \{\n/]]) {
  test(`scripts/graph draws ${form}`, () => assert.match(execFileSync(path.join(root, "scripts/graph"), ["crates", form], { encoding: "utf8" }), opening));
}
