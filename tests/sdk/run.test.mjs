// Jobs of the TypeScript library on a real engine: invoked by Postgres (serve), and claimed by a long-lived worker (work).
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type } from "arktype";
import { Webhook } from "standardwebhooks";
import { z } from "zod";

import { dead, defineJob, gristmill, handle, InvalidPayload, QueueFull, retry, snooze, UnknownKind } from "../../sdk/typescript/dist/index.js";
import { until } from "../support.mjs";
import { listen, startEngine } from "./harness.mjs";

let stack, mill, rows, secret;
before(async () => ({ stack, mill, rows, secret } = await startEngine("run")));
after(() => stack?.destroy());

let count = 0;
/** A job with a queue of its own. */
async function job(options = {}, queue = { served_by: "external" }) {
  const kind = `run_${++count}`;
  const definition = defineJob(kind, { queue: kind, ...options });
  const columns = Object.keys(queue);
  await rows(`insert into mill.queue (queue, ${columns.join(", ")}) values ($1, ${columns.map((_, at) => `$${at + 2}`).join(", ")})`, [kind, ...Object.values(queue)]);
  await rows("insert into mill.kind (kind, queue) values ($1, $1)", [kind]);
  return definition;
}

/** Runs a worker until nothing is due. */
const drain = (handlers, options) => mill.work(handlers, { stopWhenIdle: true, onError: () => {}, ...options });
const quiet = { onError: () => {} };

test("a worker runs a job and settles each ending in its own way", async () => {
  const ends = await job();
  const handler = handle(ends, ({ payload, job: { attempt } }) => {
    switch (payload.do) {
      case "return": return { seen: payload, attempt };
      case "nothing": return undefined;
      case "throw": throw Object.assign(new TypeError("no such thing"), { status: 418 });
      case "snooze": return snooze("10m", "not yet");
      case "dead": return dead("never");
      case "retry": return retry("later", { in: "1h" });
    }
  });
  const ids = await mill.enqueueMany(ends, ["return", "nothing", "throw", "snooze", "dead", "retry"].map((name) => ({ do: name })));
  await drain([handler]);
  const [returned, nothing, thrown, snoozed, isDead, retried] = await Promise.all(ids.map((id) => mill.get(id)));
  assert.deepEqual([returned.state, returned.result], ["completed", { seen: { do: "return" }, attempt: 1 }]);
  assert.deepEqual([nothing.state, nothing.result], ["completed", null]);
  assert.equal(thrown.attempt, 1);
  assert.deepEqual({ ...thrown.error, stack: undefined, at: undefined, worker: undefined, attempt: undefined },
    { type: "TypeError", message: "no such thing", retryable: true, http_status: 418, stack: undefined, at: undefined, worker: undefined, attempt: undefined });
  assert.equal(snoozed.attempt, 0, "a snooze uses up no attempt");
  assert.ok(Date.parse(snoozed.runAt) - Date.now() > 500_000);
  assert.deepEqual([isDead.state, isDead.attempt, isDead.error.type], ["failed", 1, "refused"]);
  assert.ok(Date.parse(retried.runAt) - Date.now() > 3_000_000);
});

test("a function that Postgres invokes claims, runs and settles, and a request that is not signed learns nothing", async () => {
  const greet = await job({ schema: z.object({ name: z.string() }) }, { served_by: "external" });
  const served = mill.serve([handle(greet, ({ payload, job, env }) => ({ greeting: `Hello, ${payload.name}!`, attempt: job.attempt, home: typeof env.PATH }))], { secret });
  const server = await listen(served);
  try {
    await rows("update mill.queue set served_by = 'function', url = $2 where queue = $1", [greet.queue, server.url]);
    const { id, status } = await mill.enqueue(greet, { name: "Ada" });
    assert.equal(status, "new");
    const done = await mill.wait(id);
    assert.deepEqual([done.state, done.result], ["completed", { greeting: "Hello, Ada!", attempt: 1, home: "string" }]);
    await until(() => server.requests.length > 0, "the answer");
    assert.deepEqual(JSON.parse(server.requests[0].answer), { claimed: 1, accepted: 1, lost: 0 });
    assert.deepEqual(JSON.parse(server.requests[0].body).kinds, [greet.kind]);

    for (const method of ["GET", "POST"]) {
      const answer = await fetch(server.url, { method, ...(method === "POST" && { body: server.requests[0].body }) });
      assert.equal(answer.status, method === "GET" ? 405 : 403);
    }
    const none = await served(new Request("http://localhost", { method: "POST", body: "not json" }));
    assert.equal(none.status, 403, "the body is not read before the signature is verified");
  } finally {
    await server.close();
  }
});

