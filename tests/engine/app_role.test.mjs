// An application's own role, a member of gristmill_app, enqueues in its own transactions over a connection of its own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";

import { Server } from "../../sdk/local/stack/server.mjs";

let server;
before(async () => {
  server = await new Server("app-role").start();
});
after(() => server?.destroy());

async function migrated(database, ...user) {
  const { code, stdout, stderr } = await server.gristmill(database, "migrate", ...(user.length > 0 ? [{ GRISTMILL_DATABASE_URL: server.url(database, ...user) }] : []));
  assert.equal(code, 0, stdout + stderr);
}

async function connectedAs(database, user, password, work) {
  const client = new pg.Client({ connectionString: server.url(database, user, password) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

test("where the installing user may not create roles the engine is installed without gristmill_app", async () => {
  await server.query("postgres", `create role anon nologin; create role authenticated nologin; create role service_role nologin bypassrls; create role authenticator nologin noinherit;
    create role owner_of_one login password 'owner'`);
  await server.query("postgres", "create database restricted owner owner_of_one");
  await migrated("restricted", "owner_of_one", "owner");
  assert.equal((await server.query("restricted", "select from pg_roles where rolname = 'gristmill_app'")).rowCount, 0);
  const { rows } = await connectedAs("restricted", "owner_of_one", "owner", (client) => client.query(`select status from mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]')`));
  assert.deepEqual(rows, [{ status: "new" }]);
});

test("a login role that is a member enqueues together with its own rows, or not at all", async () => {
  await server.create("shop");
  await migrated("shop");
  await server.query("shop", "create role shop login password 'shop' in role gristmill_app; create schema shop authorization shop");
  await connectedAs("shop", "shop", "shop", async (client) => {
    await client.query("create table shop.orders (id int primary key)");
    const order = async (id, end) => {
      await client.query("begin");
      await client.query("insert into shop.orders values ($1)", [id]);
      const { rows } = await client.query("select id, status from mill.enqueue($1)", [JSON.stringify([{ kind: "echo", payload: { order: id } }])]);
      assert.equal(rows[0].status, "new");
      await client.query(end);
    };
    await order(1, "commit");
    await order(2, "rollback");
    assert.equal((await client.query("select mill.enqueue_many('echo', '[{\"n\": 1}]') as ids")).rows[0].ids.length, 1);
    await assert.rejects(client.query("select from mill.job"), { code: "42501" });
    await assert.rejects(client.query("select public.claim_jobs('w', array['default'], 1)"), { code: "42501" });
    await assert.rejects(client.query("set role service_role"), { code: "42501" });
  });
  const { rows } = await server.query("shop", "select payload from mill.job where payload ? 'order'");
  assert.deepEqual(rows, [{ payload: { order: 1 } }]);
});

test("maintenance stops users and not the application's role", async () => {
  await server.query("shop", "select public.set_maintenance(true, 'a test')");
  const { rows } = await connectedAs("shop", "shop", "shop", (client) => client.query(`select status from mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]')`));
  assert.deepEqual(rows, [{ status: "new" }]);
  await server.query("shop", "select public.set_maintenance(false, null)");
});
