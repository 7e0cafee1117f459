// migrate while others write, and migrate that is interrupted.
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, test } from "node:test";

import { sleep, until } from "../support.mjs";
import { Releases } from "./harness.mjs";
import { changes, release } from "./releases.mjs";

let server;
before(async () => (server = await new Releases("live").start()));
after(() => server?.stop());

// A trigger and a policy that change, and a migration: three tables have to be locked.
const busy = (files) => {
  changes["a table with a new column, by a named migration"](files);
  changes["a removed policy"](files);
  const engine = files["engine base"];
  engine["engine/note_size.sql"] = engine["engine/note_size.sql"].replaceAll("before update on mill.item", "before update of name on mill.item");
  files["exports application"]["exports/export.sql"] = files["exports application"]["exports/export.sql"]
    .replace("before update on public.documents", "before update of title on public.documents");
};

async function installed() {
  const database = await server.database();
  const { code, stderr } = await database.migrate(release(), "--with", "all");
  assert.equal(code, 0, stderr);
  return database;
}

const seed = (database) => database.query(`insert into mill.item (name) select 'x' from generate_series(1, 20);
  insert into public.documents (id, title) select i, 'x' from generate_series(1, 20) i;
  insert into public.note (id, owner) select i, 'x' from generate_series(1, 20) i`);

/** Migrates while 12 connections write, and returns the errors that these met. */
async function migrateUnder(database, write) {
  let over = false;
  let written = 0;
  const faults = [];
  const writers = Array.from({ length: 12 }, async (_, n) => {
    const client = await database.connect();
    while (!over) {
      try {
        await write(client, n);
        written += 1;
      } catch (error) {
        faults.push(error.code);
        await client.query("rollback").catch(() => {});
      }
    }
    await client.end();
  });
  await until(() => written > 100, "writing");
  const head = release(busy);
  const begun = Date.now();
  const { code, stderr } = await database.migrate(head);
  const took = Date.now() - begun;
  const soFar = written;
  await until(() => written > soFar + 100, "writing after the migration");
  over = true;
  await Promise.all(writers);
  assert.equal(code, 0, stderr);
  assert.ok(took < 60_000, `it took ${took} ms`);
  const fresh = await server.database();
  await fresh.migrate(head, "--with", "all");
  assert.equal(await database.dump(), await fresh.dump());
  return faults;
}

test("under full write load by calls, each of which writes to several tables, migrate gets through and no caller meets an error", async () => {
  const database = await installed();
  await seed(database);
  await database.query(`create schema load;
    create function load.there(p int) returns void language plpgsql as $$ begin
      update mill.item set name = name || 'y' where id = p; update public.documents set title = title || 'y' where id = p; update public.note set body = body || 'y' where id = p;
    end $$;
    create function load.back(p int) returns void language plpgsql as $$ begin
      update public.note set body = body || 'y' where id = p; update public.documents set title = title || 'y' where id = p; update mill.item set name = name || 'y' where id = p;
    end $$`);
  const query = (n) => `select load.${n % 2 ? "there" : "back"}(${n + 1})`;
  const writing = migrateUnder(database, (client, n) => client.query(query(n)));
  await database.query("select 1");
  // The functions of the load are in no release.
  const dump = database.dump.bind(database);
  database.dump = async () => {
    await database.query("drop schema load cascade");
    return dump();
  };
  assert.deepEqual(await writing, []);
});

test("under transactions that take the tables in every order without a pause migrate gives way: no writer meets an error, and it gets through once they pause", async () => {
  const database = await installed();
  await seed(database);
  const before = await database.dump();
  const tables = ["update mill.item set name = name || 'y' where id = $1", "update public.documents set title = title || 'y' where id = $1",
    "update public.note set body = body || 'y' where id = $1"];
  const orders = [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0], [0, 2, 1], [2, 0, 1]];
  let over = false;
  let written = 0;
  const faults = [];
  const writers = Array.from({ length: 12 }, async (_, n) => {
    const client = await database.connect();
    while (!over) {
      try {
        await client.query("begin");
        for (const table of orders[n % 6]) {
          await client.query(tables[table], [n + 1]);
          await sleep(Math.random() * 5);
        }
        await client.query("commit");
        written += 1;
      } catch (error) {
        faults.push(error.code);
        await client.query("rollback").catch(() => {});
      }
    }
    await client.end();
  });
  await until(() => written > 100, "writing");
  const { code, stderr } = await database.migrate(release(busy), "--patience", "5");
  over = true;
  await Promise.all(writers);
  assert.deepEqual(faults, []);
  if (code !== 0) {
    assert.match(stderr, /was in use without a pause for \d s, so nothing was changed/);
    assert.equal(await database.dump(), before);
  }
  const later = await database.migrate(release(busy));
  assert.equal(later.code, 0, later.stderr);
});

test("a trigger whose file has moved and whose text is the same needs no lock of its table", async () => {
  const database = await installed();
  const moved = release((parts) => {
    parts["engine base"] = Object.fromEntries(Object.entries(parts["engine base"])
      .map(([path, text]) => [path === "engine/note_size.sql" ? "engine/sizes/note_size.sql" : path, text]));
  });
  const holder = await database.connect();
  await holder.query("begin; lock table mill.item in row exclusive mode");
  const { code, stderr } = await database.migrate(moved, "--patience", "3");
  await holder.end();
  assert.equal(code, 0, stderr);
  const triggers = "select tgname::text from pg_trigger where tgrelid = 'mill.item'::regclass and not tgisinternal order by 1";
  assert.deepEqual(await database.values(triggers), ["note_size", "note_size_again"]);
});