test("a payload that no longer fits its schema is dead before the handler sees it, with the place of the mistake", async () => {
  const loose = await job();
  const strict = defineJob(loose.kind, { queue: loose.queue, schema: z.object({ items: z.array(z.object({ price: z.number() })) }) });
  const { id } = await mill.enqueue(loose, { items: [{ price: 1 }, { price: "2" }] });
  let isCalled = false;
  await drain([handle(strict, () => (isCalled = true))]);
  const { state, attempt, error } = await mill.get(id);
  assert.deepEqual([state, attempt, error.type, error.field, isCalled], ["failed", 1, "invalid_payload", "/items/1/price", false]);
  assert.match(error.message, /does not fit at \/items\/1\/price/);
  await assert.rejects(mill.enqueue(strict, { items: [{ price: "2" }] }), (error) => error instanceof InvalidPayload && error.field === "/items/0/price");
});

test("a handler is given what the schema makes of the payload, and Postgres keeps what was enqueued", async () => {
  const { kind } = await job();
  const timed = defineJob(kind, { schema: z.object({ at: z.string().transform((text) => new Date(text)) }) });
  const { id } = await mill.enqueue(timed, { at: "2030-01-01T00:00:00Z" });
  await drain([handle(timed, ({ payload }) => payload.at.getUTCFullYear())]);
  const { result, payload } = await mill.get(id);
  assert.deepEqual([result, payload], [2030, { at: "2030-01-01T00:00:00Z" }]);
});

test("a kind without a handler is given back for a minute and keeps its attempts", async () => {
  const known = await job();
  await rows("insert into mill.kind (kind, queue) values ('run_stranger', $1)", [known.queue]);
  const stranger = defineJob("run_stranger", { queue: known.queue });
  const { id } = await mill.enqueue(stranger, { a: 1 });
  await drain([handle(known, () => {})]);
  const { state, attempt, runAt, error } = await mill.get(id);
  assert.equal(attempt, 0);
  assert.notEqual(state, "failed");
  assert.ok(Date.parse(runAt) - Date.now() > 50_000, runAt);
  assert.equal(error.type, "unknown_kind");

  const { id: second } = await mill.enqueue(stranger, { a: 2 });
  await drain([handle(known, () => {})], { onlyKnownKinds: true });
  assert.equal((await mill.get(second)).error, null, "with onlyKnownKinds it is not claimed at all");
});

test("one outcome that Postgres refuses does not hold back the others, and is dead with the reason", async () => {
  const mixed = await job();
  const circle = {};
  circle.self = circle;
  const results = { good: "fine", nul: "a\0b", large: "x".repeat(1_100_000), circle, fine: { ok: true } };
  const names = Object.keys(results);
  const ids = await mill.enqueueMany(mixed, names.map((name) => ({ name })));
  await drain([handle(mixed, ({ payload, log }) => {
    log("a line\0 with a NUL", { circle });
    return results[payload.name];
  })]);
  const states = Object.fromEntries(await Promise.all(ids.map(async (id, at) => [names[at], await mill.get(id)])));
  assert.equal(states.good.result, "fine");
  assert.deepEqual(states.fine.result, { ok: true });
  for (const name of ["nul", "circle"]) assert.deepEqual([states[name].state, states[name].error.type], ["failed", "outcome_refused"], name);
});

