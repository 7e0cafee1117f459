// The functions under their compatible names, external queues and maintenance: tests that routes.test.mjs runs on its stack.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, test } from "node:test";

import { createClient } from "@supabase/supabase-js";
import ws from "ws";

import { readFunctions } from "../../sdk/local/stack/wrangler.mjs";
import { signIn, until } from "../support.mjs";
import { checkAnswer } from "./contract.mjs";

const options = { auth: { persistSession: false }, realtime: { transport: ws } };
const names = readFunctions().functions.map(({ name }) => name);

/** The functions under every name, as this runtime serves them. `start` gives the stack, once the runtime serves there. */
export function checkNames(runtime, start) {
  describe(`functions in ${runtime}`, () => {
    let stack, service;
    before(async () => {
      stack = await start();
      service = createClient(stack.url, stack.serviceKey, options);
    });

    test(`K22: ${runtime}: every function, under every name, answers GET /health without a token`, async () => {
      for (const known of ["shell-file-processor-v3", "audit-logger-v3", "health-check", "queue-processor", "queue-processor-core",
        "queue-processor-financials", "queue-processor-router", "cleanup-exports"]) assert.ok(names.includes(known), known);
      for (const { name, of } of readFunctions().functions) {
        const answer = await fetch(`${stack.url}/functions/v1/${name}/health`);
        const body = await answer.json();
        assert.notEqual(answer.status, 404, name);
        if (of === "health") {
          assert.ok(Array.isArray(body.checks), `${name} says how the whole system is`);
          continue;
        }
        assert.equal(answer.status, 200, `${name}: ${JSON.stringify(body)}`);
        checkAnswer("GET /health", body);
        assert.equal(body.status, "ok");
        // A shard answers by the name that it is a shard of.
        assert.equal(body.function, name.replace(/^(queue-processor)-.*/, "$1"));
      }
    });

    test(`K22: ${runtime}: functions.invoke of NAME/health by supabase-js answers, and a HEAD and an unknown name do as they should`, async () => {
      const { data, error } = await service.functions.invoke("audit-logger-v3/health", { method: "GET" });
      assert.equal(error, null, error?.message);
      assert.deepEqual([data.status, data.function], ["ok", "audit-logger-v3"]);
      assert.equal((await fetch(`${stack.url}/functions/v1/shell-file-processor-v3/health`, { method: "HEAD" })).status, 200);
      assert.equal((await fetch(`${stack.url}/functions/v1/shell-file-processor-v3/health`, { method: "POST" })).status, 405);
      for (const name of ["audit-logger-v2", "audit-logger-v3x", "queue-processo"]) assert.equal((await fetch(`${stack.url}/functions/v1/${name}/health`)).status, 404, name);
    });

    test(`K22: ${runtime}: functions.invoke("audit-logger-v3") appends to the audit log at its root, for the service alone`, async () => {
      const patient = randomUUID();
      const event = { table_name: "visits", record_id: "7", action: "update", old_values: { a: 1 }, new_values: { a: 2 }, reason: "corrected", source: "clinic", patient_id: patient };
      const { data, error } = await service.functions.invoke("audit-logger-v3", { body: event });
      assert.equal(error, null, error?.message);
      checkAnswer("audit-logger-v3", data);
      const { rows: [row] } = await stack.postgres.query("select table_name, record_id, action, new_values, reason, source, patient_id from mill.audit_log where id = $1", [data.id]);
      assert.deepEqual(row, { table_name: "visits", record_id: "7", action: "update", new_values: { a: 2 }, reason: "corrected", source: "clinic", patient_id: patient });

      const logged = async () => (await stack.postgres.query("select count(*)::int as n from mill.audit_log where patient_id = $1", [patient])).rows[0].n;
      const { token } = await signIn(stack);
      for (const [key, status] of [[stack.anonKey, 401], [token, 403]]) {
        const answer = await fetch(`${stack.url}/functions/v1/audit-logger-v3`, { method: "POST", headers: { authorization: `Bearer ${key}` }, body: JSON.stringify(event) });
        assert.equal(answer.status, status, await answer.text());
      }
      assert.equal(await logged(), 1);
    });
  });
}

