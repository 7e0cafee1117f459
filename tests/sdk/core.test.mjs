// The parts of the TypeScript core that need no server, each against another implementation of the same thing.
import assert from "node:assert/strict";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import http from "node:http";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";

import { sizeOf } from "../../scripts/lib/sdk-size.mjs";
import { dead, defineJob, gristmill, handle, InvalidPayload, retry, seconds, snooze } from "../../sdk/typescript/dist/index.js";
import { defineWorkflow, ref } from "../../sdk/typescript/dist/workflows/index.js";
import { hashStart } from "../../sdk/typescript/dist/hash.js";
import { isSigned } from "../../sdk/typescript/dist/signature.js";
import { digestStart, traceparentOf } from "../../sdk/typescript/dist/trace.js";
import { until } from "../support.mjs";

/** A client of a server on this machine that answers in this way. */
async function clientOf(t, answer, options) {
  const server = http.createServer(answer);
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  return { server, mill: gristmill({ url: `http://127.0.0.1:${server.address().port}`, ...options }) };
}

test("the core has less than 6 KiB gzipped", async (t) => {
  const bytes = await sizeOf("index.js");
  t.diagnostic(`${bytes} bytes, ${await sizeOf("index.js", { withAll: true })} with what is loaded later`);
  assert.ok(bytes < 6 * 1024, `${bytes} bytes`);
});

test("a duration is a number of seconds or has a unit, and anything else is refused", () => {
  assert.deepEqual([0, 30, 1.5, "500ms", "30s", "5m", "2h", "1d", "1w"].map(seconds), [0, 30, 1.5, 0.5, 30, 300, 7200, 86_400, 604_800]);
  for (const wrong of [-1, NaN, Infinity, "", "5", "5 m", "m", "-5m", "5y"]) assert.throws(() => seconds(wrong), /is no duration/, String(wrong));
});

test("the id of an attempt's span is the first 8 bytes of SHA-256, asynchronously and at once", async () => {
  for (let attempt = 1; attempt < 200; attempt++) {
    const id = randomUUID();
    const wanted = createHash("sha256").update(`${id}:${attempt}`).digest("hex").slice(0, 16);
    assert.equal(hashStart(`${id}:${attempt}`), wanted);
    assert.equal(await digestStart({ id, attempt }), wanted);
  }
});

