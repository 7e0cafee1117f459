// Jobs that are enqueued in the caller's own transaction, by a role that may do nothing else in schema mill; and the database in the process beside the gateway.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { drizzle } from "drizzle-orm/node-postgres";
import { sql as drizzleSql } from "drizzle-orm";
import { Kysely, PostgresDialect, sql as kyselySql } from "kysely";
import pg from "pg";
import { z } from "zod";

import * as byDrizzle from "../../sdk/typescript/dist/adapters/drizzle.js";
import * as byKysely from "../../sdk/typescript/dist/adapters/kysely.js";
import * as byPg from "../../sdk/typescript/dist/adapters/pg.js";
import * as byPrisma from "../../sdk/typescript/dist/adapters/prisma.js";
import { defineJob, gristmill, InvalidPayload, QueueFull, UnknownKind } from "../../sdk/typescript/dist/index.js";
import { testing } from "../../sdk/typescript/dist/testing/index.js";
import { startStack, until } from "../support.mjs";

const sendReceipt = defineJob("send_receipt", { queue: "shop", schema: z.object({ order: z.string(), total: z.number() }) });
const ship = defineJob("ship", { queue: "warehouse" }).payload();
const definition = { queues: [{ queue: "warehouse", depthLimit: 3 }], jobs: [sendReceipt, ship] };

let stack, pool, transactions;
before(async () => {
  stack = await startStack("adapters", { parts: ["gateway"], applications: "none" });
  await gristmill({ url: stack.url, key: stack.serviceKey }).register(definition);
  await stack.postgres.query(`
    create role shop login password 'shop' in role gristmill_app;
    create table public.orders (id text primary key);
    grant insert, select on public.orders to shop`);
  pool = new pg.Pool({ connectionString: stack.postgres.url("shop", "shop"), max: 4 });
  transactions = adapters(pool);
});
after(async () => {
  await pool?.end();
  await stack?.destroy();
});

