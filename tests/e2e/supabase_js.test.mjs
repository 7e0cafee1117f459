// A supabase-js client needs only the stack's address and a key.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";

import { createClient } from "@supabase/supabase-js";
import ws from "ws";

import { startStack, until } from "../support.mjs";

const options = { auth: { persistSession: false }, realtime: { transport: ws } };
let stack, service;
before(async () => {
  stack = await startStack("supabase");
  service = createClient(stack.url, stack.serviceKey, options);
});
after(() => stack?.destroy());

test("rpc() submits a job and sees it settled", async () => {
  const { data, error } = await service.rpc("submit_job", { p_kind: "echo", p_payload: { a: 1 }, p_owner: randomUUID() });
  assert.equal(error, null);
  const job = await until(async () => {
    const { data: job } = await service.rpc("get_job", { p_id: data.id });
    return job.state === "completed" && job;
  }, "the job");
  assert.deepEqual(job.result, { echo: { a: 1 } });
});

test("functions.invoke() reaches a function with the user's token", async () => {
  const token = await stack.token({ role: "authenticated", sub: randomUUID() });
  const client = createClient(stack.url, stack.anonKey, { ...options, global: { headers: { Authorization: `Bearer ${token}` } } });
  const { data, error } = await client.functions.invoke("enqueue", { body: { kind: "echo", payload: { a: 1 } } });
  assert.equal(error, null);
  assert.equal(data.status, "new");
});

test("an error carries its SQLSTATE to the caller", async () => {
  const { error } = await service.rpc("submit_job", { p_kind: "nope", p_payload: { a: 1 } });
  assert.equal(error.code, "GM001");
  assert.equal(error.message, 'unknown job kind "nope"');
});

test("the anonymous key may neither submit nor claim", async () => {
  const anon = createClient(stack.url, stack.anonKey, options);
  for (const [name, args] of [["submit_job", { p_kind: "echo", p_payload: { a: 1 } }], ["claim_jobs", { p_worker: "w", p_queues: ["default"], p_max: 1 }]]) {
    const { error } = await anon.rpc(name, args);
    assert.equal(error.code, "42501", name);
  }
});
