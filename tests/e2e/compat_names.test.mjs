// The compatible calls, made by the real supabase-js through the gateway.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";

import { createClient } from "@supabase/supabase-js";
import ws from "ws";

import { startStack, until } from "../support.mjs";

const options = { auth: { persistSession: false }, realtime: { transport: ws } };
let stack, service;
before(async () => {
  stack = await startStack("compat", { parts: ["gateway"] });
  service = createClient(stack.url, stack.serviceKey, options);
});
after(() => stack?.destroy());

const call = async (name, args) => {
  const { data, error } = await service.rpc(name, args);
  assert.equal(error, null, `${name}: ${error?.message}`);
  return data;
};

test("a job goes from enqueue_job_v3 over claim_next_job_v3 to complete_job", async () => {
  const id = await call("enqueue_job_v3", { job_type: "report_generation", job_name: "monthly", job_payload: { month: 3 } });
  const [claimed, ...others] = await call("claim_next_job_v3", { worker_id: "worker-1", job_types: ["report_generation"] });
  assert.deepEqual(others, []);
  assert.deepEqual(claimed, { job_id: id, job_type: "report_generation", job_payload: { month: 3, estimated_tokens: 1000 }, retry_count: 0 });
  assert.equal(await call("update_job_heartbeat", { p_job_id: id, p_worker_id: "worker-1" }), true);
  assert.equal(await call("complete_job", { p_job_id: id, p_worker_id: "worker-2", p_job_result: {} }), false);
  assert.equal(await call("complete_job", { p_job_id: id, p_worker_id: "worker-1", p_job_result: { pages: 2 } }), true);
  assert.equal(await call("complete_job", { p_job_id: id, p_worker_id: "worker-1", p_job_result: { pages: 2 } }), false);
  const { data: row } = await service.from("job_queue").select("status, job_category, priority, job_result").eq("id", id).single();
  assert.deepEqual(row, { status: "completed", job_category: "standard", priority: 5, job_result: { pages: 2 } });
});

test("reschedule_job and fail_job bring a job back, one without and one with a retry counted", async () => {
  const id = await call("enqueue_job_v3", { job_type: "backup_operation", job_name: "nightly", job_payload: { a: 1 }, job_category: "nightly", priority: 9 });
  const claim = () => call("claim_next_job_v3", { worker_id: "worker-1", job_types: ["backup_operation"] });
  assert.equal((await claim())[0].retry_count, 0);
  assert.equal(await call("reschedule_job", { p_job_id: id, p_delay_seconds: 0, p_reason: "rate limited", p_add_jitter: false }), true);
  assert.equal((await claim())[0].retry_count, 0);
  assert.equal(await call("fail_job", { p_job_id: id, p_worker_id: "worker-1", p_error_message: "disk full" }), true);
  const { data: row } = await service.from("job_queue").select("error_details").eq("id", id).single();
  assert.equal(row.error_details.message, "disk full");
  // After its backoff, which is anything up to two seconds.
  const again = await until(async () => (await claim())[0], "the failed job coming back");
  assert.equal(again.job_id, id);
  assert.equal(again.retry_count, 1);
});

test("a job that waits packed is found, seen and claimed as any other", async () => {
  const ids = await call("enqueue_many", { p_kind: "echo", p_payloads: Array.from({ length: 60 }, (_, n) => ({ n })) });
  assert.equal((await call("get_job", { p_id: ids[7] })).state, "pending");
  const seen = () => service.from("job_queue").select("status, job_payload").eq("id", ids[7]).single();
  assert.deepEqual((await seen()).data, { status: "pending", job_payload: { n: 7 } });
  const [claimed] = await call("claim_next_job_v3", { worker_id: "worker-1", job_types: ["echo"] });
  assert.equal(claimed.job_id, ids[0]);
  assert.equal(await call("complete_job", { p_job_id: ids[0], p_worker_id: "worker-1", p_job_result: {} }), true);
  const { count } = await service.from("job_queue").select("*", { count: "exact", head: true }).eq("job_type", "echo").eq("status", "pending");
  assert.equal(count, 59);
});

test("an unknown type gets a clear error, and only the service may call", async () => {
  const { error } = await service.rpc("enqueue_job_v3", { job_type: "nope", job_name: "x", job_payload: { a: 1 } });
  assert.equal(error.code, "GM001");
  assert.equal(error.message, 'unknown job kind "nope"');
  const user = createClient(stack.url, stack.anonKey, options);
  for (const [name, args] of [
    ["enqueue_job_v3", { job_type: "backup_operation", job_name: "x", job_payload: { a: 1 } }],
    ["claim_next_job_v3", { worker_id: "w", job_types: ["backup_operation"] }],
    ["enqueue_many", { p_kind: "echo", p_payloads: [{ a: 1 }] }],
  ]) {
    assert.equal((await user.rpc(name, args)).error.code, "42501", name);
  }
  assert.equal((await user.from("job_queue").select()).error.code, "42501");
});

test("an owner and the service update and upsert a document, and each change is a version", async () => {
  const sub = randomUUID();
  const owner = createClient(stack.url, stack.anonKey, { ...options, accessToken: () => stack.token({ role: "authenticated", sub }) });
  const written = async (request) => {
    const { data, error } = await request.select("title, data, version, owner").single();
    assert.equal(error, null, error?.message);
    return data;
  };
  const { data: { id } } = await owner.from("documents").insert({ title: "Resume", data: { a: 1 } }).select("id").single();
  assert.deepEqual(await written(owner.from("documents").update({ title: "CV", data: { a: 2 } }).eq("id", id)), { title: "CV", data: { a: 2 }, version: 2, owner: sub });
  assert.deepEqual(await written(owner.from("documents").upsert({ id, title: "CV", data: { a: 3 } })), { title: "CV", data: { a: 3 }, version: 3, owner: sub });
  assert.equal((await written(service.from("documents").update({ title: "Letter" }).eq("id", id))).version, 4);
  assert.equal((await written(service.from("documents").upsert({ id, owner: sub, title: "Note", data: {} }))).version, 5);

  const stranger = createClient(stack.url, stack.anonKey, { ...options, accessToken: () => stack.token({ role: "authenticated", sub: randomUUID() }) });
  assert.deepEqual((await stranger.from("documents").update({ title: "mine" }).eq("id", id).select()).data, []);
  assert.equal((await stranger.from("documents").upsert({ id, title: "mine" })).error.code, "42501");
  assert.equal((await written(owner.from("documents").update({ data: { a: 4 } }).eq("id", id))).title, "Note");
});

test("K14: forty workers at once that call when acquire_api_capacity is truthy make as many calls as the limit admits", async () => {
  const { error } = await service.from("api_rate_limits").upsert({ provider_name: "openai", api_endpoint: "gpt-test", requests_per_minute: 7 });
  assert.equal(error, null, error?.message);
  const pair = { p_provider_name: "openai", p_api_endpoint: "gpt-test" };
  let calls = 0;
  await Promise.all(Array.from({ length: 40 }, async () => {
    if (await call("acquire_api_capacity", { ...pair, p_estimated_tokens: 10 })) calls += 1;
  }));
  assert.equal(calls, 7);
  const { data: row } = await service.from("api_rate_limits").select("rate_limit_violations, last_rate_limit_hit").match({ provider_name: "openai", api_endpoint: "gpt-test" }).single();
  assert.equal(row.rate_limit_violations, 33);
  assert.notEqual(row.last_rate_limit_hit, null);
  assert.equal(await call("release_api_capacity", { ...pair, p_actual_tokens: 12 }), null);
});