test("an attempt's span is in the trace of the producer, or in one that has the id of the job", () => {
  const id = "01a1e273-88a8-7a97-9476-25074e8fc71c", span = "0123456789abcdef";
  assert.equal(traceparentOf({ id, attempt: 1, traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00" }, span), `00-4bf92f3577b34da6a3ce929d0e0e4736-${span}-00`);
  for (const traceparent of [null, undefined, "", "nonsense"]) assert.equal(traceparentOf({ id, attempt: 1, traceparent }, span), `00-01a1e27388a87a97947625074e8fc71c-${span}-01`);
});

test("a request is taken when one of its signatures was made with one of the secrets, and in no other case", async () => {
  const [old, next, foreign] = [0, 0, 0].map(() => `whsec_${randomBytes(32).toString("base64")}`);
  const body = JSON.stringify({ invocation: randomUUID(), text: "ö" });
  const now = Date.now();
  const signed = (secret, { id = "msg_1", at = now, text = body } = {}) => ({
    "webhook-id": id, "webhook-timestamp": String(Math.floor(at / 1000)), "webhook-signature": new Webhook(secret).sign(id, new Date(at), text) });
  const check = (headers, secrets, text = body) => isSigned(new Headers(headers), new TextEncoder().encode(text), secrets, now);

  assert.equal(await check(signed(old), old), true);
  assert.equal(await check(signed(old), `${next} ${old}`), true, "the second secret counts");
  const both = { ...signed(old), "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")} v2,abc ${signed(old)["webhook-signature"]}` };
  assert.equal(await check(both, old), true, "the last signature counts");
  assert.equal(await check(signed(foreign), `${next} ${old}`), false);
  assert.equal(await check(signed(old), old, body.replace("ö", "o")), false);
  assert.equal(await check({ ...signed(old), "webhook-id": "msg_2" }, old), false);
  for (const at of [now - 299_000, now + 299_000]) assert.equal(await check(signed(old, { at }), old), true);
  for (const at of [now - 302_000, now + 302_000]) assert.equal(await check(signed(old, { at }), old), false);
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) assert.equal(await check({ ...signed(old), [name]: "" }, old), false, name);
  assert.equal(await check({}, old), false);
});

test("snooze, dead and retry end an attempt in the way of their names, whether they are returned or called", () => {
  const ending = (run) => {
    try {
      run();
    } catch (error) {
      return { ...error.ending, error: { ...error.ending.error, stack: undefined } };
    }
    return null;
  };
  assert.deepEqual(ending(() => snooze("2m", "not yet")), { outcome: "snoozed", delay_seconds: 120, error: { type: "snoozed", message: "not yet", retryable: true, stack: undefined } });
  assert.deepEqual(ending(() => dead("no such user")), { outcome: "dead", error: { type: "refused", message: "no such user", retryable: false, stack: undefined } });
  assert.deepEqual(ending(() => retry("busy", { in: 5 })), { outcome: "failed", delay_seconds: 5, error: { type: "error", message: "busy", retryable: true, stack: undefined } });
  assert.equal(ending(() => dead(Object.assign(new Error("gone"), { status: 410 }))).error.http_status, 410);
  assert.equal("delay_seconds" in ending(() => retry("busy")), false, "without a delay the backoff of the queue holds");
});

test("two handlers for one kind are refused where they are given", () => {
  const job = defineJob("twice");
  assert.throws(() => gristmill().serve([handle(job, () => {}), handle(job, () => {})]), /two handlers of one kind/);
});

test("a client without an address or a key says which one is missing, at its first call", async () => {
  const mill = gristmill({ env: {}, url: "http://127.0.0.1:1" });
  await assert.rejects(mill.get(randomUUID()), { code: "misconfigured", message: /no key/ });
});

test("a payload that does not fit its schema is refused before anything is sent, with the place of the mistake", async () => {
  const schema = { "~standard": { version: 1, vendor: "test", validate: () => ({ issues: [{ message: "too short", path: ["a/b", { key: 0 }, "~c"] }] }) } };
  const mill = gristmill({ url: "http://127.0.0.1:1", key: "k" });
  const error = await mill.enqueue(defineJob("x", { schema }), {}).catch((thrown) => thrown);
  assert.ok(error instanceof InvalidPayload);
  assert.equal(error.field, "/a~1b/0/~0c");
  assert.match(error.message, /the payload of x does not fit at \/a~1b\/0\/~0c: too short/);
});

test("a workflow is written as register_workflow takes it, with references in the place of values", () => {
  const split = defineJob("split_book"), summarise = defineJob("summarise");
  const { definition } = defineWorkflow("digest", { documents: "chapter", openToUsers: false, defaults: { language: "en" } })
    .task("split", split, { input: { book: ref("params.book") } })
    .task("chapter", summarise, { needs: ["split"], forEach: "split.chapters", weight: 8, onFailure: { compensate: "sorry" }, input: { keepCase: "Chapter {{index}}" } });
  assert.deepEqual(definition, { type: "digest", documents: "chapter", open_to_users: false, defaults: { language: "en" }, tasks: [
    { key: "split", kind: "split_book", input: { book: "{{params.book}}" } },
    { key: "chapter", kind: "summarise", needs: ["split"], for_each: "split.chapters", weight: 8, on_failure: { compensate: "sorry" }, input: { keepCase: "Chapter {{index}}" } }] });
});

test("registering warns at once of a function that has answered neither Postgres nor this process, and of no other", async (t) => {
  const warn = t.mock.method(console, "warn", () => {});
  const { server, mill } = await clientOf(t, (request, answer) => {
    const at = (path) => `http://127.0.0.1:${server.address().port}${path}`;
    if (!request.url.endsWith("/register_jobs")) return answer.writeHead(request.url === "/jobs" ? 405 : 404).end();
    answer.end(JSON.stringify({ queues: [], kinds: [], kept: [], unanswered: [
      { queue: "misspelt", address: at("/jbos"), sentence: "The function of the queue misspelt has never answered" },
      { queue: "new", address: at("/jobs"), sentence: "The function of the queue new has never answered" },
      { queue: "nowhere", sentence: "The setting functions.base_url is missing" }] }));
  }, { key: "secret" });
  const { unanswered } = await mill.register([defineJob("a")]);
  assert.equal(unanswered.length, 3);
  const said = warn.mock.calls.map(({ arguments: [text] }) => text);
  assert.deepEqual(said.sort(), ["The function of the queue misspelt has never answered", "The setting functions.base_url is missing"]);
});

