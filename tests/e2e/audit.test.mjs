// The audit function, and one correlation id from a request to everything that comes of it.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { after, before, test } from "node:test";

import { signIn, startStack, until } from "../support.mjs";

let stack, user, service;
before(async () => {
  stack = await startStack("audit");
  user = await signIn(stack);
  service = { authorization: `Bearer ${stack.serviceKey}` };
});
after(() => stack?.destroy());

test("the service appends an event, which verifies", async () => {
  const patient = randomUUID();
  const answer = await user.call("POST", "audit", {
    headers: { ...service, "x-correlation-id": "audit-1" },
    body: { table_name: "visits", record_id: "7", action: "update", new_values: { a: 1 }, reason: "test", patient_id: patient } });
  assert.equal(answer.status, 201, answer.text);
  const { rows: [row] } = await stack.postgres.query("select * from mill.audit_log where id = $1", [answer.json.id]);
  assert.deepEqual([row.table_name, row.action, row.patient_id, row.correlation_id, row.actor_role], ["visits", "update", patient, "audit-1", "service_role"]);

  const verdict = await user.call("GET", "audit/verify", { headers: service });
  assert.equal(verdict.status, 200, verdict.text);
  assert.equal(verdict.json.ok, true);
  assert.match(verdict.json.head, /^[0-9a-f]{64}$/);
  const known = await user.call("GET", `audit/verify?known_head=${verdict.json.head}`, { headers: service });
  assert.equal(known.json.ok, true);
});

test("a row that somebody changed around the rules is found", async () => {
  await stack.postgres.query(`
    set session_replication_role = replica;
    update mill.audit_log set reason = 'something else' where id = (select max(id) from mill.audit_log where table_name = 'visits')`);
  const { json } = await user.call("GET", "audit/verify", { headers: service });
  assert.equal(json.ok, false);
  assert.ok(json.findings.length > 0);
});

test("nobody but the service gets near the log", async () => {
  const body = { table_name: "visits", action: "update" };
  assert.equal((await user.call("POST", "audit", { body })).status, 403);
  assert.equal((await user.call("GET", "audit/verify")).status, 403);
  assert.equal((await user.call("POST", "audit", { body, headers: { authorization: "" } })).status, 401);
});

test("one correlation id goes from a request into its job, its audit rows and the logs", async () => {
  const correlation = `trace-${randomUUID()}`;
  const { json } = await user.call("POST", "enqueue", { body: { kind: "echo", payload: { delay_ms: "soon" } }, headers: { "x-correlation-id": correlation } });
  const job = await user.settled(json.id);
  assert.deepEqual([job.state, job.correlation_id], ["failed", correlation]);
  const { rows } = await stack.postgres.query("select action from mill.audit_log where job_id = $1 and correlation_id = $2 order by id", [json.id, correlation]);
  assert.ok(rows.some(({ action }) => action === "dead"), `its end is audited under it: ${JSON.stringify(rows)}`);
  await until(() => fs.readFileSync(stack.parts.workerd.log, "utf8").split("\n")
    .some((line) => line.includes(correlation) && JSON.parse(line).status === 202), "the function's log line");
});
