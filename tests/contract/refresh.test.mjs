// Refresh, the second system: programs as its documents describe them, its functions, and Realtime.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, test } from "node:test";

import { createClient } from "@supabase/supabase-js";
import ws from "ws";

import { sleep, startStack, until } from "../support.mjs";
import { checkAnswer } from "./contract.mjs";
import { Api, killPrograms, start as startProgram } from "./refresh_programs.mjs";

// A table and a data type of the user's: neither row level security nor a function of ours.
const OWN_TYPE = `
  create table public.earnings_calendar (id uuid primary key default gen_random_uuid(), symbol text not null unique, eps numeric, fetched_at timestamptz not null);
  grant select on public.earnings_calendar to authenticated;
  grant select, insert, update, delete on public.earnings_calendar to service_role;
  create table public.private_notes (id int primary key, owner uuid not null, symbol text not null, body text, secret text);
  alter table public.private_notes enable row level security;
  create policy own on public.private_notes for select to authenticated using (owner = auth.uid());
  grant select (id, owner, symbol, body) on public.private_notes to authenticated;
  grant select on public.private_notes to service_role;
  alter publication supabase_realtime add table public.private_notes;
  insert into public.supported_symbols (symbol) values ('AAPL'), ('MSFT'), ('NVDA') on conflict do nothing;
  insert into public.supported_symbols (symbol) select 'S' || n from generate_series(1, 12) n;
  notify pgrst, 'reload schema'`;
const POSITIONAL = "insert into data_type_registry values ('earnings-calendar', 'earnings_calendar', 'fetched_at', 'is_data_stale', 60, 'fetch-fmp-earnings', 'on-demand', null, 0, 500, 'symbol')";

let stack, service, api;
before(async () => {
  stack = await startStack("contract-refresh", { parts: ["gateway", "relay", "provider", "workerd"], functions: ["processor", "health", "refresh"], realtime: true });
  service = createClient(stack.url, stack.serviceKey, { auth: { persistSession: false }, realtime: { transport: ws } });
  await sql(OWN_TYPE);
  await sql("update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds'");
  api = await Api.start();
  await until(async () => (await service.from("earnings_calendar").select()).error === null, "the gateway knowing the new table");
});
after(async () => {
  await service?.removeAllChannels();
  api?.server.close();
  await stack?.destroy();
});

const sql = async (text, values) => (await stack.postgres.query(text, values)).rows;
async function ok(request) {
  const { data, error } = await request;
  assert.equal(error, null, error?.message);
  return data;
}
const call = (name, args) => ok(service.rpc(name, args));

const start = (name, env) => startProgram(stack, name, { API_URL: api.url, ...env });
afterEach(killPrograms);

const queue = () => ok(service.from("api_call_queue").select("*").eq("data_type", "earnings-calendar").order("symbol"));
async function queueEarnings(count) {
  await sql("delete from mill.job where queue = 'refresh-external'; delete from public.earnings_calendar; delete from public.api_data_usage");
  for (let n = 1; n <= count; n++) await call("queue_refresh_if_not_exists", { p_symbol: `S${n}`, p_data_type: "earnings-calendar", p_priority: n, p_estimated_size: 100 });
}
async function allCompletedOnce(count) {
  const rows = await queue();
  assert.deepEqual(rows.map(({ status }) => status), Array(count).fill("completed"));
  const usage = await ok(service.from("api_data_usage").select("id, created_at, data_size_bytes, job_id"));
  assert.deepEqual(usage.map(({ job_id }) => job_id).sort(), rows.map(({ id }) => id).sort(), "each is counted once, with its job");
  assert.equal((await sql("select from public.earnings_calendar")).length, count);
}