test("calls that follow one another share a connection, and bring text of any language there and back", async (t) => {
  const { server, mill } = await clientOf(t, async (request, answer) => {
    const chunks = await request.toArray();
    answer.end(JSON.stringify({ asked: JSON.parse(Buffer.concat(chunks)), method: request.method, path: request.url, type: request.headers["content-type"], bearer: request.headers.authorization }));
  }, { key: "secret" });
  let connections = 0;
  server.on("connection", () => connections++);
  for (const text of ["plain", "für Zoë", "日本語 🚀"]) {
    assert.deepEqual(await mill.rpc("echo", { text }), { asked: { text }, method: "POST", path: "/rest/v1/rpc/echo", type: "application/json", bearer: "Bearer secret" });
  }
  assert.equal(connections, 1);
});

test("a call without an answer ends with no_answer after its timeout, and one that is given up ends at once", async (t) => {
  let arrived = 0;
  const { mill } = await clientOf(t, () => arrived++, { key: "secret", timeout: 50 });
  await assert.rejects(mill.rpc("silent", {}), { code: "no_answer", message: "silent: no answer after 50 ms", retryable: true });
  const patient = await clientOf(t, () => arrived++, { key: "secret" });
  const control = new AbortController();
  const call = patient.mill.rpc("silent", {}, { signal: control.signal });
  call.catch(() => {});
  await until(() => arrived === 2, "the second call");
  control.abort(new Error("given up"));
  await assert.rejects(call, /given up/);
});

test("a redirection is an error and no answer", async (t) => {
  const { mill } = await clientOf(t, (_, answer) => answer.writeHead(308, { location: "/elsewhere" }).end(), { key: "secret" });
  await assert.rejects(mill.rpc("moved", {}), { status: 308 });
});

test("a fetch that a test has put into the place of the usual one is called", async (t) => {
  const mill = gristmill({ url: "http://127.0.0.1:1", key: "secret" });
  t.mock.method(globalThis, "fetch", async () => new Response('"of the test"'));
  assert.equal(await mill.rpc("any", {}), "of the test");
});

test("a worker that runs one job at a time has a second call under way while it waits for the first", async () => {
  const job = defineJob("one"), held = [];
  let calls = 0;
  const answer = (jobs) => Response.json({ settled: [], jobs });
  const mill = gristmill({ url: "http://127.0.0.1:1", key: "secret", fetch: (url) => (url.endsWith("/end_worker") ? new Response(null, { status: 204 }) : ++calls === 1
    ? answer([{ id: randomUUID(), kind: "one", queue: "one", payload: {}, attempt: 1, max_attempts: 5, lease_until: new Date(Date.now() + 60_000) }])
    : new Promise((resolve) => held.push(() => resolve(answer([]))))) });
  const worker = mill.work([handle(job, () => {})], { concurrency: 1, prefetch: 4, stopWhenIdle: true });
  await until(() => held.length === 2, "a second call beside the first");
  while (held.length > 0) held.pop()();
  await worker;
});