test("errors of Postgres have a class of their own, with code and hint", async () => {
  const limited = await job({}, { served_by: "external", depth_limit: 1 });
  await assert.rejects(mill.enqueue(defineJob("no_such_kind"), { a: 1 }), (error) => error instanceof UnknownKind && error.code === "GM001" && error.retryable === false);
  await mill.enqueue(limited, { a: 1 });
  await assert.rejects(mill.enqueue(limited, { a: 2 }), (error) => error instanceof QueueFull && error.code === "GM006");
  await assert.rejects(gristmill({ url: stack.url, key: "nonsense" }).get(crypto.randomUUID()), (error) => error.status === 401 && !error.retryable);
  await assert.rejects(gristmill({ url: "http://127.0.0.1:1", key: "x" }).rpc("tick"), (error) => error.code === "no_answer" && error.retryable);
});

test("the options of enqueue arrive in the job", async () => {
  const full = await job();
  const owner = crypto.randomUUID();
  const { id } = await mill.enqueue(full, { a: 1 }, { in: "2h", priority: 9, dedupeKey: "d", groupKey: "g", owner, name: "n", maxAttempts: 2, correlationId: "c" });
  const [row] = await rows("select priority, dedupe_key, group_key, owner, name, max_attempts, correlation_id, run_at - now() > interval '119 minutes' as is_late from mill.job where id = $1", [id]);
  assert.deepEqual(row, { priority: 9, dedupe_key: "d", group_key: "g", owner, name: "n", max_attempts: 2, correlation_id: "c", is_late: true });
  assert.deepEqual(await mill.enqueue(full, { a: 2 }, { dedupeKey: "d" }), { id, status: "duplicate" });
  const [first, again] = [await mill.enqueue(full, { a: 3 }, { idempotencyKey: `k-${id}` }), await mill.enqueue(full, { a: 3 }, { idempotencyKey: `k-${id}` })];
  assert.equal(first.id, again.id);
  assert.deepEqual(await mill.cancel(id), [{ id, status: "cancelled" }]);
});

