// One trace from the caller to the attempt: gateway, enqueue, the job, the container worker. Spans arrive at a collector over OTLP.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, before, test } from "node:test";

import { Collector } from "../stand-ins/collector.mjs";
import { startStack, until } from "../support.mjs";

let stack;
let collector;
before(async () => {
  collector = await new Collector().start();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "50", OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test" };
  stack = await startStack("traces", { parts: ["gateway", "relay", "workerd", "work"], functions: ["enqueue", "processor"], applications: ["documents"],
    env: { gateway: env, work: { ...env, OTEL_SERVICE_NAME: "my-worker" } } });
  // Attempts follow one another at once: nothing here is about backoff.
  await stack.postgres.query("update mill.queue set backoff_base_seconds = 1, backoff_cap_seconds = 1 where queue = 'standard'");
});
after(async () => {
  await stack?.destroy();
  await collector?.stop();
});

const spanOf = (id, attempt) => createHash("sha256").update(`${id}:${attempt}`).digest("hex").slice(0, 16);
const submit = async (body, headers = {}) => {
  const answer = await fetch(`${stack.url}/functions/v1/enqueue?secret=in-the-query`, { method: "POST",
    headers: { authorization: `Bearer ${stack.serviceKey}`, "content-type": "application/json", ...headers }, body: JSON.stringify(body) });
  assert.equal(answer.status, 202, await answer.clone().text());
  return (await answer.json()).id;
};
const job = async (id) => (await fetch(`${stack.url}/functions/v1/enqueue/${id}`, { headers: { authorization: `Bearer ${stack.serviceKey}` } })).json();
const of = (trace, test) => collector.spans.filter(({ traceId }) => traceId === trace).find(test);
const isAttempt = (id, attempt) => ({ attributes }) => attributes["messaging.message.id"] === id && attributes["gristmill.job.attempt"] === attempt;

test("a job that was enqueued under a traceparent and its attempts are one trace, and a retry links to the attempt before", async () => {
  const [trace, caller] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  // There is no storage yet: the first attempts fail.
  const id = await submit({ kind: "document_sweep", payload: { listing: true } }, { traceparent: `00-${trace}-${caller}-01` });

  const server = await until(() => of(trace, ({ name }) => name === "POST /functions/v1/enqueue"), "the gateway's span");
  assert.equal(server.parentSpanId, caller);
  assert.equal(server.service, "gristmill-gateway");
  assert.equal(server.kind, 2);
  assert.deepEqual(server.attributes, { "http.request.method": "POST", "http.route": "/functions/v1/enqueue", "http.response.status_code": 202 });
  const stored = (await job(id)).traceparent;
  assert.equal(stored, `00-${trace}-${server.spanId}-01`, "the function passes the gateway's span on");
  // The call of the function to Postgres comes by the gateway again, in the same trace.
  const call = await until(() => of(trace, ({ name }) => name === "POST /rest/v1/rpc/submit_job"), "the span of the RPC");
  assert.equal(call.parentSpanId, server.spanId);

  const first = await until(() => of(trace, isAttempt(id, 1)), "the span of the first attempt");
  assert.deepEqual([first.kind, first.service, first.name, first.spanId, first.parentSpanId, first.links],
    [5, "my-worker", "process document_sweep", spanOf(id, 1), server.spanId, []]);
  assert.equal(first.status.code, 2);
  assert.equal(first.attributes["gristmill.job.outcome"], "failed");
  assert.equal(first.attributes["error.type"], "network_error");

  await stack.add(["storage"]);
  await until(async () => (await job(id)).state === "completed", "the job");
  const { attempt: last } = await job(id);
  assert.ok(last > 1);
  const done = await until(() => of(trace, isAttempt(id, last)), "the span of the last attempt");
  assert.deepEqual([done.spanId, done.parentSpanId, done.links], [spanOf(id, last), server.spanId, [{ traceId: trace, spanId: spanOf(id, last - 1) }]]);
  assert.deepEqual([done.status, done.attributes["gristmill.job.outcome"], done.attributes["messaging.destination.name"]], [undefined, "completed", "standard"]);
});