/** Queues that are left to others, and maintenance. The stack has relay, workerd and work. */
export const checkQueuesOfOthers = (start) => describe("queues of others", () => {
  const SIX = ["audit_cleanup", "notification_delivery", "report_generation", "backup_operation", "system_maintenance", "consent_verification"];
  let stack, service, user;
  before(async () => {
    stack = await start();
    service = createClient(stack.url, stack.serviceKey, options);
    user = await signIn(stack);
    await query("update mill.schedule set slack_seconds = 100000");
  });
  const query = async (sql, values) => (await stack.postgres.query(sql, values)).rows;
  const rpc = async (name, args) => {
    const { data, error } = await service.rpc(name, args);
    assert.equal(error, null, `${name}: ${error?.message}`);
    return data;
  };
  const health = async (token) => {
    const answer = await fetch(`${stack.url}/functions/v1/health`, { headers: token ? { authorization: `Bearer ${token}` } : {} });
    return { code: answer.status, ...(await answer.json()) };
  };

  test("K5: our function and our container worker leave a queue that is set to external to the user's worker, and health says who claimed last", async () => {
    assert.equal((await user.settled((await user.submit({ kind: "echo", payload: { a: 1 } })).json.id)).state, "completed");
    await query("update mill.queue set served_by = 'external' where queue in ('default', 'standard')");
    const [{ at }] = await query("select clock_timestamp()::text as at");
    const { id } = (await user.submit({ kind: "echo", payload: { a: 2 } })).json;
    const [{ id: swept }] = await query(`select id from mill.enqueue('[{"kind": "document_sweep", "payload": {"a": 1}}]')`);
    await query("select mill.invoke_due()");
    // What the worker does serve passes it by: it was looking all the time.
    await query(`select mill.enqueue('[{"kind": "fast_queue_ocr", "payload": {"a": 1}}]')`);
    await until(async () => (await query("select from mill.job_dead where kind = 'fast_queue_ocr'")).length === 1, "the container worker taking a job of its own");
    assert.deepEqual(await query("select id, state from mill.job where id = any ($1) order by id", [[id, swept]]), [id, swept].sort().map((one) => ({ id: one, state: "pending" })));
    assert.deepEqual(await query("select from mill.invocation where asked_at > $1 and queue in ('default', 'standard')", [at]), []);

    const [claimed] = await rpc("claim_next_job_v3", { worker_id: "users-worker", job_types: ["echo", "document_sweep"] });
    assert.ok([id, swept].includes(claimed.job_id));
    const { code, notes } = await health(stack.secrets.healthToken);
    assert.equal(code, 200);
    const queue = claimed.job_type === "echo" ? "default" : "standard";
    assert.match(notes.join("\n"), new RegExp(`queue ${queue} is external: users-worker claimed last, \\d+ s ago`));
    assert.equal(await rpc("complete_job", { p_job_id: claimed.job_id, p_worker_id: "users-worker", p_job_result: { by: "them" } }), true);
    await query("update mill.queue set served_by = case queue when 'default' then 'function' else 'worker' end where queue in ('default', 'standard')");
    await query("select mill.invoke_due()");
    await until(async () => (await query("select from mill.job_live where id = any ($1)", [[id, swept]])).length === 0, "the queues being served by us again");
  });

  test("K5, K18: jobs of a kind that no worker has ever asked for leave health green, and health says that no worker serves this kind", async () => {
    for (const job_type of SIX) assert.match(await rpc("enqueue_job_v3", { job_type, job_name: "theirs", job_payload: { a: 1 } }), /^[0-9a-f-]{36}$/);
    await query("update mill.job_live set run_at = run_at - interval '1 hour' where kind = any ($1)", [SIX]);
    const told = await health(stack.secrets.healthToken);
    assert.equal(told.code, 200, JSON.stringify(told));
    checkAnswer("health", told);
    for (const kind of SIX) assert.ok(told.notes.some((note) => note.startsWith(`${kind}: no worker serves this kind`)), `${kind}: ${told.notes}`);
    assert.equal((await health()).notes, undefined, "names of workers are for holders of the token");
    // Asked for once, and left lying after that: now it is a fault.
    const [claimed] = await rpc("claim_next_job_v3", { worker_id: "users-worker", job_types: ["backup_operation"] });
    assert.equal(await rpc("reschedule_job", { p_job_id: claimed.job_id, p_delay_seconds: 0, p_reason: "test", p_add_jitter: false }), true);
    await query("select mill.tick()");
    await query("update mill.job_live set run_at = run_at - interval '1 hour' where kind = 'backup_operation'");
    const red = await until(async () => {
      const found = await health(stack.secrets.healthToken);
      return found.code === 503 && found;
    }, "health turning red");
    assert.deepEqual(red.checks.filter(({ ok }) => !ok).map(({ name }) => name), ["oldest_due_job"]);
  });

  test("K22: while maintenance is on, enqueue_job_v3 is answered 503 with Retry-After through supabase-js and leaves nothing behind", async () => {
    const count = async () => (await query("select count(*)::int as n from mill.job where name = 'in maintenance'"))[0].n;
    await query("select public.set_maintenance(true, 'moving', 30)");
    const { data, error, status } = await service.rpc("enqueue_job_v3", { job_type: "backup_operation", job_name: "in maintenance", job_payload: { a: 1 } });
    assert.deepEqual([data, status, error.code], [null, 503, "GM022"]);
    assert.equal(await count(), 0);
    await query("select public.set_maintenance(false, 'moved')");
    await rpc("enqueue_job_v3", { job_type: "backup_operation", job_name: "in maintenance", job_payload: { a: 1 } });
    assert.equal(await count(), 1);
  });
});
