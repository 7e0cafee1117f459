// The functions under their documented names, and what stands around the worker: environment, limits, external queues, maintenance.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";

import { createClient } from "@supabase/supabase-js";
import ws from "ws";

import { readFunctions } from "../../scripts/lib/stack/wrangler.mjs";
import { signIn, startStack } from "../support.mjs";
import { checkAnswer } from "./contract.mjs";

const options = { auth: { persistSession: false }, realtime: { transport: ws } };
const names = readFunctions().functions.map(({ name }) => name);

for (const runtime of ["workerd", "deno"]) {
  describe(runtime, () => {
    let stack, service;
    before(async () => {
      stack = await startStack(`names-${runtime}`, { parts: ["gateway", runtime] });
      service = createClient(stack.url, stack.serviceKey, options);
    });
    after(() => stack?.destroy());

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
      for (const key of [stack.anonKey, token]) {
        const answer = await fetch(`${stack.url}/functions/v1/audit-logger-v3`, { method: "POST", headers: { authorization: `Bearer ${key}` }, body: JSON.stringify(event) });
        assert.equal(answer.status, 403, await answer.text());
      }
      assert.equal(await logged(), 1);
    });
  });
}
