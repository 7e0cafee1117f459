// Contracts of refresh that take two connections to break. Each check must hold, and must fail on the broken variant that
// is installed after it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { connect, isSoak, startStack, until } from "../support.mjs";

const SYMBOLS = isSoak ? 10_000 : 400;
const WATCHERS = 30;
let stack, pool;
before(async () => {
  stack = await startStack("refresh-races", { parts: [] });
  pool = connect(stack, 30);
  await pool.query("insert into public.supported_symbols (symbol) select 'S' || lpad(n::text, 5, '0') from generate_series(1, $1) n", [SYMBOLS]);
});
after(async () => {
  await pool?.end();
  await stack?.destroy();
});

/** Runs `work` while a routine is a broken variant of itself. */
async function mutated(routine, from, to, work) {
  const { rows: [{ source }] } = await pool.query("select pg_get_functiondef($1::regproc) as source", [routine]);
  assert.ok(source.includes(from), `${routine} contains "${from}"`);
  await pool.query(source.replace(from, to));
  try {
    return await work();
  } finally {
    await pool.query(source);
  }
}

async function broken(routine, from, to, check) {
  const holds = await mutated(routine, from, to, () => check().catch(() => false));
  assert.equal(holds, false, `"${to}" in place of "${from}" in ${routine} is caught`);
}

const clear = () => pool.query("delete from mill.job; delete from mill.api_use; delete from mill.data_check; delete from mill.event");
const queue = (count) => pool.query(`select mill.queue_refreshes((select r from public.data_type_registry r where data_type = 'quote'),
  array(select symbol from public.supported_symbols order by 1 limit $1), 5)`, [count]);

async function withTwo(work) {
  const [one, two] = [await pool.connect(), await pool.connect()];
  try {
    await two.query("set lock_timeout = '3s'; set statement_timeout = '20s'");
    return await work(one, two);
  } finally {
    for (const client of [one, two]) {
      await client.query("rollback; reset all; select pg_advisory_unlock_all()").catch(() => {});
      client.release();
    }
  }
}

