// What the provider can do wrong: nothing wrong is written, each job ends as it should, attempts are not burned by
// throttling, the breaker opens and closes, and a killed processor loses nothing.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, test } from "node:test";

import { isSoak, signIn, startStack, until } from "../support.mjs";

let stack, sql, proxy;
const passed = [];
before(async () => {
  proxy = await startProxy();
  stack = await startStack("refresh-liars", { parts: ["gateway", "provider", "relay", "workerd"],
    env: { functions: { SUPABASE_URL: `http://127.0.0.1:${proxy.address().port}` } } });
  proxy.target = new URL(stack.url);
  sql = async (text, values) => (await stack.postgres.query(text, values)).rows;
  await sql(`insert into public.supported_symbols (symbol) select 'S' || n from generate_series(1, 200) n;
    update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds'`);
});
after(async () => {
  await stack?.destroy();
  proxy?.close();
});

// Between the functions and Postgres: what passes is written down.
async function startProxy() {
  const server = http.createServer((request, response) => {
    passed.push(`${request.method} ${request.url}`);
    const { hostname, port } = server.target;
    const forwarded = http.request({ hostname, port, path: request.url, method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    request.pipe(forwarded);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const tell = async (order) => assert.equal((await fetch(`${stack.providerUrl}/control`, { method: "POST", body: JSON.stringify(order) })).status, 204);
const honest = () => fetch(`${stack.providerUrl}/control`, { method: "DELETE" });
const calls = async () => (await fetch(`${stack.providerUrl}/control/calls`)).json();
const queue = (from, to, priority = 5) => sql(`select mill.queue_refreshes((select r from public.data_type_registry r where data_type = 'quote'),
  array(select 'S' || n from generate_series($1::int, $2::int) n), $3)`, [from, to, priority]);
const done = (count) => until(async () => (await sql("select from mill.job_done where queue = 'refresh'")).length >= count, `${count} refreshes`);
const clear = () => sql(`delete from mill.job; delete from public.api_data_usage; delete from mill.api_use; delete from mill.data_check; delete from mill.event; delete from mill.breaker; delete from mill.stat_batch;
  update mill.api_rate_limits set blocked_until = null, requests_per_minute = 300 where provider_name = 'fmp'`);
const pump = () => sql("call mill.pump(0)");

test("19: a batch is two RPCs to Postgres and no call of another function", async () => {
  await clear();
  passed.length = 0;
  await queue(1, 50);
  await done(50);
  const strays = () => passed.filter((it) => !/^POST \/rest\/v1\/rpc\/(claim|settle)_refresh$/.test(it));
  assert.deepEqual(strays(), []);
  assert.equal(passed.filter((it) => it.endsWith("settle_refresh")).length, 1);
  assert.ok(passed.length <= 3, `claim, settle, and one claim that finds the queue empty at the most: ${passed.length}`);
  // A processor that asks another function would go the same way, and be seen.
  await fetch(`http://127.0.0.1:${proxy.address().port}/functions/v1/health`);
  assert.equal(strays()[0], "GET /functions/v1/health");
});

// Each mode has a symbol of its own, so all are asked at once.
const LIES = {
  slow: "slow", trickle: "slow", 500: "http", unauthorized: "http", html: "not_json", error_body: "schema", empty: "no_data", drifted: "schema",
  nonsense: "insane", stale: "older_source", future: "source_in_future", other_symbol: "other_symbol", huge: "too_large",
  truncated: "connection", redirect: "redirected",
};
const TRUTHS = ["honest", "padded", "gzip", "chunked", "no_length", "closed"];

async function wrongRows(before) {
  const now = await sql("select symbol, to_jsonb(q) - 'fetched_at' as row from public.quotes q where symbol = any ($1)", [Object.keys(before)]);
  return now.filter(({ symbol, row }) => JSON.stringify(row) !== JSON.stringify(before[symbol])).map(({ symbol }) => symbol);
}

test("each liar mode: nothing wrong is written and the job ends as it should", async () => {
  await honest();
  await clear();
  const modes = [...Object.keys(LIES), ...TRUTHS];
  await queue(1, modes.length);
  await done(modes.length);
  await sql("update public.quotes set quoted_at = quoted_at - interval '1 minute'"); // so that the next are newer
  const before = Object.fromEntries((await sql("select symbol, to_jsonb(q) - 'fetched_at' as row from public.quotes q")).map(({ symbol, row }) => [symbol, row]));
  await clear();
  for (const [at, mode] of modes.entries()) {
    const symbol = `S${at + 1}`;
    await tell({ mode, symbol, at: mode === "closed" ? Date.parse(before[symbol].quoted_at) / 1000 : undefined, to: `${stack.providerUrl}/stable/quote?symbol=TRAP` });
  }
  await sql("delete from public.api_data_usage");
  await queue(1, modes.length);
  const ended = await until(async () => {
    const rows = await sql("select payload ->> 'symbol' as symbol, state, attempt, error ->> 'type' as type, result ->> 'status' as status, (result ->> 'bytes')::int as bytes from mill.job where queue = 'refresh' and (state = 'completed' or error is not null)");
    return rows.length === modes.length && rows;
  }, "every job's end");
  const of = (mode) => ended.find(({ symbol }) => symbol === `S${modes.indexOf(mode) + 1}`);
  for (const [mode, type] of Object.entries(LIES)) {
    assert.deepEqual({ mode, type: of(mode).type, state: of(mode).state }, { mode, type, state: "retrying" });
  }
  for (const mode of TRUTHS) {
    assert.deepEqual([mode, of(mode).state, of(mode).status], [mode, "completed", mode === "closed" ? "unchanged" : "written"]);
  }
  const lying = Object.fromEntries(Object.keys(LIES).map((mode) => of(mode).symbol).map((symbol) => [symbol, before[symbol]]));
  assert.deepEqual(await wrongRows(lying), [], "what was there is still there");
  assert.ok((await calls()).calls.every(({ symbol }) => symbol !== "TRAP"), "a redirect is not followed");
  const [event] = await sql("select detail from mill.event where code = 'content_length_missing'");
  assert.equal(event.detail.count, 2, "a missing length is an event, chunked or not");

  // 6a: the wire's bytes, which are neither more nor less than what the provider sent.
  const sizes = { honest: of("honest").bytes, padded: of("padded").bytes, gzip: of("gzip").bytes };
  assert.ok(sizes.padded > sizes.honest * 1.5 && sizes.gzip < sizes.honest, JSON.stringify(sizes));

  // The check itself: a processor that believes everything, doing what ours refused to.
  await sql("update mill.queue set paused = true where queue = 'refresh'");
  const symbol = of("nonsense").symbol;
  const [lie] = await (await fetch(`${stack.providerUrl}/stable/quote?symbol=${symbol}`)).json();
  await sql("update public.quotes set volume = $2, day_low = $3 where symbol = $1", [symbol, lie.volume, lie.dayLow]);
  assert.deepEqual(await wrongRows(lying), [symbol], "the check would have seen it");
  await sql("update mill.queue set paused = false where queue = 'refresh'");
});

test("429 with Retry-After: the rest is put off, nobody calls meanwhile, no attempt is burned", async () => {
  await honest();
  await clear();
  await tell({ mode: "429", retry_after: 2 });
  await queue(1, 60);
  await until(async () => (await sql("select from mill.api_rate_limits where blocked_until > now()")).length === 1, "the block");
  await pump();
  const { count } = await calls();
  assert.ok(count <= 20, `${count} calls before everybody knew`);
  await honest();
  await until(async () => { await pump(); return (await sql("select from mill.job_done where queue = 'refresh'")).length === 60; }, "all of them, later");
  assert.deepEqual(await sql("select max(attempt)::int as attempt from mill.job_done where queue = 'refresh'"), [{ attempt: 1 }]);
});

test("never more calls than the limit in its window, no attempt burned, and all of it used", async () => {
  await honest();
  await clear();
  await sql("update mill.api_rate_limits set requests_per_minute = 40 where provider_name = 'fmp'");
  await queue(1, 100);
  for (const round of [1, 2, 3]) {
    await until(async () => (await sql("select from mill.job_done where queue = 'refresh'")).length === Math.min(100, round * 40), `round ${round}`);
    await pump();
    const { count } = await calls();
    assert.equal(count, Math.min(100, round * 40), "the whole limit is used and no call more is made");
    const [{ wait }] = await sql("select mill.seconds_to_capacity() as wait");
    if (round < 3) assert.ok(wait > 50 && wait <= 60, `the next room is in ${wait} s`);
    await sql("update mill.api_use set at = at - interval '75 seconds'"); // a minute goes by, and what was reserved
    await pump();
  }
  assert.deepEqual(await sql("select max(attempt)::int as attempt, count(*)::int as n from mill.job_done where queue = 'refresh'"), [{ attempt: 1, n: 100 }]);
});

test("a brownout opens the breaker, its own probe closes it, and other queues go on", async () => {
  await honest();
  await clear();
  await sql(`update mill.settings set value = '1' where key = 'breaker.cooldown_seconds';
    update mill.queue set backoff_base_seconds = 0.05, backoff_cap_seconds = 0.1, max_attempts = 100 where queue = 'refresh'`);
  await sql("update mill.api_rate_limits set requests_per_minute = 100000 where provider_name = 'fmp'");
  await tell({ mode: "500" });
  await queue(1, 60);
  const state = async () => (await sql("select state from mill.breaker where target = 'processor:fmp'"))[0]?.state;
  await until(async () => { await pump(); return (await state()) === "open"; }, "the breaker opening");
  assert.deepEqual(await sql("select count(*)::int as dead from mill.job_dead"), [{ dead: 0 }], "before any job is dead");
  const user = await signIn(stack);
  const { json } = await user.submit({ kind: "echo", payload: { a: 1 } });
  assert.equal((await user.settled(json.id)).state, "completed");
  await honest();
  await until(async () => { await pump(); return (await state()) === "closed"; }, "the breaker closing");
  await until(async () => { await pump(); return (await sql("select from mill.job_done where queue = 'refresh'")).length === 60; }, "the backlog");
  const changes = (await sql("select state from mill.breaker_change where target = 'processor:fmp' order by id")).map((row) => row.state);
  assert.deepEqual(changes.slice(-3), ["open", "half_open", "closed"]);
});

test("a processor killed in the middle of its batch: every job settles once, within the lease", async () => {
  await honest();
  await clear();
  const lease = 10; // longer than a batch takes on a slow machine, or leases would be lost for that alone
  await sql("update mill.queue set lease_seconds = $1 where queue = 'refresh'", [lease]);
  await sql("delete from public.quotes");
  await tell({ mode: "slow", ms: 1500 });
  await queue(1, 30);
  await until(async () => (await calls()).count >= 10, "the first calls");
  await stack.parts.workerd.kill();
  await stack.restart("workerd");
  const killed = Date.now();
  await honest();
  await until(async () => { await pump(); return (await sql("select from mill.job_done where queue = 'refresh'")).length === 30; }, "every job");
  const took = (Date.now() - killed) / 1000;
  assert.ok(took < lease + 10, `${took} s after the kill`);
  assert.deepEqual(await sql("select count(*)::int as n, max(lease_losses)::int as lost from mill.job_done where queue = 'refresh'"), [{ n: 30, lost: 1 }]);
  assert.deepEqual(await sql("select count(*)::int as n from public.quotes"), [{ n: 30 }]);
  assert.deepEqual(await sql("select sum(calls)::int as calls from public.api_data_usage where created_at > now() - interval '2 minutes'"), [{ calls: 30 }], "usage is counted once");
  await sql("update mill.queue set lease_seconds = 60 where queue = 'refresh'");
});

test("5,000 due refreshes against a provider of 300 a minute", { skip: !isSoak && "GRISTMILL_SOAK=1: takes 17 minutes" }, async () => {
  await honest();
  await clear();
  await fetch(`${stack.providerUrl}/control/limit`, { method: "PUT", body: JSON.stringify({ calls: 300, seconds: 60 }) });
  const count = Number(process.env.GRISTMILL_REFRESHES ?? 5000);
  await sql("insert into public.supported_symbols (symbol) select 'S' || n from generate_series(201, $1::int) n", [count]);
  const begun = Date.now();
  await queue(1, count);
  await until(async () => (await sql("select from mill.job_done where queue = 'refresh'")).length === count, "all of them", 25 * 60_000);
  const minutes = (Date.now() - begun) / 60_000;
  const log = await calls();
  console.error(`${count} in ${minutes.toFixed(2)} minutes, at most ${log.most_in_60_s} in 60 s, ${log.refused} refused, the last ${((log.last_at - log.first_at) / 60_000).toFixed(2)} minutes after the first`);
  assert.ok(log.most_in_60_s <= 300 && log.refused === 0);
  // By the provider's own log. The first 300 may come at once, each further 300 a minute later: so long would it take
  // who used all of the limit.
  const used = (Math.ceil(count / 300) - 1) * 60_000 / (log.last_at - log.first_at);
  assert.ok(used >= 0.95, `${(used * 100).toFixed(1)}% of the limit was used`);
  assert.deepEqual(await sql("select max(attempt)::int as attempt from mill.job_done where queue = 'refresh'"), [{ attempt: 1 }]);
});
