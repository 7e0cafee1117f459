// Contracts of refresh that take two connections to break. Each check must hold, and must fail on the broken variant that
// is installed after it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { connect, isSoak, mutantDatabase, startStack, until } from "../support.mjs";

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
  if (mutantDatabase) return false; // it has a mutant already, and perhaps not this text
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
  if (mutantDatabase) return;
  // The naive way: look for pending rows, then update those ids. With the head of the real one, or it would stand beside it.
  const { rows: [{ source }] } = await pool.query("select pg_get_functiondef('mill.claim'::regproc) as source");
  const naive = `${source.slice(0, source.indexOf("AS $function$"))} as $$
    #variable_conflict use_column
    begin
      return query update mill.job_live j set state = 'processing', attempt = j.attempt + 1, worker = p_worker, started_at = now(), lease_until = now() + interval '1 minute'
      where j.id in (select o.id from mill.job_live o where o.queue = any (p_queues) and o.state = 'pending' order by o.turn limit p_max)
      returning j.id, j.queue, j.kind, j.name, j.payload, j.attempt, j.max_attempts, j.lease_until, j.owner, j.group_key, j.correlation_id, j.traceparent;
    end $$`;
  await pool.query(naive);
  const holds = await check().catch(() => false);
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

test("3: a stretch of the staleness pass that fails is an event, and the pass goes on and frees its lock", async () => {
  await pool.query("delete from mill.event; delete from public.active_subscriptions_v2");
  await pool.query(`insert into public.active_subscriptions_v2 (user_id, symbol, data_type, subscribed_at, last_seen_at)
    select gen_random_uuid(), s, 'quote', now(), now() from unnest(array['S00001', 'S00002', 'S00003']) s`);
  const { rows: [{ source }] } = await pool.query("select pg_get_functiondef('mill.check_watched'::regproc) as source");
  await pool.query(source.replace("v_queued int := 0;\nbegin", "v_queued int := 0;\nbegin\n  if 'S00002' = any (p_symbols) then raise exception 'no'; end if;"));
  try {
    await withTwo(async (one, two) => {
      await two.query("call mill.check_stale_data(1)");
      await one.query("call mill.check_stale_data(1)"); // another session: it would skip if the lock were still held
    });
  } finally {
    await pool.query(source);
  }
  const { rows: [told] } = await pool.query("select count(*)::int as failures, min(detail ->> 'message') as message from mill.event where code = 'check_stale_data_failed'");
  assert.deepEqual(told, { failures: 2, message: "no" });
  const { rows: queued } = await pool.query("select payload ->> 'symbol' as symbol from mill.job_live order by 1");
  assert.deepEqual(queued.map(({ symbol }) => symbol), ["S00001", "S00003"], "the stretches before and behind it");
  assert.equal((await pool.query("select from pg_locks where locktype = 'advisory'")).rowCount, 0, "freed");
  await clear();
  await pool.query("delete from public.active_subscriptions_v2");
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
  if (mutantDatabase) return;
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

test("3: the cleanup of subscriptions waits for nobody who is just being seen", async () => {
  await pool.query("delete from public.active_subscriptions_v2; delete from mill.data_check");
  await pool.query(`insert into public.active_subscriptions_v2 (user_id, symbol, data_type, subscribed_at, last_seen_at)
    values (gen_random_uuid(), 'S00001', 'quote', now() - interval '1 hour', now() - interval '6 minutes')`);
  await pool.query("insert into mill.data_check (data_type, symbol, next_check_at, reason) values ('quote', 'S00001', now() - interval '2 hours', 'unchanged')");
  await withTwo(async (one, two) => {
    await one.query("begin; update public.active_subscriptions_v2 set last_seen_at = now(); update mill.data_check set next_check_at = now() + interval '1 minute'");
    assert.equal((await two.query("select mill.cleanup_subscriptions() as it")).rows[0].it.removed, 0, "it goes on at once");
    await one.query("commit");
  });
  const { rows: [left] } = await pool.query("select (select count(*)::int from public.active_subscriptions_v2) as seen, (select count(*)::int from mill.data_check) as checks");
  assert.deepEqual(left, { seen: 1, checks: 1 });
});

test("5: whoever reads the changes in order misses none: a later change is told after the earlier one is committed", async () => {
  await clear();
  await pool.query("select public.queue_refresh_if_not_exists(s, 'quote', 5, 10) from unnest(array['S00001', 'S00002']) s");
  const jobs = (await pool.query("select public.claim_refresh('w') -> 'jobs' as jobs")).rows[0].jobs;
  const settle = (client, { id, attempt, payload: { symbol } }) => client.query("select public.settle_refresh('w', $1)", [JSON.stringify([{
    id, attempt, symbol, data_type: "quote", outcome: "fetched", bytes: 10, called: true, rows: [{
      symbol, name: "n", price: 10, change: 0, change_percentage: 0, volume: 1, day_low: 1, day_high: 20, year_low: 1, year_high: 20, price_avg_50: 1,
      price_avg_200: 1, exchange: "X", open: 1, previous_close: 1, quoted_at: new Date(Date.now() - 1000).toISOString() }] }])]);
  const waited = await withTwo(async (one, two) => {
    await one.query("begin");
    await settle(one, jobs[0]);
    const pending = settle(two, jobs[1]).then(() => false);
    const waits = await Promise.race([pending, until(async () => (await pool.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%settle_refresh%'")).rowCount === 1, "the second waits")]);
    await one.query("commit");
    await pending;
    return waits;
  });
  assert.equal(waited, true);
  await pool.query("delete from public.quotes; delete from mill.data_change");
  await clear();
});

test("6: two claims at the edge of the quota do not pass it together", async () => {
  await clear();
  // Of two providers: claims of one take turns by its limit as well.
  await pool.query(`insert into mill.api_rate_limits (provider_name, api_endpoint, requests_per_minute) values ('other', 'v1', 300) on conflict do nothing;
    insert into mill.queue (queue, served_by, function, provider, endpoint) values ('refresh-other', 'function', 'processor', 'other', 'v1') on conflict do nothing;
    update public.data_type_registry set provider = 'other' where data_type = 'profile'`);
  await pool.query("delete from public.api_data_usage; update mill.settings set value = (1000 / 1073741824.0)::text where key = 'refresh.quota_gb'");
  await pool.query("select public.queue_refresh_if_not_exists(s, 'quote', 5, 300) from unnest(array['S00001', 'S00002']) s");
  await pool.query("select public.queue_refresh_if_not_exists('S00003', 'profile', 5, 300)");
  await pool.query("insert into public.api_data_usage (created_at, provider, data_type, calls, data_size_bytes) values (now(), 'fmp', 'quote', 1, 400)");
  const served = await withTwo(async (one, two) => {
    await one.query("begin");
    const first = (await one.query("select public.claim_refresh('one', 'refresh', 1) -> 'jobs' as jobs")).rows[0].jobs.length;
    const pending = two.query("select public.claim_refresh('two', 'refresh-other', 1) -> 'jobs' as jobs");
    // Until it waits for its turn, or has not had to.
    await Promise.race([pending, until(async () => (await pool.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%claim_refresh(''two''%'")).rowCount === 1, "the second waits")]);
    await one.query("commit");
    return [first, (await pending).rows[0].jobs.length];
  });
  await pool.query("update mill.settings set value = '20' where key = 'refresh.quota_gb'; delete from public.api_data_usage");
  await pool.query("update public.data_type_registry set provider = 'fmp' where data_type = 'profile'");
  assert.deepEqual(served, [1, 0], "400 bytes are used and 300 under way: 300 more would be over 950");
});

test("15: judging and probing wait for nobody who holds a breaker", async () => {
  await pool.query("select mill.judge_breakers()");
  await withTwo(async (one, two) => {
    const { rows: [{ target }] } = await pool.query("select target from mill.breaker order by 1 limit 1");
    await pool.query("select mill.set_breaker($1, 'open', 'a test')", [target]);
    await pool.query("update mill.breaker set retry_at = now() - interval '1 second' where target = $1", [target]);
    await one.query(`begin; select from mill.breaker where target = '${target}' for update`);
    assert.equal((await two.query("select mill.judge_breakers() as changed")).rows[0].changed, 0, "the one that is held is left to whoever holds it");
    await one.query("rollback");
    await pool.query("select mill.set_breaker($1, 'half_open', 'a test')", [target]);
    await one.query(`begin; select mill.may_invoke('${target}', '00000000-0000-4000-8000-000000000001')`);
    const { rows: [{ may }] } = await two.query("select mill.may_invoke($1, '00000000-0000-4000-8000-000000000002') as may", [target]);
    await one.query("commit");
    assert.equal(may, false, "the second probe is turned away at once");
    await pool.query("select mill.set_breaker($1, 'closed', 'the test is over')", [target]);
  });
});