test("K49: a type of the user's is registered by position, and our processor leaves it alone", async () => {
  await sql(`begin; set local role service_role; ${POSITIONAL}; commit`);
  const [warned] = await sql("select detail from mill.event where code = 'row_level_security_missing'");
  assert.equal(warned.detail.data_type, "earnings-calendar");
  await ok(service.from("data_type_registry").upsert({ data_type: "earnings-calendar", table_name: "earnings_calendar", timestamp_column: "fetched_at", staleness_function: "is_data_stale", default_ttl_minutes: 45, edge_function_name: "fetch-fmp-earnings" }));
  await queueEarnings(3);
  await call("invoke_processor_loop");
  await call("invoke_processor_if_healthy");
  await sleep(500);
  assert.deepEqual((await queue()).map(({ status }) => status), ["pending", "pending", "pending"]);
});

test("K45: a refresh processor takes batches and completes by id", async () => {
  await queueEarnings(7);
  const batch = await call("get_queue_batch", { batch_size: 2 });
  checkAnswer("queue batch", batch);
  assert.deepEqual(batch.map(({ symbol }) => symbol), ["S7", "S6"]);
  for (const { id } of batch) assert.equal(await call("reset_job_immediate", { p_job_id: id }), null);
  const processor = start("refresh-processor");
  assert.equal(await processor.ended, 0, processor.complaints);
  assert.deepEqual(processor.of("took").slice(0, 5), ["S7", "S6", "S5", "S4", "S3"], "highest priority first");
  assert.deepEqual(processor.of("answer"), Array(7).fill(null));
  await allCompletedOnce(7);
});

test("K46: a refresh that fails is tried again, three times at the most", async () => {
  await queueEarnings(1);
  api.broken.add("S1");
  await sql("update mill.queue set backoff_base_seconds = 0.01, backoff_cap_seconds = 0.02 where queue = 'refresh-external'");
  const before = api.calls.length;
  await until(async () => {
    await call("tick", {});
    for (const { id } of await call("get_queue_batch", {})) {
      await fetch(`${api.url}?symbol=S1`);
      await call("fail_queue_job", { p_job_id: id, p_error_message: "the API answered 500" });
    }
    return (await queue())[0].status === "failed";
  }, "the refresh failing for good", 20_000);
  const [row] = await queue();
  assert.equal(api.calls.length - before, 4);
  assert.equal(row.retry_count, 3);
  assert.equal(row.error_message, "the API answered 500");
  assert.notEqual(row.processed_at, null);
  api.broken.clear();
});

test("K46: a processor that has lost its lease in between changes nothing, and the other one's word counts", async () => {
  await queueEarnings(4);
  const release = api.hold("S4");
  const slow = start("refresh-processor", { BATCH_SIZE: "1" });
  await until(() => api.calls.at(-1) === "S4", "the slow processor fetching");
  await call("recover_stuck_jobs", { timeout_minutes: 0, max_retries: 3 });
  api.held.delete("S4"); // the next call is answered at once; the first one is still held
  const other = start("refresh-processor");
  await until(async () => (await queue()).every(({ status }) => status === "completed"), "the other processor completing all", 20_000);
  release();
  assert.equal(await slow.ended, 0, slow.complaints);
  assert.equal(await other.ended, 0, other.complaints);
  await allCompletedOnce(4);
});

test("K46: when a processor is killed in the middle, the next one finishes its work", async () => {
  await queueEarnings(6);
  const release = api.hold("S5");
  const first = start("refresh-processor", { BATCH_SIZE: "3" });
  await first.says("completed", 2);
  first.child.kill("SIGKILL");
  assert.equal(await first.ended, "SIGKILL");
  release();
  assert.equal((await queue()).find(({ symbol }) => symbol === "S5").status, "processing");
  const second = start("refresh-processor", { STUCK_MINUTES: "0" });
  assert.equal(await second.ended, 0, second.complaints);
  assert.ok(second.of("took").includes("S5"));
  await allCompletedOnce(6);
});