test("without a traceparent the gateway begins the trace", async () => {
  const id = await submit({ kind: "document_sweep", payload: { listing: true } });
  const { traceparent } = await job(id);
  const trace = traceparent.split("-")[1];
  const server = await until(() => of(trace, ({ name }) => name === "POST /functions/v1/enqueue"), "the gateway's span");
  assert.equal(server.parentSpanId, undefined);
  const attempt = await until(() => of(trace, isAttempt(id, 1)), "the attempt");
  assert.equal(attempt.parentSpanId, server.spanId);
});

test("a job that was enqueued in SQL without a traceparent has the trace of its id", async () => {
  const { rows: [{ id }] } = await stack.postgres.query(`select id from mill.enqueue('[{"kind": "document_sweep", "payload": {"sql": true}}]')`);
  const attempt = await until(() => of(id.replaceAll("-", ""), isAttempt(id, 1)), "the attempt");
  assert.deepEqual([attempt.spanId, attempt.parentSpanId], [spanOf(id, 1), undefined]);
});

test("a trace that its caller does not sample goes on unchanged and is not exported", async () => {
  const [trace, caller] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  const id = await submit({ kind: "document_sweep", payload: { unsampled: true } }, { traceparent: `00-${trace}-${caller}-00` });
  assert.equal((await job(id)).traceparent, `00-${trace}-${caller}-00`);
  await until(async () => (await job(id)).state === "completed", "the job");
  // A span that ended later has arrived: had these been sent, they would be here.
  const later = await submit({ kind: "document_sweep", payload: { later: true } });
  const { traceparent } = await job(later);
  await until(() => of(traceparent.split("-")[1], isAttempt(later, 1)), "a later attempt");
  assert.equal(of(trace, () => true), undefined);
});

test("an invalid traceparent is not stored", async () => {
  for (const traceparent of ["00-abc-def-01", `00-${"0".repeat(32)}-${"1".repeat(16)}-01`, `ff-${"1".repeat(32)}-${"1".repeat(16)}-01`]) {
    const id = await submit({ kind: "echo", payload: { a: 1 } }, { traceparent });
    assert.doesNotMatch((await job(id)).traceparent, /^00-(abc|0{32}|1{32})/);
  }
});

test("no span has a query, a token, a payload or the id of a user", () => {
  const all = JSON.stringify(collector.spans);
  for (const secret of ["in-the-query", stack.serviceKey, stack.anonKey, "listing", "127.0.0.1"]) assert.ok(!all.includes(secret), secret);
});

test("while the collector is down, silent or refuses, jobs are done and the gateway answers; what is dropped is counted", async () => {
  const counted = async (name) => Number(new RegExp(`^gristmill_gateway_spans_${name}_total (\\d+)`, "m").exec(await (await fetch(`${stack.adminUrl}/metrics`)).text())?.[1]);
  assert.ok((await counted("exported")) > 0);
  const port = new URL(collector.url).port;
  for (const trouble of [400, "down"]) {
    if (trouble === "down") await collector.stop();
    else collector.answer = trouble;
    const id = await submit({ kind: "document_sweep", payload: { trouble: String(trouble) } });
    await until(async () => (await job(id)).state === "completed", `a job while the collector is ${trouble}`);
  }
  await until(async () => (await counted("dropped")) > 0, "dropped spans");
  collector.answer = 200;
  await collector.start(Number(port));
  const id = await submit({ kind: "document_sweep", payload: { again: true } });
  const { traceparent } = await job(id);
  await until(() => of(traceparent.split("-")[1], isAttempt(id, 1)), "spans after the outage");
});

test("every span that was sent has the shape of OTLP", () => {
  assert.ok(collector.spans.length > 20);
  assert.deepEqual(collector.wrong, []);
});