test("a table that is never free is named after a while, with what to do", async () => {
  const database = await installed();
  const holder = await database.connect();
  await holder.query("begin; lock table mill.item in row exclusive mode");
  const { code, stderr } = await database.migrate(release(busy), "--patience", "3");
  await holder.end();
  assert.equal(code, 1);
  assert.match(stderr, /table mill\.item was in use without a pause for \d s, so nothing was changed/);
});

// It waits for mill.item, so that it is surely in the middle.
async function inTheMiddle(database, interrupt) {
  const before = await database.dump();
  const holder = await database.connect();
  await holder.query("begin; lock table mill.item in row exclusive mode");
  const process = database.startMigrating(release(busy));
  const ended = once(process, "exit");
  const migrating = "select pid from pg_stat_activity where application_name = 'gristmill migrate' and datname = current_database() and wait_event_type = 'Lock'";
  const [pid] = await until(async () => {
    const found = await database.values(migrating);
    return found.length > 0 && found;
  }, "migrate waiting");
  await interrupt(process, pid);
  await ended;
  await holder.query("rollback");
  await holder.end();
  assert.equal(await database.dump(), before);
  const { code, stderr } = await database.migrate(release(busy));
  assert.equal(code, 0, stderr);
}

test("killed in the middle, migrate leaves the database as it was", async () => {
  await inTheMiddle(await installed(), (process) => process.kill("SIGKILL"));
});

test("with its connection ended in the middle, migrate leaves the database as it was", async () => {
  const database = await installed();
  await inTheMiddle(database, (_, pid) => database.query("select pg_terminate_backend($1)", [pid]));
});

test("killed at any moment, migrate leaves the old schema or the new one", async () => {
  const head = release(busy);
  const fresh = await server.database();
  await fresh.migrate(head, "--with", "all");
  const database = await installed();
  const [old, next] = [await database.dump(), await fresh.dump()];
  for (let pause = 5; pause < 200; pause += 15) {
    const process = database.startMigrating(head);
    const ended = once(process, "exit");
    await sleep(pause);
    process.kill("SIGKILL");
    await ended;
    await until(async () => (await database.values("select count(*)::int from pg_stat_activity where application_name = 'gristmill migrate' and datname = current_database()"))[0] === 0, "its backend ending");
    const now = await database.dump();
    assert.ok(now === old || now === next);
    if (now === next) break;
  }
});

test("two migrations at once both succeed, and one of them does the work", async () => {
  const database = await server.database();
  const head = release();
  const both = await Promise.all([database.migrate(head), database.migrate(head)]);
  assert.deepEqual(both.map(({ code }) => code), [0, 0]);
  assert.equal(both.filter(({ stdout }) => /up to date/.test(stdout)).length, 1);
});

// A release with a private function that the next one does not have.
const withHelper = (parts) => {
  parts["engine base"]["engine/helper.sql"] = "create or replace function mill.helper() returns int language sql as $$ select 1 $$;\n";
};

/** A database whose helper `migrate` has left for a transaction that began before, with that transaction and the process. */
async function leftHelper() {
  const database = await server.database();
  assert.equal((await database.migrate(release(withHelper), "--with", "all")).code, 0);
  const holder = await database.connect();
  await holder.query("begin; select mill.helper()");
  const process = database.startMigrating(release());
  const ended = once(process, "exit");
  await until(async () => (await database.values("select path from mill.object where name = 'mill.helper'"))[0] === "left", "the helper being left");
  return { database, holder, process, ended };
}

const helper = "select to_regproc('mill.helper')::text";

test("a private function that a release no longer has stays for a transaction that began before, and goes after it", async () => {
  const { database, holder, ended } = await leftHelper();
  assert.equal((await holder.query("select mill.helper() as answer")).rows[0].answer, 1);
  await holder.end();
  assert.deepEqual((await ended)[0], 0);
  assert.deepEqual(await database.values(helper), [null]);
});

test("killed while it waits for such a transaction, migrate leaves the function, and the next run removes it", async () => {
  const { database, holder, process, ended } = await leftHelper();
  process.kill("SIGKILL");
  await ended;
  assert.deepEqual(await database.values(helper), ["mill.helper"]);
  await holder.end();
  assert.match((await database.migrate(release())).stdout, /removed: function mill\.helper/);
  assert.deepEqual(await database.values(helper), [null]);
  const fresh = await server.database();
  await fresh.migrate(release(), "--with", "all");
  assert.equal(await database.dump(), await fresh.dump());
});

test("a private function that a user's view calls is named before anything is changed", async () => {
  const database = await server.database();
  assert.equal((await database.migrate(release(withHelper), "--with", "all")).code, 0);
  await database.query("create view public.mine as select mill.helper() as helper");
  const before = await database.dump();
  const { code, stderr } = await database.migrate(release(changes["a removed policy"]));
  assert.equal(code, 1);
  assert.match(stderr, /function mill\.helper has to be dropped, and objects that are not Gristmill's depend on it:\s+view (public\.)?mine/);
  assert.equal(await database.dump(), before);
});