test("K50: of the queue and the usage anon and users see and change nothing", async () => {
  const [{ count }] = await sql("select count(*)::int as count from mill.job where queue like 'refresh%'");
  const user = createClient(stack.url, stack.anonKey, { accessToken: () => stack.token({ role: "authenticated", sub: randomUUID() }), realtime: { transport: ws } });
  const anon = createClient(stack.url, stack.anonKey, { auth: { persistSession: false }, realtime: { transport: ws } });
  for (const caller of [user, anon]) {
    for (const request of [
      caller.from("api_call_queue").select(), caller.from("api_call_queue").insert({ symbol: "S1", data_type: "earnings-calendar" }),
      caller.from("api_call_queue").update({ status: "completed" }).eq("symbol", "S1"), caller.from("api_call_queue").delete().eq("symbol", "S1"),
      caller.from("api_data_usage").select(), caller.from("data_type_registry").upsert({ data_type: "quote", table_name: "quotes", default_ttl_minutes: 1 }),
      caller.from("supported_symbols").insert({ symbol: "EVIL" }),
      caller.from("active_subscriptions_v2").insert({ user_id: randomUUID(), symbol: "S1", data_type: "quote" }),
      ...["get_queue_batch", "recover_stuck_jobs", "queue_scheduled_refreshes", "maintain_queue_partitions", "invoke_processor_if_healthy", "invoke_processor_loop",
        "is_quota_exceeded", "check_cron_job_health", "check_and_queue_stale_data_from_presence", "check_and_queue_stale_data_from_presence_v2"].map((name) => caller.rpc(name)),
    ]) {
      assert.equal((await request).error?.code, "42501");
    }
  }
  assert.deepEqual(await sql("select count(*)::int as count from mill.job where queue like 'refresh%'"), [{ count }]);
  assert.deepEqual(await sql("select from public.supported_symbols where symbol = 'EVIL'"), []);
});

test("K51: cron has the compatible entries, and process-queue-batch runs every minute", async () => {
  const entries = await sql("select jobname, schedule from cron.job where jobname = any ($1) order by jobname", [["check-stale-data", "scheduled-refreshes", "process-queue-batch", "maintain-queue-partitions"]]);
  assert.deepEqual(entries.map(({ jobname }) => jobname), ["check-stale-data", "maintain-queue-partitions", "process-queue-batch", "scheduled-refreshes"]);
  assert.equal(entries.find(({ jobname }) => jobname === "process-queue-batch").schedule, "* * * * *");
});

test("K51: health-check says healthy with each job, and names those that are stale", async () => {
  await sql("update mill.schedule set declared_at = now(); delete from mill.heartbeat where part in (select name from mill.schedule)");
  await sql("select mill.record_heartbeat('check-stale-data')");
  const healthy = await service.functions.invoke("health-check");
  assert.equal(healthy.error, null);
  checkAnswer("health-check healthy", healthy.data);
  assert.equal(healthy.data.status, "healthy");
  assert.ok(Math.abs(Date.parse(healthy.data.jobs.find(({ jobname }) => jobname === "check-stale-data").last_run) - Date.now()) < 60_000);
  await sql("update mill.heartbeat set at = now() - interval '1 hour' where part = 'check-stale-data'");
  const answer = await fetch(`${stack.url}/functions/v1/health-check`);
  assert.equal(answer.status, 503);
  const stale = await answer.json();
  checkAnswer("health-check stale", stale);
  assert.equal(stale.error, "Cron jobs are stale");
  assert.deepEqual(stale.stale_jobs.map(({ name }) => name), ["check-stale-data"]);
  await sql("select mill.record_heartbeat('check-stale-data')");
});