test("what a handler enqueues is of the same trace, and has the correlation id of its job", async () => {
  const [parent, child] = [await job(), await job()];
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const { id } = await mill.enqueue(parent, { a: 1 }, { traceparent, correlationId: "together" });
  await drain([handle(parent, async (cx) => ({ span: cx.traceparent, producer: cx.job.traceparent, child: (await cx.mill.enqueue(child, { b: 1 })).id }))]);
  const { result } = await mill.get(id);
  assert.equal(result.producer, traceparent);
  assert.match(result.span, /^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
  const [row] = await rows("select traceparent, correlation_id from mill.job where id = $1", [result.child]);
  assert.deepEqual(row, { traceparent: result.span, correlation_id: "together" });
});

test("a user enqueues with a token of its own, and only kinds that are open to users", async () => {
  const [open, closed] = [await job(), await job()];
  await rows("update mill.kind set open_to_users = true where kind = $1", [open.kind]);
  const sub = crypto.randomUUID();
  const user = gristmill({ url: stack.url, key: stack.anonKey, token: () => stack.token({ role: "authenticated", sub }) });
  const { id } = await user.enqueue(open, { a: 1 });
  assert.equal((await rows("select owner from mill.job where id = $1", [id]))[0].owner, sub);
  assert.equal((await user.get(id)).id, id);
  await assert.rejects(user.enqueue(closed, { a: 1 }), UnknownKind);
});

test("a job that takes longer than its timeout fails with the type timeout, and its signal is aborted", async () => {
  const slow = await job({ timeout: "50ms" });
  const { id } = await mill.enqueue(slow, { a: 1 });
  let reason;
  await drain([handle(slow, ({ signal }) => new Promise(() => signal.addEventListener("abort", () => (reason = signal.reason))))]);
  const { error, attempt } = await mill.get(id);
  assert.deepEqual([error.type, attempt, reason.code], ["timeout", 1, "timeout"]);
});

test("a worker that is ended lets running jobs finish, gives the others back, and claims no more", async () => {
  const slow = await job();
  const ids = await mill.enqueueMany(slow, [{ n: 1 }, { n: 2 }, { n: 3 }]);
  const ending = new AbortController();
  let release;
  const released = new Promise((resolve) => (release = resolve));
  const reasons = [];
  const running = [];
  const worker = mill.work([handle(slow, async ({ payload, signal }) => {
    running.push(payload.n);
    signal.addEventListener("abort", () => reasons.push(signal.reason.code));
    await (payload.n === 1 ? released : new Promise(() => {}));
  })], { signal: ending.signal, concurrency: 2, drain: "300ms", ...quiet });
  await until(() => running.length === 2, "two running jobs");
  ending.abort();
  release();
  await worker;
  const [one, two, three] = await Promise.all(ids.map((id) => mill.get(id)));
  assert.equal(one.state, "completed");
  assert.deepEqual([two.state, two.attempt, two.error.type], ["pending", 0, "shutdown"]);
  assert.deepEqual([three.state, three.attempt], ["pending", 0]);
  assert.deepEqual(reasons, ["shutdown"]);
});

test("a job that is cancelled while it runs is told by its signal, and settles nothing", async () => {
  const long = await job({}, { served_by: "external", lease_seconds: 3 });
  const { id } = await mill.enqueue(long, { a: 1 });
  const ending = new AbortController();
  let reason;
  const worker = mill.work([handle(long, ({ signal, progress }) => new Promise(() => {
    progress(40);
    signal.addEventListener("abort", () => (reason = signal.reason));
  }))], { signal: ending.signal, ...quiet });
  await until(async () => (await mill.get(id)).progress === 40, "the progress of a heartbeat");
  await mill.cancel(id);
  await until(() => reason, "the signal");
  assert.equal(reason.code, "cancelled");
  ending.abort();
  await worker;
  assert.equal((await mill.get(id)).state, "cancelled");
});

test("a long job keeps its lease by heartbeats and is run once", async () => {
  const long = await job({}, { served_by: "external", lease_seconds: 1 });
  const { id } = await mill.enqueue(long, { a: 1 });
  let runs = 0;
  await drain([handle(long, () => new Promise((resolve) => {
    runs++;
    setTimeout(resolve, 2500, "done");
  }))]);
  const { state, attempt, result } = await mill.get(id);
  assert.deepEqual([state, attempt, result, runs], ["completed", 1, "done", 1]);
});

test("short jobs are claimed ahead in batches, and a long job among them holds none of them back for others", async () => {
  const mixed = await job();
  const ids = await mill.enqueueMany(mixed, Array.from({ length: 400 }, (_, n) => ({ n })));
  let calls = 0;
  const counting = gristmill({ url: stack.url, key: stack.serviceKey, fetch: (...args) => (calls++, fetch(...args)) });
  let release, isHeld = false;
  const worker = counting.work([handle(mixed, ({ payload }) => payload.n === 20 && new Promise((resolve) => {
    isHeld = true;
    release = resolve;
  }))], { concurrency: 1, stopWhenIdle: true });
  await until(() => isHeld, "the long job");
  const other = await mill.enqueue(mixed, { n: 1000 });
  await drain([handle(mixed, () => "by another")], { concurrency: 5 });
  await until(async () => {
    await drain([handle(mixed, () => "by another")], { concurrency: 5 });
    return (await rows("select count(*)::int as n from mill.job where queue = $1 and state = 'completed'", [mixed.queue]))[0].n === 400;
  }, "all but the long job being done by another worker");
  assert.ok((await mill.get(other.id)).result === "by another");
  release("at last");
  await worker;
  assert.equal((await mill.get(ids[20])).result, "at last");
  assert.ok(calls < 40, `${calls} calls`);
});

test("on a server without settle_and_claim a worker settles and claims in two calls", async () => {
  const plain = await job();
  const ids = await mill.enqueueMany(plain, Array.from({ length: 5 }, (_, n) => ({ n })));
  const called = new Set();
  const older = gristmill({ url: stack.url, key: stack.serviceKey, fetch: (url, init) => {
    const name = String(url).split("/").at(-1);
    called.add(name);
    return fetch(name === "settle_and_claim" ? `${url}_not_here` : url, init); // the gateway's own answer to an unknown function
  } });
  await older.work([handle(plain, ({ payload }) => payload.n)], { stopWhenIdle: true, concurrency: 2 });
  assert.deepEqual(await Promise.all(ids.map(async (id) => (await mill.get(id)).result)), [0, 1, 2, 3, 4]);
  assert.deepEqual([...called].sort(), ["claim_jobs", "end_worker", "settle_and_claim", "settle_jobs"]);
});

test("a worker whose key is refused fails at once", async () => {
  const any = await job();
  await assert.rejects(gristmill({ url: stack.url, key: "nonsense" }).work([handle(any, () => {})]), { status: 401 });
});

test("jobs are registered from their definitions, with the schemas that zod and arktype make", async () => {
  const mail = defineJob("run_mail", {
    queue: "run_mail", maxAttempts: 8, openToUsers: true, description: "Sends a letter", unique: { by: ["to"], within: "1h" },
    schema: z.object({ to: z.email(), copies: z.int().min(1).optional(), at: z.iso.datetime().optional() }) });
  const note = defineJob("run_note", { queue: "run_mail", schema: type({ text: "string > 0", "tags?": "string[]" }) });
  const first = await mill.register([mail, handle(note, () => {})], { url: "https://example.com/jobs" });
  assert.deepEqual(first.kinds, [{ kind: "run_mail", status: "created" }, { kind: "run_note", status: "created" }]);
  assert.deepEqual(first.queues, [{ queue: "run_mail", status: "created" }]);
  const [queue] = await rows("select served_by, url from mill.queue where queue = 'run_mail'");
  assert.deepEqual(queue, { served_by: "function", url: "https://example.com/jobs" });
  const [kind] = await rows("select max_attempts, open_to_users, description from mill.kind where kind = 'run_mail'");
  assert.deepEqual(kind, { max_attempts: 8, open_to_users: true, description: "Sends a letter" });
  const again = await mill.register([mail, note], { url: "https://example.com/jobs" });
  assert.deepEqual(again.kinds.map(({ status }) => status), ["unchanged", "unchanged"]);

  // Postgres checks what other clients enqueue.
  const loose = defineJob("run_mail"), other = defineJob("run_note");
  await assert.rejects(mill.enqueue(loose, { to: "nobody" }), (error) => error instanceof InvalidPayload && error.field === "/to");
  await assert.rejects(mill.enqueue(other, { text: "x", tags: ["a", 1] }), (error) => error instanceof InvalidPayload && error.field === "/tags/1");
  await mill.enqueue(loose, { to: "ada@example.com", copies: 2, at: "2030-01-01T00:00:00Z" });

  await rows("update mill.kind set max_attempts = 3 where kind = 'run_mail'");
  const { kept } = await mill.register([defineJob("run_mail", { queue: "run_mail", maxAttempts: 9 })]);
  assert.deepEqual(kept, [{ kind: "run_mail", field: "max_attempts", value: 3, asked: 9 }]);
  await mill.register([defineJob("run_mail", { queue: "run_mail", maxAttempts: 9 })], { force: true });
  assert.equal((await rows("select max_attempts from mill.kind where kind = 'run_mail'"))[0].max_attempts, 9);
});

test("a function describes its jobs to whoever signs, and what it says can be registered", async () => {
  const job = defineJob("run_described", { queue: "run_described", schema: z.object({ to: z.string() }) });
  const served = mill.serve([handle(job, () => {})], { secret });
  const body = JSON.stringify({ describe: true });
  const at = new Date();
  const headers = { "webhook-id": "d", "webhook-timestamp": String(Math.floor(at / 1000)), "webhook-signature": new Webhook(secret).sign("d", at, body) };
  const definition = await (await served(new Request("http://localhost", { method: "POST", body, headers }))).json();
  assert.deepEqual(definition.kinds.map(({ kind, queue }) => ({ kind, queue })), [{ kind: "run_described", queue: "run_described" }]);
  const { kinds } = await mill.register(definition, { function: "described" });
  assert.deepEqual(kinds, [{ kind: "run_described", status: "created" }]);
  assert.equal((await rows("select function from mill.queue where queue = 'run_described'"))[0].function, "described");
  assert.equal((await served(new Request("http://localhost", { method: "POST", body }))).status, 403);
});