test("1: claiming is atomic", async () => {
  const check = async () => {
    await clear();
    await queue(60);
    return withTwo(async (one, two) => {
      await one.query("begin");
      const first = (await one.query("select id from mill.claim('one', array['refresh'], 20)")).rows.map(({ id }) => id);
      const pending = two.query("select id from mill.claim('two', array['refresh'], 20)");
      // Not before the second has looked: a naive one is right about what the first has committed.
      await until(async () => (await pool.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%claim(''two''%'")).rowCount === 1, "the second waits");
      await one.query("commit");
      const second = (await pending).rows.map(({ id }) => id);
      const { rows: [{ attempts }] } = await pool.query("select max(attempt) as attempts from mill.job_live");
      return first.length === 20 && second.length === 20 && !first.some((id) => second.includes(id)) && attempts === 1;
    });
  };
  assert.ok(await check());
  // The naive way: look for pending rows, then update those ids.
  const naive = `create or replace function mill.claim(p_worker text, p_queues text[], p_max int, p_kinds text[] default null, p_lease_seconds int default null, p_waits boolean default true)
    returns table (id uuid, queue text, kind text, name text, payload jsonb, attempt int, max_attempts int,
                   lease_until timestamptz, owner uuid, group_key text, correlation_id text, traceparent text)
    language sql as $$
      update mill.job_live j set state = 'processing', attempt = j.attempt + 1, worker = p_worker, started_at = now(), lease_until = now() + interval '1 minute'
      where j.id in (select o.id from mill.job_live o where o.queue = any (p_queues) and o.state = 'pending' order by o.turn limit p_max)
      returning j.id, j.queue, j.kind, j.name, j.payload, j.attempt, j.max_attempts, j.lease_until, j.owner, j.group_key, j.correlation_id, j.traceparent $$`;
  const { rows: [{ source }] } = await pool.query("select pg_get_functiondef('mill.claim'::regproc) as source");
  await pool.query(naive);
  const holds = await check();
  await pool.query(source);
  assert.equal(holds, false, "the naive claim is caught");
});

test("1: twenty processors never get the same refresh, and the limit holds among them", async () => {
  await clear();
  await queue(Math.min(SYMBOLS, 400));
  const batches = await Promise.all(Array.from({ length: 20 }, (_, at) =>
    pool.query("select public.claim_refresh($1, 'refresh', 25) -> 'jobs' as jobs", [`w${at}`])));
  const ids = batches.flatMap(({ rows }) => rows[0].jobs.map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(ids.length, 300, "300 a minute, whoever asks");
});

test("2: recovery skips what a settlement holds", async () => {
  const check = async () => {
    await clear();
    await queue(10);
    await pool.query("select public.get_queue_batch(10)");
    await pool.query("update mill.job_live set started_at = now() - interval '1 hour', lease_until = now() - interval '1 minute'");
    return withTwo(async (one, two) => {
      await one.query("begin; select from mill.job_live order by id limit 5 for update");
      await two.query("select public.recover_stuck_jobs(5, 3)");
      const { rows: [{ recovered }] } = await two.query("select count(*)::int as recovered from mill.job_live where state <> 'processing'");
      await one.query("commit");
      return recovered === 5;
    });
  };
  assert.ok(await check());
  await broken("public.recover_stuck_jobs", "for update skip locked", "for update", check);
  await broken("mill.lock_expired_leases", "for update skip locked", "for update", check);
});

const entries = [
  ["mill.check_presence", "select mill.check_presence(null) as it"],
  ["mill.walk_all_scheduled", "select mill.walk_all_scheduled() as it"],
  ["mill.cleanup_subscriptions", "select mill.cleanup_subscriptions() as it"],
  ["mill.maintain_unless_running", "select mill.maintain_unless_running() as it"],
  ["public.refresh_analytics_from_presence_v2", "select public.refresh_analytics_from_presence_v2() as it"],
];
for (const [routine, call] of entries) {
  test(`3: ${routine} skips while another run is at it, and frees its lock on every path`, async () => {
    await clear();
    const check = () => withTwo(async (one, two) => {
      await one.query("begin");
      await one.query(call);
      const { rows: [{ it }] } = await two.query(call);
      await one.query("rollback"); // the path out of a failure
      const { rows: [{ it: then }] } = await two.query(call);
      const { rowCount: kept } = await pool.query("select from pg_locks where locktype = 'advisory'");
      return it.skipped === true && then.skipped !== true && kept === 0;
    });
    assert.ok(await check());
    await broken(routine, "if not mill.entry_lock(", "if false and not mill.entry_lock(", check);
    await mutated("mill.entry_lock", "pg_try_advisory_xact_lock(702234, hashtext(p_name))", "pg_try_advisory_lock(702234, hashtext(p_name))",
      async () => assert.equal(await check().catch(() => false), false, "a lock that outlives its transaction is caught"));
  });
}

test("3: the staleness pass of cron skips too, and a cancelled one frees its lock", async () => {
  const locks = async () => (await pool.query("select from pg_locks where locktype = 'advisory'")).rowCount;
  await withTwo(async (one, two) => {
    const { rows: [{ key }] } = await pool.query(
      "select (regexp_match(pg_get_functiondef('mill.check_stale_data'::regproc), 'bigint := (\\d+)'))[1] as key");
    await one.query("select pg_advisory_lock($1)", [key]);
    await pool.query("delete from mill.heartbeat where part = 'check-stale-data'");
    await two.query("call mill.check_stale_data()");
    assert.equal((await pool.query("select from mill.heartbeat where part = 'check-stale-data'")).rowCount, 0, "skipped");
    await one.query("select pg_advisory_unlock($1)", [key]);
    await two.query("call mill.check_stale_data()");
    assert.equal((await pool.query("select from mill.heartbeat where part = 'check-stale-data'")).rowCount, 1);
    assert.equal(await locks(), 0);

    // One that is cancelled in the middle: a watched symbol's check takes for ever.
    await pool.query(`insert into public.active_subscriptions_v2 (user_id, symbol, data_type, subscribed_at, last_seen_at) values (gen_random_uuid(), 'S00001', 'quote', now(), now());
      create or replace function public.sleeps(timestamptz, int) returns boolean language sql as 'select pg_sleep(60) is null';
      update public.data_type_registry set staleness_function = 'sleeps' where data_type = 'quote'`);
    await two.query("set statement_timeout = '300ms'");
    await assert.rejects(two.query("call mill.check_stale_data()"), /statement timeout/);
    await pool.query("update public.data_type_registry set staleness_function = 'is_data_stale' where data_type = 'quote'; delete from public.active_subscriptions_v2");
    assert.equal(await locks(), 0, "freed");
  });
});

test("7: no hot path waits for analytics", async () => {
  const check = () => withTwo(async (one, two) => {
    await clear();
    await pool.query("delete from public.active_subscriptions_v2");
    await one.query("begin; lock table public.subscription_analytics in access exclusive mode");
    await two.query(`select set_config('request.jwt.claims', '{"role": "service_role"}', false)`);
    await two.query("select public.upsert_active_subscription_v2(gen_random_uuid(), 'S00001', 'quote')");
    await two.query("select public.check_and_queue_stale_data_from_presence()");
    const { rows: [{ id }] } = await two.query("select public.get_queue_batch(1) #>> '{0,id}' as id");
    await two.query("select public.complete_queue_job($1, 5)", [id]);
    return (await two.query("select from mill.job_done where id = $1", [id])).rowCount === 1;
  });
  assert.ok(await check());
  await broken("public.upsert_active_subscription_v2", "  insert into public.active_subscriptions_v2 as a",
    "  insert into public.subscription_analytics values (p_symbol, p_data_type, 1, v_now) on conflict do nothing;\n  insert into public.active_subscriptions_v2 as a", check);
  await broken("public.complete_queue_job", "  if v_done then", "  perform public.refresh_analytics_from_presence_v2();\n  if v_done then", check);
});

test("12: staleness is found symbol by symbol through indexes", async () => {
  await clear();
  await pool.query("delete from public.active_subscriptions_v2");
  await pool.query(`insert into public.active_subscriptions_v2 (user_id, symbol, data_type, subscribed_at, last_seen_at)
    select gen_random_uuid(), s.symbol, t.data_type, now(), now()
    from public.supported_symbols s cross join generate_series(1, $1) w cross join lateral (
      values ((array['quote', 'profile', 'earnings'])[1 + w % 3])) t(data_type)`, [WATCHERS]);
  await pool.query("analyze public.active_subscriptions_v2");
  // Of this transaction alone: the counters of other sessions are flushed whenever they please.
  const reads = async (one) => (await one.query(`select
    pg_stat_get_xact_tuples_returned('public.active_subscriptions_v2'::regclass)::int as scanned,
    pg_stat_get_xact_tuples_returned('public.active_subscriptions_by_symbol'::regclass)::int as visited`)).rows[0];
  const check = () => withTwo(async (one) => {
    await clear();
    await one.query("begin");
    await one.query("set local temp_file_limit = 0"); // a temporary file is an error
    const before = await reads(one);
    const spilled = await one.query("select public.check_and_queue_stale_data_from_presence()").then(() => false, () => true);
    const after = spilled ? before : await reads(one);
    await one.query(spilled ? "rollback" : "commit");
    const { rows: [{ queued }] } = await pool.query("select count(*)::int as queued from mill.job_live");
    return !spilled && queued === SYMBOLS * wanted && after.scanned === before.scanned && after.visited - before.visited < SYMBOLS * visits;
  });
  // Of what is stale the viewers are counted, for the priority. Of what is fresh not every one of the 30 watchers is looked at.
  let [wanted, visits] = [3, 10 + WATCHERS];
  assert.ok(await check());
  await pool.query("create or replace function public.always_fresh(timestamptz, int) returns boolean language sql as 'select false'; update public.data_type_registry set staleness_function = 'always_fresh'");
  [wanted, visits] = [0, 10];
  assert.ok(await check());
  await pool.query("update public.data_type_registry set staleness_function = 'is_data_stale'; drop function public.always_fresh(timestamptz, int)");
  [wanted, visits] = [3, 10 + WATCHERS];
  const { rows: [{ source }] } = await pool.query("select pg_get_functiondef('mill.watched_symbols'::regproc) as source");
  const whole = source.replace(/SET enable_seqscan[^\n]*\n/, "").replace(/SET enable_bitmapscan[^\n]*\n/, "")
    .replace(/with recursive[\s\S]*select coalesce[^\n]*\n/, "select coalesce((array_agg(distinct a.symbol))[1:p_max], '{}') from public.active_subscriptions_v2 a where a.symbol > p_after\n");
  assert.notEqual(whole, source);
  await pool.query(whole);
  const holds = await check().catch(() => false);
  await pool.query(source);
  assert.equal(holds, false, "laying out all subscriptions is caught");
});

test("16: maintenance gives way after a second", async () => {
  await pool.query(`create table if not exists mill.job_done_20200101 partition of mill.job_done
    for values from ('2020-01-01 00:00+00') to ('2020-01-02 00:00+00')`);
  const check = () => withTwo(async (one, two) => {
    await two.query("set lock_timeout = 0; set statement_timeout = '4s'");
    await one.query("begin; lock table mill.job_done_20200101 in access share mode");
    const { rows: [{ it }] } = await two.query("select mill.maintain_unless_running() as it");
    return it.skipped === 1;
  });
  assert.ok(await check());
  await broken("mill.maintain", "SET lock_timeout TO '1s'", "SET lock_timeout TO '0'", check);
});

test("a duplicate is refused by the index, not by a look before", async () => {
  await clear();
  await Promise.all(Array.from({ length: 25 }, () => pool.query("select public.queue_refresh_if_not_exists('S00007', 'quote', 5, 1)")));
  assert.equal((await pool.query("select from mill.job_live")).rowCount, 1);
});