test("K51: refresh-analytics-from-presence-v2 counts watchers for the service and for nobody else", async () => {
  await sql("delete from public.active_subscriptions_v2; insert into public.active_subscriptions_v2 (user_id, symbol, data_type) values (gen_random_uuid(), 'AAPL', 'profile'), (gen_random_uuid(), 'AAPL', 'profile')");
  assert.deepEqual(await ok(service.functions.invoke("refresh-analytics-from-presence-v2")), { counted: 1 });
  assert.deepEqual(await ok(service.from("subscription_analytics").select("symbol, watchers")), [{ symbol: "AAPL", watchers: 2 }]);
  await sql("delete from public.active_subscriptions_v2");
  const token = await stack.token({ role: "authenticated", sub: randomUUID() });
  const refused = await fetch(`${stack.url}/functions/v1/refresh-analytics-from-presence-v2`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  assert.equal(refused.status, 403);
});

test("K51: each name of the processor serves a queue of its own", async () => {
  for (const [shard, type] of [["core", "quote"], ["financials", "earnings"], ["router", "profile"]]) {
    await sql(`insert into mill.queue (queue, served_by, function, provider, endpoint, lease_seconds, max_attempts) values ('refresh-${shard}', 'function', 'queue-processor-${shard}', 'fmp', 'stable', 60, 4)`);
    await sql("update public.data_type_registry set edge_function_name = $1 where data_type = $2", [`queue-processor-${shard}`, type]);
    await call("queue_refresh_if_not_exists", { p_symbol: "NVDA", p_data_type: type, p_priority: 5, p_estimated_size: 100 });
  }
  await until(async () => (await sql("select from mill.job_done where queue in ('refresh-core', 'refresh-financials', 'refresh-router')")).length === 3, "three shards completing", 30_000);
  await sql("update public.data_type_registry set edge_function_name = 'processor' where edge_function_name like 'queue-processor-%'");
});

const userOf = async (sub = randomUUID()) => ({ USER_ID: sub, ACCESS_TOKEN: await stack.token({ role: "authenticated", sub }) });

test("K52: a front end subscribes, sees the refreshed data by Realtime, and unsubscribes by deleting its row", async () => {
  const user = await userOf();
  const page = start("refresh-front-end", { ...user, SYMBOL: "AAPL", DATA_TYPE: "quote", TABLE: "quotes", HEARTBEAT_MS: "300" });
  await page.says("subscription");
  checkAnswer("subscription answer", page.of("subscription")[0]);
  assert.equal(page.of("status")[0], "SUBSCRIBED");
  // The whole way: queued by the subscription, fetched by our processor, written, seen.
  const [{ ...inserted }] = await page.says("change");
  checkAnswer("postgres_changes payload", inserted);
  assert.equal(inserted.eventType, "INSERT");
  assert.deepEqual([inserted.schema, inserted.table, inserted.new.symbol], ["public", "quotes", "AAPL"]);
  assert.equal(typeof inserted.new.price, "number");
  const seen = page.of("change").length;
  await sql("update public.quotes set price = 12.5 where symbol = 'AAPL'");
  await sql("insert into public.quotes select 'OTHER', name, price, change, change_percentage, volume, day_low, day_high, year_low, year_high, market_cap, price_avg_50, price_avg_200, exchange, open, previous_close, quoted_at, fetched_at from public.quotes where symbol = 'AAPL'");
  await sql("delete from public.quotes where symbol = 'AAPL'");
  const changes = (await page.says("change", seen + 2)).slice(seen);
  assert.deepEqual(changes.map(({ eventType }) => eventType), ["UPDATE", "DELETE"], "and nothing of another symbol");
  assert.equal(changes[0].new.price, 12.5);
  assert.deepEqual(changes[1].old, { symbol: "AAPL" });
  // Heartbeats move the row.
  await page.says("subscription", 3);
  const [row] = await ok(service.from("active_subscriptions_v2").select("*").eq("user_id", user.USER_ID));
  assert.ok(row.last_seen_at > row.subscribed_at);
  page.child.kill("SIGTERM");
  assert.equal(await page.ended, 0, page.complaints);
  assert.deepEqual(page.of("left"), [true]);
  assert.deepEqual(await ok(service.from("active_subscriptions_v2").select("*").eq("user_id", user.USER_ID)), []);
});

test("K52: when a page is killed in the middle, the next one of the same user goes on", async () => {
  const user = await userOf();
  const env = { ...user, SYMBOL: "MSFT", DATA_TYPE: "profile", TABLE: "company_profiles" };
  const first = start("refresh-front-end", env);
  await first.says("subscription");
  first.child.kill("SIGKILL");
  await first.ended;
  const second = start("refresh-front-end", env);
  assert.equal((await second.says("subscription"))[0].status, "seen");
  await until(async () => (await sql("update public.company_profiles set price = 77 where symbol = 'MSFT' returning symbol")).length === 1, "the profile being there");
  await until(() => second.of("change").some((one) => one.new.symbol === "MSFT" && one.new.price === 77), "the second page seeing the change");
  second.child.kill("SIGTERM");
  assert.equal(await second.ended, 0);
});

const watching = new Set();
afterEach(async () => {
  for (const client of watching) {
    await client.removeAllChannels();
    client.realtime.disconnect();
  }
  watching.clear();
});

/** A channel on private_notes under a token, with what it has got. */
async function watchNotes(key, token, filter, event = "*") {
  const client = createClient(stack.url, key, { ...(token && { accessToken: async () => token }), auth: token ? undefined : { persistSession: false }, realtime: { transport: ws, reconnectAfterMs: () => 200 } });
  await client.realtime.setAuth(token);
  const got = [];
  const channel = client.channel(`notes-${randomUUID()}`).on("postgres_changes", { event, schema: "public", table: "private_notes", ...(filter && { filter }) }, (payload) => got.push(payload));
  const statuses = [];
  channel.subscribe((status) => statuses.push(status));
  await until(() => statuses.length > 0, "the channel's status");
  watching.add(client);
  return { client, got, statuses };
}

test("K52: nobody gets a row that they may not select", async () => {
  const [ann, bob] = [randomUUID(), randomUUID()];
  const tokenOf = (sub) => stack.token({ role: "authenticated", sub });
  const watchers = {
    ann: await watchNotes(stack.anonKey, await tokenOf(ann)), bob: await watchNotes(stack.anonKey, await tokenOf(bob)), anon: await watchNotes(stack.anonKey),
    service: await watchNotes(stack.serviceKey), filtered: await watchNotes(stack.serviceKey, null, "id=gt.2"), inserts: await watchNotes(stack.serviceKey, null, "symbol=in.(A,B)", "INSERT"),
  };
  await sql("insert into public.private_notes values (1, $1, 'A', 'of ann', 'x'), (2, $2, 'B', 'of bob', 'y'), (3, $1, 'C', 'of ann', 'z')", [ann, bob]);
  await sql("update public.private_notes set body = 'changed' where id = 2");
  await sql("delete from public.private_notes where id = 1");
  await until(() => watchers.service.got.length === 5, "the service seeing all");
  await until(() => watchers.ann.got.length === 3, "ann seeing her own");
  await sleep(300);
  const ids = ({ got }) => got.map((one) => `${one.eventType} ${one.new.id ?? one.old.id}`);
  assert.deepEqual(ids(watchers.ann), ["INSERT 1", "INSERT 3", "DELETE 1"]);
  assert.deepEqual(ids(watchers.bob), ["INSERT 2", "UPDATE 2"]);
  assert.deepEqual(ids(watchers.anon), []);
  assert.deepEqual(ids(watchers.filtered), ["INSERT 3"]);
  assert.deepEqual(ids(watchers.inserts), ["INSERT 1", "INSERT 2"]);
  assert.equal("secret" in watchers.ann.got[0].new, false, "a column that may not be selected is left out");
  assert.equal(watchers.service.got[0].new.secret, "x");
  // A row that passes to another owner is seen by that owner alone.
  await sql("update public.private_notes set owner = $1 where id = 3", [bob]);
  await until(() => watchers.bob.got.length === 3, "bob getting the row");
  await sleep(200);
  assert.equal(watchers.ann.got.length, 3);
});

test("K52: what is not published, not understood or without a valid token is refused", async () => {
  const client = createClient(stack.url, stack.serviceKey, { auth: { persistSession: false }, realtime: { transport: ws } });
  const status = (filter) => new Promise((resolve) => client.channel(`x-${randomUUID()}`).on("postgres_changes", filter, () => {}).subscribe(resolve));
  assert.equal(await status({ event: "*", schema: "mill", table: "job_live" }), "CHANNEL_ERROR");
  assert.equal(await status({ event: "*", schema: "public", table: "active_subscriptions_v2" }), "CHANNEL_ERROR");
  assert.equal(await status({ event: "*", schema: "public", table: "quotes", filter: "symbol=matches.A" }), "CHANNEL_ERROR");
  assert.equal(await status({ event: "*", schema: "public", table: "quotes" }), "SUBSCRIBED");
  await client.removeAllChannels();
  client.realtime.disconnect();
  const opens = (query) => new Promise((resolve) => {
    const socket = new ws(`${stack.url.replace("http", "ws")}/realtime/v1/websocket${query}`);
    socket.once("open", () => { socket.close(); resolve(101); });
    socket.once("unexpected-response", (_, answer) => resolve(answer.statusCode));
    socket.once("error", () => {});
  });
  assert.equal(await opens(""), 401);
  assert.equal(await opens("?apikey=nonsense"), 401);
  assert.equal(await opens(`?apikey=${stack.anonKey}`), 101);
  assert.equal((await fetch(`${stack.url}/realtime/v1/websocket?apikey=${stack.anonKey}`)).status, 426);
  assert.equal((await fetch(`${stack.url}/realtime/v1/nothing`)).status, 404);
});

test("K52: a token that has expired gets nothing more", async () => {
  const sub = randomUUID();
  const token = await stack.token({ role: "authenticated", sub, expiresIn: Math.floor(Date.now() / 1000) - 28 }); // 30 s of leeway
  const watcher = await watchNotes(stack.anonKey, token);
  assert.equal(watcher.statuses[0], "SUBSCRIBED");
  await sleep(3200);
  await sql("insert into public.private_notes values (50, $1, 'A', 'late', 'x')", [sub]);
  await until(() => watcher.statuses.includes("CLOSED"), "the channel closing");
  assert.deepEqual(watcher.got, []);
});

test("K52: a client that does not read is cut off, and the others go on", async () => {
  const sub = randomUUID();
  const watcher = await watchNotes(stack.serviceKey);
  const socket = new ws(`${stack.url.replace("http", "ws")}/realtime/v1/websocket?vsn=1.0.0&apikey=${stack.serviceKey}`);
  await new Promise((resolve) => socket.once("open", resolve));
  socket.send(JSON.stringify({ topic: "realtime:slow", event: "phx_join", ref: "1", payload: { config: { postgres_changes: [{ event: "*", schema: "public", table: "private_notes" }] } } }));
  await new Promise((resolve) => socket.once("message", resolve));
  socket.pause();
  let closed = false;
  socket.once("close", () => { closed = true; });
  for (let n = 0; n < 40; n++) await sql("insert into public.private_notes select 1000 + $1 * 100 + n, $2, 'A', repeat('x', 20000), null from generate_series(1, 60) n", [n, sub]);
  await until(() => watcher.got.length === 2400, "the other client getting all", 30_000);
  socket.resume();
  await until(() => closed, "the slow client being cut off", 20_000);
});

test("K52: the websocket survives a restart of Postgres, and a change made meanwhile is not lost", async () => {
  const watcher = await watchNotes(stack.serviceKey);
  await sql("insert into public.private_notes values (60, gen_random_uuid(), 'A', 'before', 'x')");
  await until(() => watcher.got.length === 1, "the change before");
  await stack.parts.postgres.stop();
  await stack.restart("postgres");
  await until(() => sql("insert into public.private_notes values (61, gen_random_uuid(), 'A', 'after', 'x') on conflict do nothing returning id").catch(() => null), "Postgres answering");
  await until(() => watcher.got.some((one) => one.new.id === 61), "the change after", 20_000);
  assert.deepEqual(watcher.got.map((one) => one.new.id), [60, 61], "each once");
});