// Each runs `work(tx, enqueue, enqueueAll, insert)` in one transaction of its library.
const adapters = (pool) => ({
  async pg(work) {
    const client = await pool.connect();
    try {
      await client.query("begin");
      const answer = await work(client, byPg, (id) => client.query("insert into public.orders values ($1)", [id]));
      await client.query("commit");
      return answer;
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  },
  drizzle: (work) => drizzle(pool).transaction((tx) => work(tx, byDrizzle, (id) => tx.execute(drizzleSql`insert into public.orders values (${id})`))),
  kysely: (work) => new Kysely({ dialect: new PostgresDialect({ pool }) }).transaction().execute((tx) => work(tx, byKysely, (id) => kyselySql`insert into public.orders values (${id})`.execute(tx))),
  // What Prisma passes to the function of $transaction. Its own client takes 300 MB; tests/testing/prisma.test.mjs has it, in soak.
  prisma(work) {
    return this.pg((client) => {
      const tx = { $queryRawUnsafe: async (text, ...values) => (await client.query(text, values)).rows };
      return work(tx, byPrisma, (id) => tx.$queryRawUnsafe("insert into public.orders values ($1)", id));
    });
  },
});

const jobsOf = async (order) => (await stack.postgres.query("select id, kind, payload, priority, run_at > now() + interval '1 day' as later from mill.job where payload ->> 'order' = $1 order by kind", [order])).rows;
const hasOrder = async (id) => (await stack.postgres.query("select from public.orders where id = $1", [id])).rowCount === 1;

for (const name of ["pg", "drizzle", "kysely", "prisma"]) {
  test(`${name}: a job and a row of the application are committed together`, async () => {
    const order = `${name}-commit`;
    const enqueued = await transactions[name](async (tx, { enqueue, enqueueAll }, insert) => {
      await insert(order);
      const first = await enqueue(tx, sendReceipt, { order, total: 12.5 }, { in: "2d", priority: 9 });
      assert.deepEqual(await jobsOf(order), [], "nobody else sees it before the commit");
      return [first, ...(await enqueueAll(tx, [sendReceipt.with({ order, total: 1 }, { dedupeKey: order }), sendReceipt.with({ order, total: 2 }, { dedupeKey: order })]))];
    });
    assert.deepEqual(enqueued.map(({ status }) => status), ["new", "new", "duplicate"]);
    assert.equal(enqueued[2].id, enqueued[1].id);
    const jobs = await jobsOf(order);
    assert.deepEqual(jobs.map(({ id, payload, priority, later }) => [id, payload.total, priority, later]).sort(), [[enqueued[0].id, 12.5, 9, true], [enqueued[1].id, 1, 5, false]].sort());
    assert.ok(await hasOrder(order));
  });

  test(`${name}: a transaction that is rolled back leaves neither row nor job`, async () => {
    const order = `${name}-rollback`;
    await assert.rejects(transactions[name](async (tx, { enqueue }, insert) => {
      await insert(order);
      assert.equal((await enqueue(tx, sendReceipt, { order, total: 1 })).status, "new");
      throw new Error("no money");
    }), /no money/);
    assert.deepEqual(await jobsOf(order), []);
    assert.equal(await hasOrder(order), false);
  });

  test(`${name}: a payload that does not fit, an unknown kind and a full queue are errors of the library`, async () => {
    const order = `${name}-refused`;
    const refused = (job, payload) => transactions[name]((tx, { enqueue }) => enqueue(tx, job, payload));
    await assert.rejects(refused(sendReceipt, { order, total: "1" }), (error) => error instanceof InvalidPayload && error.field === "/total");
    // The same by Postgres, where the caller has no schema.
    await assert.rejects(refused(defineJob("send_receipt", { queue: "shop" }), { order, total: "1" }), (error) => error instanceof InvalidPayload && error.field === "/total" && error.code === "GM011" && error.cause !== undefined);
    await assert.rejects(refused(defineJob("send_pigeon"), { order }), UnknownKind);
    await assert.rejects(transactions[name](async (tx, { enqueue }) => {
      for (let n = 0; n < 4; n++) await enqueue(tx, ship, { order, n });
    }), QueueFull);
    assert.deepEqual(await jobsOf(order), []);
  });
}

test("a pool is refused: its queries belong to no transaction", async () => {
  await assert.rejects(byPg.enqueue(pool, sendReceipt, { order: "pool", total: 1 }), /a pool has no transaction/);
});

test("a member of gristmill_app can enqueue and can read and write nothing of the engine", async () => {
  for (const text of ["select from mill.job", "delete from mill.job", "select mill.tick()", "update mill.queue set paused = true", "select public.claim_jobs('w', '{shop}', 1)"]) {
    await assert.rejects(pool.query(text), { code: "42501" }, text);
  }
});

test("the database in the process answers calls as the gateway does", async () => {
  const t = await testing({ ...definition, jobs: definition.jobs });
  const own = `
    create type public.pair as (a int, b text);
    create function public.no_arguments() returns int language sql as 'select 1';
    create function public.nothing(p_x int default 1) returns void language sql as '';
    create function public.one_row(p_a int) returns public.pair language sql as $$ select p_a, 'x' $$;
    create function public.rows(p_n int) returns setof public.pair language sql as $$ select n, n::text from generate_series(1, p_n) n $$;
    create function public.a_table(p_n int) returns table (n int) language sql as 'select generate_series(1, p_n)';
    create function public.numbers(p_n int) returns setof int language sql as 'select generate_series(1, p_n)';
    create function public.null_of(p_x text) returns text language sql as 'select null::text';
    create function public.arrays(p_ids uuid[], p_more jsonb) returns jsonb language sql as 'select jsonb_build_object($$ids$$, p_ids, $$more$$, p_more)';
    create function public.many(variadic p_n int[]) returns int language sql as 'select cardinality(p_n)';
    create function public.claims() returns jsonb language sql as $$ select jsonb_build_object('role', current_user, 'sub', auth.jwt() ->> 'sub', 'method', current_setting('request.method')) $$;
    create function public.refuse(p_code text) returns int language plpgsql as $$ begin raise exception 'no' using errcode = p_code, detail = 'd', hint = 'h'; end $$;`;
  try {
    await t.db.exec(own);
    await stack.postgres.query(`${own} notify pgrst, 'reload schema'`);
    const sub = "6b1f2a58-0000-4000-8000-000000000001";
    const tokens = {
      service: [t.key, stack.serviceKey],
      user: [(await import("../../sdk/typescript/dist/testing/postgrest.js")).tokenOf({ role: "authenticated", sub }), await stack.token({ role: "authenticated", sub })],
    };
    const ask = async (send, url, token, name, args) => {
      const answer = await send(`${url}/rest/v1/rpc/${name}`, { method: "POST", body: typeof args === "string" ? args : JSON.stringify(args), headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) } });
      const text = await answer.text();
      return { status: answer.status, body: text && JSON.parse(text) };
    };
    await until(async () => (await ask(fetch, stack.url, stack.serviceKey, "refuse", { p_code: "P0001" })).status === 400, "the gateway knowing the last of the functions");
    const calls = [
      ["no_arguments", {}], ["no_arguments", ""], ["nothing", {}], ["nothing", { p_x: 5 }], ["one_row", { p_a: 7 }], ["rows", { p_n: 2 }], ["rows", { p_n: 0 }], ["a_table", { p_n: 2 }], ["numbers", { p_n: 2 }],
      ["null_of", { p_x: "x" }], ["arrays", { p_ids: [sub], p_more: { deep: [1, null, "ü\"'"] } }], ["arrays", { p_ids: [], p_more: null }], ["many", { p_n: [1, 2, 3] }], ["claims", {}],
      ["rows", { p_n: "two" }], ["rows", {}], ["rows", { p_n: 1, p_m: 2 }], ["no_such_function", { p_x: 1 }], ["claim_jobs", { p_worker: "w", p_queues: ["nobody"], p_max: 1 }], ["get_job", { p_id: sub }],
      ["get_job", { p_id: "nonsense" }], ["enqueue_jobs", { p_jobs: [{ kind: "send_receipt", payload: { order: "1", total: "x" } }] }], ["enqueue_jobs", { p_jobs: [{ kind: "nobody", payload: {} }] }],
      ...["GM999", "P0001", "PT418", "23505", "42501", "40001", "57014", "22023", "XX000", "28000"].map((p_code) => ["refuse", { p_code }]),
    ];
    const differing = [];
    for (const [who, [here, there]] of Object.entries({ ...tokens, nobody: [] })) {
      for (const [name, args] of calls) {
        const [a, b] = await Promise.all([ask(t.fetch, t.url, here, name, args), ask(fetch, stack.url, there, name, args)]);
        // The hint of PGRST202 names a function that is spelt alike.
        if (b.body?.code === "PGRST202") for (const one of [a, b]) delete one.body.hint, delete one.body.details;
        if (!isDeepStrictEqual(a, b)) differing.push({ call: `${name} ${JSON.stringify(args)} as ${who}`, here: a, there: b });
      }
    }
    assert.deepEqual(differing, []);
  } finally {
    await t.close();
  }
});
