// The job queue of the first system: programs as its documents describe them, and their statements in SQL as the role.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import http from "node:http";
import { after, afterEach, before, test } from "node:test";

import { createClient } from "@supabase/supabase-js";
import ws from "ws";

import { startStack, until } from "../support.mjs";
import { checkAnswer } from "./contract.mjs";
import { programFile } from "./program_file.mjs";

const options = { auth: { persistSession: false }, realtime: { transport: ws } };
const LIMIT = { provider_name: "openai", api_endpoint: "gpt-4o-mini" };
const CAPACITY = { p_provider_name: "openai", p_api_endpoint: "gpt-4o-mini" };
const TOKENS = 812;

let stack, service, profile, model;
before(async () => {
  stack = await startStack("contract-jobs", { parts: ["gateway"] });
  service = createClient(stack.url, stack.serviceKey, options);
  model = await Model.start();
  profile = await makeProfile("Ann");
});
after(async () => {
  model?.server.close();
  await stack?.destroy();
});

async function ok(request) {
  const { data, error } = await request;
  assert.equal(error, null, error?.message);
  return data;
}
const call = (name, args) => ok(service.rpc(name, args));
const makeProfile = async (display_name) => (await ok(service.from("user_profiles").insert({ user_id: randomUUID(), display_name }).select("id").single())).id;
const row = (id) => ok(service.from("job_queue").select("*").eq("id", id).single());
const sql = async (text, values) => (await stack.postgres.query(text, values)).rows;

/** The AI provider: counts calls, may hold one or refuse one. */
class Model {
  static async start() {
    const model = new Model();
    model.reset();
    model.server = http.createServer(async (request, response) => {
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
      model.calls.push(body);
      model.most = Math.max(model.most, ++model.running);
      response.once("close", () => { model.running -= 1; });
      if (model.held.has(body.prompt)) return; // whoever is killed never gets the answer
      await new Promise((resolve) => setTimeout(resolve, 30));
      const refused = model.refused.delete(body.prompt);
      response.writeHead(refused ? 429 : 200).end(JSON.stringify({ usage: { total_tokens: TOKENS } }));
    });
    await new Promise((resolve) => model.server.listen(0, "127.0.0.1", resolve));
    model.url = `http://127.0.0.1:${model.server.address().port}/`;
    return model;
  }

  reset() {
    Object.assign(this, { calls: [], running: 0, most: 0, held: new Set(), refused: new Set() });
  }

  of(prompt) {
    return this.calls.filter((one) => one.prompt === prompt);
  }
}

