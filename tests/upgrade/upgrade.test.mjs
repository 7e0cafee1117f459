// An upgrade from one release to the next leaves the schema that a fresh installation has, whatever the release changes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Releases } from "./harness.mjs";
import { changes, release } from "./releases.mjs";

let server;
before(async () => (server = await new Releases("upgrade").start()));
after(() => server?.stop());

async function installed(folder, ...args) {
  const database = await server.database();
  const { code, stderr } = await database.migrate(folder, ...args);
  assert.equal(code, 0, stderr);
  return database;
}

async function upgradesTo(head) {
  const database = await installed(release(), "--with", "all");
  await database.query("insert into mill.item (name) values ('kept'); insert into public.documents (id, title) values (1, 'kept')");
  const upgraded = await database.migrate(head);
  assert.equal(upgraded.code, 0, upgraded.stderr);
  const fresh = await installed(head, "--with", "all");
  assert.equal(await database.dump(), await fresh.dump());
  const books = "select kind || ' ' || name || ' ' || path || ' ' || coalesce(arguments, '-') || ' ' || coalesce(checksum, '-') from mill.object order by 1";
  assert.deepEqual(await database.values(books), await fresh.values(books));
  assert.deepEqual(await database.values("select path from mill.migration order by 1"), await fresh.values("select path from mill.migration order by 1"));
  assert.deepEqual(await database.values("select name from mill.item"), ["kept"]);
  const again = await database.migrate(head);
  assert.match(again.stdout, /up to date/);
  return { database, upgraded };
}

for (const [name, change] of Object.entries(changes)) {
  test(`${name}: the upgraded schema is that of a fresh installation`, () => upgradesTo(release(change)));
}

test("all changes together: the upgraded schema is that of a fresh installation", async () => {
  // The function cannot both have a new parameter and be gone.
  const { "a removed function": _, ...others } = changes;
  await upgradesTo(release((parts) => Object.values(others).forEach((change) => change(parts))));
});

test("what was dropped, created anew and removed is said", async () => {
  const { upgraded } = await upgradesTo(release((parts) => {
    changes["a new parameter with a default"](parts);
    changes["a removed policy"](parts);
  }));
  assert.match(upgraded.stdout, /dropped and created anew: function public\.add_item/);
  assert.match(upgraded.stdout, /removed: policy short on public\.note/);
});

test("a changed function takes no lock on the table of its unchanged trigger", async () => {
  const database = await installed(release());
  const writer = await database.connect();
  await writer.query("begin; insert into mill.item (name) values ('open')");
  const { code, stderr } = await database.migrate(release((parts) => {
    parts["engine base"]["engine/note_size.sql"] = parts["engine base"]["engine/note_size.sql"].replace("new.size :=", "new.size := 1 +");
  }));
  await writer.query("commit");
  await writer.end();
  assert.equal(code, 0, stderr);
});

test("default privileges of the schema count as on a fresh installation", async () => {
  const defaults = "alter default privileges in schema public grant execute on functions to anon; alter default privileges in schema public grant all on tables to anon";
  const head = release((parts) => Object.values(changes).slice(5, 8).forEach((change) => change(parts)));
  const make = async () => {
    const database = await server.database();
    await database.query(`do $$ begin if to_regrole('anon') is null then create role anon nologin; end if; end $$; ${defaults}`);
    return database;
  };
  const [old, fresh] = [await make(), await make()];
  assert.equal((await old.migrate(release())).code, 0);
  assert.equal((await old.migrate(head)).code, 0);
  assert.equal((await fresh.migrate(head)).code, 0);
  assert.equal(await old.dump(), await fresh.dump());
});

test("a view of the user over one that has to be dropped is named, and nothing changes", async () => {
  const database = await installed(release(), "--with", "all");
  await database.query("create view public.my_report as select i.name from public.item i");
  const before = await database.dump();
  const head = release(changes["a view with another column order, a view over it and a function that returns its rows"]);
  const { code, stderr } = await database.migrate(head);
  assert.equal(code, 1);
  assert.match(stderr, /view public\.item has to be dropped[\s\S]*view public\.my_report[\s\S]*create them again/);
  assert.equal(await database.dump(), before);
  await database.query("drop view public.my_report");
  assert.equal((await database.migrate(head)).code, 0);
});

test("a check constraint on a function whose signature changes asks for a named migration", async () => {
  const base = (parts) => (parts["exports application"]["exports/tables.sql"] =
    parts["exports application"]["exports/tables.sql"].replace("title text not null,", "title text not null check (mill.size_of(title) > 0),"));
  const database = await installed(release(base), "--with", "all");
  const { code, stderr } = await database.migrate(release((parts) => {
    base(parts);
    changes["another return type, with views, functions and a default that depend on it"](parts);
  }));
  assert.equal(code, 1);
  assert.match(stderr, /function mill\.size_of has another signature now[\s\S]*constraint documents_title_check on table public\.documents[\s\S]*named migration/);
});

test("an edited table file without a migration is refused, and so is an older release", async () => {
  const database = await installed(release());
  const head = release(changes["a table with a new column, by a named migration"]);
  const edited = release((parts) => {
    changes["a table with a new column, by a named migration"](parts);
    delete parts["engine base"]["migrations/0002_items_have_a_colour.sql"];
  });
  const refused = await database.migrate(edited);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /sql\/engine\/tables\.sql has changed[\s\S]*named migration/);
  assert.equal((await database.migrate(head)).code, 0);
  const older = await database.migrate(release());
  assert.equal(older.code, 1);
  assert.match(older.stderr, /0002_items_have_a_colour\.sql, which this version of gristmill does not know/);
});

test("a table that is in no file any more is not dropped without a migration", async () => {
  const without = (parts) => {
    parts["engine base"]["engine/tables.sql"] = parts["engine base"]["engine/tables.sql"].replace(/^create table mill\.queue.*\n/m, "");
    parts["engine base"]["migrations/0002_x.sql"] = "select 1;\n";
  };
  const database = await installed(release());
  const refused = await database.migrate(release(without));
  assert.match(refused.stderr, /table mill\.queue is no longer in sql\/[\s\S]*named migration/);
  const { code, stderr } = await database.migrate(release((parts) => {
    without(parts);
    parts["engine base"]["migrations/0002_x.sql"] = "drop table mill.queue;\n";
  }));
  assert.equal(code, 0, stderr);
});

test("a second function of the user with our name is not dropped", async () => {
  const database = await installed(release());
  await database.query("create function public.add_item(a int, b int) returns int language sql as 'select 1'");
  const { code, stderr } = await database.migrate(release(changes["a new parameter with a default"]));
  assert.equal(code, 1);
  assert.match(stderr, /function public\.add_item\(a integer, b integer\)[\s\S]*Rename yours/);
});

test("a database of a development version is refused", async () => {
  const database = await server.database();
  await database.query("create schema mill; create table mill.migration (path text primary key, checksum text not null)");
  const { code, stderr } = await database.migrate(release());
  assert.equal(code, 1);
  assert.match(stderr, /development version before 0\.1\.0; make it anew/);
});