const programs = new Set();
/** Starts a program of programs/, which knows of nothing but its environment. */
function start(name, env) {
  const child = spawn(process.execPath, [programFile(name)], {
    env: { PATH: process.env.PATH, SUPABASE_URL: stack.url, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey, AI_URL: model.url, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const program = { child, said: [], complaints: "" };
  let rest = "";
  child.stdout.on("data", (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop();
    program.said.push(...lines.map((line) => JSON.parse(line)));
  });
  child.stderr.on("data", (data) => { program.complaints += data; });
  program.ended = new Promise((resolve) => { child.once("exit", (code, signal) => { programs.delete(program); resolve({ code, signal }); }); });
  programs.add(program);
  return program;
}
async function stop(...list) {
  for (const { child } of list) child.kill("SIGTERM");
  for (const program of list) assert.deepEqual(await program.ended, { code: 0, signal: null }, program.complaints);
}
afterEach(async () => {
  for (const { child } of programs) child.kill("SIGKILL");
  await Promise.all([...programs].map(({ ended }) => ended));
  model.reset();
});

const configure = (values) => ok(service.from("system_configuration").upsert(
  Object.entries(values).map(([config_key, config_value]) => ({ config_key, config_value, config_type: "system" })), { onConflict: "config_key" }));
const DEFAULTS = { "worker.timeout_seconds": "300", "worker.heartbeat_interval_seconds": "30", "worker.reclaim_jitter_max_seconds": "60" };
// A worker that is killed shall be missed after two seconds instead of 330.
const SHORT = { "worker.timeout_seconds": "1", "worker.heartbeat_interval_seconds": "1", "worker.reclaim_jitter_max_seconds": "1" };

const enqueue = (type, prompts, owner = profile) => Promise.all(prompts.map((prompt) => call("enqueue_job_v3",
  { job_type: type, job_name: prompt, job_payload: { prompt, profile_id: owner, estimated_tokens: 500 } })));
const completed = (ids) => until(async () => {
  await call("tick");
  const rows = await ok(service.from("job_queue").select("status").in("id", ids));
  return rows.length === ids.length && rows.every(({ status }) => status === "completed");
}, "the jobs being completed", 30_000);

test("K10 K11 K12 K14 K14a: two queue workers with heartbeats and capacity do each job once, and no more calls at once than the limit admits", async () => {
  await ok(service.from("api_rate_limits").upsert({ ...LIMIT, concurrent_requests: 2, requests_per_minute: 1000, tokens_per_minute: 1_000_000 }, { onConflict: "provider_name,api_endpoint" }));
  const prompts = Array.from({ length: 12 }, (_, n) => `page ${n}`);
  const ids = await enqueue("report_generation", prompts);
  const workers = ["one", "two"].map((WORKER_ID) => start("queue-worker", { WORKER_ID, JOB_TYPES: "report_generation,backup_operation", BACKPRESSURE_SECONDS: "1" }));
  await completed(ids);
  await stop(...workers);
  assert.deepEqual(prompts.map((prompt) => model.of(prompt).length), prompts.map(() => 1));
  assert.ok(model.most <= 2, `${model.most} calls at once`);
  for (const id of ids) {
    const { job_result, worker_id, completed_at, retry_count } = await row(id);
    assert.deepEqual(job_result, { tokens: TOKENS, retry_count: 0 });
    assert.ok(["one", "two"].includes(worker_id));
    assert.notEqual(completed_at, null);
    assert.equal(retry_count, 0);
  }
  const limit = await ok(service.from("api_rate_limits").select("*").match(LIMIT).single());
  assert.deepEqual([limit.current_requests_minute, limit.current_tokens_minute, limit.active_requests], [12, 12 * TOKENS, 0]);
  assert.equal(limit.rate_limit_violations > 0, limit.last_rate_limit_hit !== null);
  const audited = await sql("select action, count(*)::int from mill.audit_log where table_name = 'job_queue' and job_id = any ($1) group by 1 order by 1", [ids]);
  assert.deepEqual(audited, [{ action: "complete", count: 12 }, { action: "enqueue", count: 12 }]);
});

test("K34: a queue worker tracks the tokens of each job once", async () => {
  const own = await makeProfile("Bob");
  const ids = await enqueue("system_maintenance", ["usage 1", "usage 2"], own);
  const worker = start("queue-worker", { WORKER_ID: "counting", JOB_TYPES: "system_maintenance", WORKER_CONCURRENCY: "1" });
  await completed(ids);
  await stop(worker);
  const usage = worker.said.filter(({ event }) => event === "usage");
  assert.deepEqual(usage.map(({ ai_tokens_used, ai_processing_jobs }) => [ai_tokens_used, ai_processing_jobs]), [[TOKENS, 1], [2 * TOKENS, 2]], JSON.stringify(worker.said));
  const again = await call("track_ai_processing_usage", { p_profile_id: own, p_job_id: ids[0], p_tokens_used: TOKENS });
  assert.equal(again.ai_tokens_used, 2 * TOKENS);
});

test("K13 K14 K17: a worker that is refused capacity reschedules its job, which is done when there is room", async () => {
  await ok(service.from("api_rate_limits").upsert({ ...LIMIT, concurrent_requests: 1 }, { onConflict: "provider_name,api_endpoint" }));
  const before = await ok(service.from("api_rate_limits").select("rate_limit_violations").match(LIMIT).single());
  assert.equal(await call("acquire_api_capacity", CAPACITY), true);
  const [id] = await enqueue("backup_operation", ["refused"]);
  const worker = start("queue-worker", { WORKER_ID: "patient", JOB_TYPES: "backup_operation", BACKPRESSURE_SECONDS: "1" });
  await until(() => worker.said.some(({ event }) => event === "rescheduled"), "the worker rescheduling");
  const { status, error_details: details, retry_count } = await row(id);
  assert.ok(["deferred", "pending", "processing"].includes(status), status);
  checkAnswer("error_details of a reschedule", details);
  assert.equal(details.reschedule_reason, "rate_limited");
  assert.equal(details.reschedule_delay_seconds, 1);
  assert.ok(details.jitter_seconds >= 0 && details.jitter_seconds <= 0.5);
  assert.equal(retry_count, 0);
  assert.equal(model.of("refused").length, 0);
  assert.equal(await call("release_api_capacity", { ...CAPACITY, p_actual_tokens: 1 }), null);
  await completed([id]);
  await stop(worker);
  assert.equal(model.of("refused").length, 1);
  const limit = await ok(service.from("api_rate_limits").select("rate_limit_violations, last_rate_limit_hit").match(LIMIT).single());
  assert.ok(limit.rate_limit_violations > before.rate_limit_violations);
  assert.ok(Date.now() - Date.parse(limit.last_rate_limit_hit) < 60_000);
});

/** A worker is killed while the provider works for it; a second one finishes the job. */
async function killed(program, type, prompt) {
  await ok(service.from("api_rate_limits").upsert({ ...LIMIT, concurrent_requests: 5 }, { onConflict: "provider_name,api_endpoint" }));
  await configure(SHORT);
  model.held.add(prompt);
  const [id] = await enqueue(type, [prompt]);
  const first = start(program, { WORKER_ID: `${program}-1`, JOB_TYPES: type, HEARTBEAT_INTERVAL_SECONDS: "1" });
  await until(() => model.of(prompt).length === 1, "the first worker calling the provider");
  const { heartbeat_at, lease_expires_at, started_at } = await row(id);
  assert.equal(Date.parse(lease_expires_at) - Date.parse(heartbeat_at), 1000, "the lease ends worker.timeout_seconds after heartbeat_at");
  assert.ok(Date.parse(heartbeat_at) - Date.parse(started_at) >= 1000, "heartbeat_at is the interval ahead");
  first.child.kill("SIGKILL");
  assert.equal((await first.ended).signal, "SIGKILL");
  model.held.delete(prompt);
  // Its delay is at most a second, so it may be due again before anybody has looked.
  await until(async () => { await call("tick"); return ["retrying", "pending"].includes((await row(id)).status); }, "the first worker being missed", 20_000);
  checkAnswer("error_details of a lost worker", (await row(id)).error_details);
  await configure(DEFAULTS);
  const second = start(program, { WORKER_ID: `${program}-2`, JOB_TYPES: type });
  await completed([id]);
  await stop(second);
  const { worker_id, retry_count, error_details: details, heartbeat_at: after } = await row(id);
  assert.deepEqual([worker_id, retry_count, after], [`${program}-2`, 1, null]);
  assert.deepEqual([details.error_type, details.original_worker], ["worker_timeout", `${program}-1`]);
  assert.ok(details.reclaim_jitter_seconds >= 0 && details.reclaim_jitter_seconds <= 1);
  assert.equal(model.of(prompt).length, 2);
  assert.equal(await call("complete_job", { p_job_id: id, p_worker_id: `${program}-1`, p_job_result: {} }), false, "the lost worker completes nothing");
  assert.equal(await call("update_job_heartbeat", { p_job_id: id, p_worker_id: `${program}-1` }), false);
}

test("K15 K17: a queue worker that is killed in the middle is missed after its timeout, and a second one does the job",
  () => killed("queue-worker", "system_maintenance", "killed"));
test("K15 K17: an older worker that is killed in the middle is missed after its timeout, and a second one does the job",
  () => killed("old-queue-worker", "consent_verification", "killed, old"));

test("K4 K17: an older worker puts a job off by updating its row, and the job is done later", async () => {
  model.refused.add("busy");
  const [busy, plain] = await enqueue("notification_delivery", ["busy", "plain"]);
  const worker = start("old-queue-worker", { WORKER_ID: "old", BACKPRESSURE_SECONDS: "1" });
  const { rows } = await until(() => worker.said.find(({ event }) => event === "rescheduled"), "the older worker updating the row");
  assert.equal(rows.length, 1);
  assert.deepEqual([rows[0].id, rows[0].worker_id], [busy, null]);
  checkAnswer("error_details of a reschedule", rows[0].error_details);
  await completed([busy, plain]);
  await stop(worker);
  assert.deepEqual([model.of("busy").length, model.of("plain").length], [2, 1]);
  const { worker_id, retry_count } = await row(busy);
  assert.deepEqual([worker_id, retry_count], ["old", 0]);
});

test("K4 K17: through supabase-js an update of job_queue changes one row under a compat lease, none otherwise, and is refused with other values", async () => {
  const back = { status: "pending", scheduled_at: new Date(Date.now() + 60_000).toISOString(), worker_id: null, started_at: null, heartbeat_at: null };
  const [id] = await enqueue("audit_cleanup", ["update"]);
  const update = (values) => service.from("job_queue").update(values).eq("id", id).select("id, status");
  assert.deepEqual(await ok(update(back)), []);
  const claimed = await call("claim_next_job_v3", { worker_id: "w", job_types: ["audit_cleanup"] });
  checkAnswer("claim_next_job_v3", claimed);
  assert.equal(claimed[0].job_id, id);
  const held = await row(id);
  for (const values of [{ status: "completed" }, { ...back, worker_id: "other" }, { ...back, retry_count: 0, job_payload: { a: 1 } }, { heartbeat_at: back.scheduled_at }]) {
    assert.equal((await update(values)).error?.code, "GM008", JSON.stringify(values));
  }
  assert.deepEqual(await row(id), held);
  assert.deepEqual(await ok(update(back)), [{ id, status: "deferred" }]);
  assert.deepEqual(await ok(update(back)), []);
});

test("K19: supabase-js upserts, reads, updates and deletes limits under the compatible columns", async () => {
  const pair = { provider_name: "acme", api_endpoint: "chat" };
  const limits = () => service.from("api_rate_limits");
  const first = await ok(limits().upsert(pair, { onConflict: "provider_name,api_endpoint" }).select("*").single());
  assert.deepEqual(
    [first.requests_per_minute, first.concurrent_requests, first.backpressure_threshold, first.backpressure_delay_seconds, first.queue_depth_limit, first.status, first.current_requests_minute],
    [60, 10, 0.8, 5, 1000, "active", 0]);
  const second = await ok(limits().upsert({ ...pair, requests_per_minute: 2 }, { onConflict: "provider_name,api_endpoint" }).select("*").single());
  assert.deepEqual([second.id, second.requests_per_minute, second.concurrent_requests], [first.id, 2, 10]);
  assert.ok(Date.parse(second.updated_at) > Date.parse(first.updated_at));
  assert.equal((await ok(limits().update({ requests_per_minute: 3 }).eq("id", first.id).select("requests_per_minute").single())).requests_per_minute, 3);
  await ok(limits().delete().eq("id", first.id));
  assert.deepEqual(await ok(limits().select("id").match(pair)), []);
});

test("K15: supabase-js upserts settings of every compatible type, and reads them back", async () => {
  await configure(DEFAULTS);
  const settings = () => service.from("system_configuration");
  await ok(settings().upsert({ config_key: "features.contract", config_value: "true", config_type: "boolean", description: "a flag", is_sensitive: true }, { onConflict: "config_key" }));
  const { updated_at, ...setting } = await ok(settings().select("*").eq("config_key", "features.contract").single());
  assert.deepEqual(setting, { config_key: "features.contract", config_value: "true", config_type: "boolean", description: "a flag", is_sensitive: true });
  assert.ok(Date.now() - Date.parse(updated_at) < 60_000);
  assert.equal((await settings().upsert({ config_key: "features.contract", config_value: "1", config_type: "colour" })).error.code, "23514");
});

// What PostgREST makes of the calls above, without our gateway.
const UPDATE = `with pgrst_source as (
  update "public"."job_queue" set "heartbeat_at" = "pgrst_body"."heartbeat_at", "scheduled_at" = "pgrst_body"."scheduled_at", "started_at" = "pgrst_body"."started_at",
    "status" = "pgrst_body"."status", "worker_id" = "pgrst_body"."worker_id"
  from (select $1::json as json_data) pgrst_payload, lateral (select "heartbeat_at", "scheduled_at", "started_at", "status", "worker_id"
    from json_to_record(pgrst_payload.json_data) as _("heartbeat_at" timestamptz, "scheduled_at" timestamptz, "started_at" timestamptz, "status" text, "worker_id" text)) pgrst_body
  where "public"."job_queue"."id" = $2 returning "public"."job_queue"."id", "public"."job_queue"."status")
  select coalesce(json_agg(_postgrest_t), '[]') as body from (select * from pgrst_source) _postgrest_t`;
const UPSERT = `with pgrst_source as (
  insert into "public"."api_rate_limits" ("api_endpoint", "provider_name", "requests_per_minute")
  select "pgrst_body"."api_endpoint", "pgrst_body"."provider_name", "pgrst_body"."requests_per_minute"
  from (select $1::json as json_data) pgrst_payload, lateral (select "api_endpoint", "provider_name", "requests_per_minute"
    from json_to_recordset(pgrst_payload.json_data) as _("api_endpoint" text, "provider_name" text, "requests_per_minute" integer)) pgrst_body
  on conflict ("provider_name", "api_endpoint") do update set "api_endpoint" = excluded."api_endpoint", "provider_name" = excluded."provider_name",
    "requests_per_minute" = excluded."requests_per_minute" returning "public"."api_rate_limits".*)
  select coalesce(json_agg(_postgrest_t), '[]') as body from (select * from pgrst_source) _postgrest_t`;
const RPC = (name, args) => `select pgrst_call.pgrst_scalar from (select "public"."${name}"(${Object.entries(args).map(([key, value]) => `"${key}" := ${value}`).join(", ")}) as pgrst_scalar) pgrst_call`;

test("K2: the statements that PostgREST sends for the job queue work without our gateway, as service_role", async () => {
  await sql("begin");
  try {
    await sql("set local role service_role");
    const scalar = async (name, args) => (await sql(RPC(name, args)))[0].pgrst_scalar;
    const id = await scalar("enqueue_job_v3", { job_type: "'audit_cleanup'", job_name: "'in psql'", job_payload: "'{\"a\": 1}'", priority: 50 });
    const claimed = await sql(`select * from "public"."claim_next_job_v3"("worker_id" := 'psql', "job_types" := '{audit_cleanup}') pgrst_call`);
    assert.deepEqual(claimed, [{ job_id: id, job_type: "audit_cleanup", job_payload: { a: 1, estimated_tokens: 1000 }, retry_count: 0 }]);
    assert.equal(await scalar("update_job_heartbeat", { p_job_id: `'${id}'`, p_worker_id: "'psql'", heartbeat_interval_seconds: 15 }), true);
    const back = JSON.stringify({ status: "pending", scheduled_at: new Date().toISOString(), worker_id: null, started_at: null, heartbeat_at: null });
    const [{ body }] = await sql(UPDATE, [back, id]);
    assert.deepEqual(body.map((one) => one.id), [id]);
    assert.equal((await sql(UPDATE, [back, id]))[0].body.length, 0);
    await sql("select public.tick()");
    assert.equal((await sql(`select * from "public"."claim_next_job_v3"("worker_id" := 'psql', "job_types" := '{audit_cleanup}') pgrst_call`))[0].job_id, id);
    assert.equal(await scalar("reschedule_job", { p_job_id: `'${id}'`, p_delay_seconds: 0, p_reason: "'again'", p_add_jitter: false }), true);
    await sql("select public.tick()");
    assert.equal((await sql(`select * from "public"."claim_next_job_v3"("worker_id" := 'psql') pgrst_call`)).length, 1, "any type");
    const [limit] = (await sql(UPSERT, [JSON.stringify([{ ...LIMIT, requests_per_minute: 900 }])]))[0].body;
    assert.deepEqual([limit.requests_per_minute, limit.backpressure_threshold], [900, 0.8]);
    assert.equal(await scalar("acquire_api_capacity", { p_provider_name: "'openai'", p_api_endpoint: "'gpt-4o-mini'" }), true);
    await scalar("release_api_capacity", { p_provider_name: "'openai'", p_api_endpoint: "'gpt-4o-mini'", p_actual_tokens: 3 });
    assert.equal(await scalar("complete_job", { p_job_id: `'${id}'`, p_worker_id: "'psql'" }), true);
    const [job] = await sql(`select "public"."job_queue"."status", "public"."job_queue"."job_result" from "public"."job_queue" where "public"."job_queue"."id" = $1`, [id]);
    assert.deepEqual(job, { status: "completed", job_result: null });
  } finally {
    await sql("rollback");
  }
});

test("K10 K11 K12 K13 K14 K14a K15 K17 K19: anon and a signed-in user call and write nothing of the job queue", async () => {
  const [id] = await enqueue("fast_queue_spatial", ["closed"]);
  assert.equal((await call("claim_next_job_v3", { worker_id: "holder", job_types: ["fast_queue_spatial"] }))[0].job_id, id);
  const state = async () => [await row(id), await sql("select * from mill.api_rate_limits order by id"), await sql("select * from mill.settings order by key"), (await sql("select count(*)::int as jobs from mill.job"))];
  const before = await state();
  const users = [createClient(stack.url, stack.anonKey, options), createClient(stack.url, stack.anonKey, { ...options, accessToken: () => stack.token({ role: "authenticated", sub: randomUUID() }) })];
  for (const user of users) {
    const tries = {
      enqueue_job_v3: user.rpc("enqueue_job_v3", { job_type: "report_generation", job_name: "x", job_payload: { a: 1 } }),
      claim_next_job_v3: user.rpc("claim_next_job_v3", { worker_id: "thief" }),
      update_job_heartbeat: user.rpc("update_job_heartbeat", { p_job_id: id, p_worker_id: "holder" }),
      complete_job: user.rpc("complete_job", { p_job_id: id, p_worker_id: "holder" }),
      reschedule_job: user.rpc("reschedule_job", { p_job_id: id, p_delay_seconds: 0, p_reason: "x" }),
      acquire_api_capacity: user.rpc("acquire_api_capacity", CAPACITY),
      release_api_capacity: user.rpc("release_api_capacity", CAPACITY),
      "select of job_queue": user.from("job_queue").select("id"),
      "update of job_queue": user.from("job_queue").update({ status: "pending", scheduled_at: new Date().toISOString(), worker_id: null, started_at: null, heartbeat_at: null }).eq("id", id),
      "upsert of api_rate_limits": user.from("api_rate_limits").upsert({ ...LIMIT, requests_per_minute: 1 }, { onConflict: "provider_name,api_endpoint" }),
      "upsert of system_configuration": user.from("system_configuration").upsert({ config_key: "worker.timeout_seconds", config_value: "1" }, { onConflict: "config_key" }),
    };
    for (const [name, request] of Object.entries(tries)) assert.equal((await request).error?.code, "42501", name);
  }
  assert.deepEqual(await state(), before);
  assert.equal(await call("complete_job", { p_job_id: id, p_worker_id: "holder" }), true);
});
