// gristmill/testing as a user's test file uses it: the real engine in this process.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { z } from "zod";

import { dead, defineJob, handle, InvalidPayload, snooze, UnknownKind } from "../../sdk/typescript/dist/index.js";
import { testing } from "../../sdk/typescript/dist/testing/index.js";

const START = "2030-01-31T12:00:00Z";
const sendEmail = defineJob("send_email", { queue: "mail", schema: z.object({ to: z.email(), subject: z.string(), tags: z.array(z.string()).optional() }), maxAttempts: 3 });
const welcome = defineJob("welcome", { queue: "mail", openToUsers: true }).payload();
const poll = defineJob("poll").payload();

// What the handlers do next: a test says so.
let behaviour;
const handlers = [
  handle(sendEmail, async (cx) => behaviour.sendEmail?.(cx) ?? { sent: cx.payload.to }),
  handle(welcome, ({ payload, mill }) => mill.enqueue(sendEmail, { to: payload.to, subject: "Welcome" })),
  handle(poll, (cx) => behaviour.poll(cx)),
];
const t = await testing({ handlers, now: START, sql: "create table public.notes (id int generated always as identity primary key, text text); insert into public.notes (text) values ('first')" });
after(() => t.close());
beforeEach(async () => {
  behaviour = {};
  await t.reset();
});

const mail = { to: "ann@example.com", subject: "Hello" };
const states = async () => (await t.jobs()).map(({ kind, state }) => `${kind} ${state}`);

test("a job that waits is found by its kind and by a part of its payload", async () => {
  const { id } = await t.mill.enqueue(sendEmail, { ...mail, tags: ["a", "b"] });
  assert.equal((await t.requireEnqueued(sendEmail)).id, id);
  assert.equal((await t.requireEnqueued(sendEmail, { to: mail.to, tags: ["a", "b"] }, { count: 1 })).id, id);
  await t.refuteEnqueued(sendEmail, { to: "bob@example.com" });
  await t.refuteEnqueued(sendEmail, { tags: ["a"] });
  await t.refuteEnqueued(welcome);
});

test("what is not as required is said with what is enqueued", async () => {
  await t.mill.enqueue(sendEmail, mail);
  await assert.rejects(t.requireEnqueued(sendEmail, { to: "bob@example.com" }),
    { name: "AssertionError", message: /^a job "send_email" with \{"to":"bob@example\.com"\} should be enqueued, and there is none; these jobs are enqueued:\n {2}send_email \{"to": ?"ann@example\.com".* \(pending, 2030-01-31/ });
  await assert.rejects(t.requireEnqueued(sendEmail, {}, { count: 2 }), /2 jobs "send_email" with \{\} should be enqueued, and there are 1;/);
  await assert.rejects(t.refuteEnqueued(sendEmail, { subject: "Hello" }), /no job "send_email" .* should be enqueued; these jobs/);
  await assert.rejects(t.requireEnqueued(welcome), /a job "welcome" should be enqueued/);
});

test("jobs that were enqueued many at a time are found before they run", async () => {
  await t.mill.enqueueMany(poll, [{ n: 1 }, { n: 2 }, { n: 3 }]);
  await t.requireEnqueued(poll, { n: 2 }, { count: 1 });
  assert.equal((await t.jobs({ kind: poll, state: "pending" })).length, 3);
});

test("drain runs what is due and what those jobs enqueue, and says what happened", async () => {
  await t.mill.enqueue(welcome, { to: mail.to });
  const { attempts, ...counts } = await t.drain();
  assert.deepEqual(counts, { completed: 2, failed: 0, snoozed: 0, released: 0, dead: 0, lost: 0 });
  assert.deepEqual(attempts.map(({ kind, attempt, outcome }) => [kind, attempt, outcome]), [["welcome", 1, "completed"], ["send_email", 1, "completed"]]);
  assert.deepEqual(attempts[1].result, { sent: mail.to });
  const job = await t.job(attempts[1].id);
  assert.equal(job.state, "completed");
  assert.deepEqual(job.result, { sent: mail.to });
  assert.equal(Date.parse(job.finishedAt), Date.parse(START));
});

test("drain leaves a kind without a handler alone", async () => {
  await t.mill.enqueueAll([poll.with({ n: 1 }), welcome.with({ to: mail.to })]);
  assert.equal((await t.drain(handlers.filter(({ job }) => job !== poll))).completed, 2);
  assert.deepEqual(await states(), ["poll pending", "welcome completed", "send_email completed"]);
});

test("a failed attempt is retried once the clock has passed its backoff, and the last one leaves a dead letter", async () => {
  const refusal = new Error("the mail server is away");
  behaviour.sendEmail = () => { throw refusal; };
  const { id } = await t.mill.enqueue(sendEmail, mail);
  const first = await t.drain();
  assert.equal(first.failed, 1);
  assert.equal(first.attempts[0].error, refusal);
  assert.equal((await t.job(id)).state, "retrying");
  assert.equal((await t.drain()).attempts.length, 0);
  for (const attempt of [2, 3]) {
    await t.clock.move("1h");
    assert.deepEqual((await t.drain()).attempts.map((one) => one.attempt), [attempt]);
  }
  const job = await t.job(id);
  assert.equal(job.state, "failed");
  assert.equal(job.error.message, "the mail server is away");
  await t.clock.move("1h");
  assert.equal((await t.drain()).attempts.length, 0);
  assert.equal((await t.mill.retry(id))[0].status, "retried");
  behaviour.sendEmail = undefined;
  assert.equal((await t.drain()).completed, 1);
});

test("drain with rethrow throws what a handler has thrown", async () => {
  const bug = new TypeError("undefined is not a function");
  behaviour.sendEmail = () => { throw bug; };
  const { id } = await t.mill.enqueue(sendEmail, mail);
  await assert.rejects(t.drain(handlers, { rethrow: true }), (error) => error === bug);
  assert.equal((await t.job(id)).state, "retrying");
});

test("a job that snoozes uses up no attempt, and withScheduled moves the clock to it", async () => {
  let looks = 0;
  behaviour.poll = () => (++looks < 4 ? snooze("30s") : { looks });
  const { id } = await t.mill.enqueue(poll, { n: 1 });
  const { snoozed, completed } = await t.drain(handlers, { withScheduled: true });
  assert.deepEqual([snoozed, completed], [3, 1]);
  assert.deepEqual((await t.job(id)).result, { looks: 4 });
  const passed = (t.clock.now() - new Date(START)) / 1000;
  assert.ok(passed >= 90 && passed < 91, `${passed} s`);
});

test("a job of a later time runs when the clock gets there and not before", async () => {
  await t.mill.enqueue(sendEmail, mail, { in: "2d" });
  await t.requireEnqueued(sendEmail, {}, { runAt: "2030-02-02T12:00:00Z" });
  await t.refuteEnqueued(sendEmail, {}, { runAt: START });
  assert.equal((await t.drain()).attempts.length, 0);
  assert.equal((await t.drain(handlers, { withScheduled: new Date("2030-02-01") })).attempts.length, 0);
  await t.clock.set("2030-02-02T12:00:00Z");
  assert.equal((await t.drain()).completed, 1);
});

test("a job that snoozes without end is found by the limit of drain", async () => {
  behaviour.poll = () => snooze(1);
  await t.mill.enqueue(poll, { n: 1 });
  await assert.rejects(t.drain(handlers, { withScheduled: true, limit: 5 }), /has run 5 attempts and there are more: poll/);
});

test("a lease ends by the moved clock, and the worker that comes late has lost the job", async () => {
  await t.mill.enqueue(sendEmail, mail);
  const [claimed] = await t.mill.rpc("claim_jobs", { p_worker: "slow", p_queues: ["mail"], p_max: 1 });
  assert.equal((await t.drain()).attempts.length, 0);
  await t.clock.move("1h");
  assert.deepEqual((await t.drain(handlers, { withScheduled: true })).attempts.map(({ attempt, outcome }) => [attempt, outcome]), [[2, "completed"]]);
  const settled = await t.mill.rpc("settle_jobs", { p_worker: "slow", p_outcomes: [{ id: claimed.id, attempt: 1, outcome: "completed", result: "late" }] });
  assert.equal(settled[0].status, "lost");
  assert.deepEqual((await t.job(claimed.id)).result, { sent: mail.to });
});

test("a handler that ends its job for good leaves a dead letter", async () => {
  behaviour.sendEmail = () => dead("the address is blocked");
  const { id } = await t.mill.enqueue(sendEmail, mail);
  assert.equal((await t.drain()).dead, 1);
  assert.equal((await t.job(id)).error.message, "the address is blocked");
});

test("a payload that does not fit is refused by the library and by Postgres with its field", async () => {
  await assert.rejects(t.mill.enqueue(sendEmail, { ...mail, to: "nobody" }), (error) => error instanceof InvalidPayload && error.field === "/to");
  await assert.rejects(t.mill.rpc("enqueue_jobs", { p_jobs: [{ kind: "send_email", payload: { to: mail.to, subject: 1 } }] }),
    (error) => error instanceof InvalidPayload && error.field === "/subject" && error.status === 400);
  await assert.rejects(t.mill.rpc("enqueue_jobs", { p_jobs: [{ kind: "send_pigeon", payload: { to: "x" } }] }), UnknownKind);
  assert.deepEqual(await t.jobs(), []);
});

test("a user may enqueue what is open to users and sees only their own jobs", async () => {
  const [ann, bob] = ["6b1f2a58-0000-4000-8000-000000000001", "6b1f2a58-0000-4000-8000-000000000002"];
  const { id } = await t.as(ann).enqueue(welcome, { to: mail.to });
  assert.equal((await t.job(id)).owner, ann);
  assert.equal((await t.as(ann).get(id)).id, id);
  assert.equal(await t.as(bob).get(id), null);
  await assert.rejects(t.as(ann).enqueue(sendEmail, mail), UnknownKind);
  await assert.rejects(t.as(ann).rpc("claim_jobs", { p_worker: "w", p_queues: ["mail"], p_max: 1 }), { code: "42501", status: 403 });
  await assert.rejects(t.as({ role: "anon" }).enqueue(welcome, { to: mail.to }), { code: "42501" });
});

test("what a handler logs and how far it came is kept with the job", async () => {
  behaviour.sendEmail = ({ log, progress }) => {
    log("looking up the address", { to: mail.to });
    log.warn("slow");
    progress(40);
    snooze("1m");
  };
  const { id } = await t.mill.enqueue(sendEmail, mail);
  await t.drain();
  assert.equal((await t.job(id)).progress, 40);
  assert.deepEqual((await t.logs(id)).map(({ level, message }) => [level, message]), [["info", "looking up the address"], ["warn", "slow"]]);
});

test("reset brings back the rows and the clock of the beginning", async () => {
  await t.mill.enqueue(sendEmail, mail);
  await t.drain();
  await t.sql`insert into public.notes (text) values ('second')`;
  await t.sql`update mill.queue set max_attempts = 17 where queue = 'mail'`;
  await t.sql`delete from mill.kind where kind = 'poll'`;
  await t.clock.move("1w");
  await t.reset();
  assert.deepEqual(await t.jobs(), []);
  assert.equal(t.clock.now().toISOString(), "2030-01-31T12:00:00.000Z");
  assert.deepEqual(await t.sql`select id, text from public.notes`, [{ id: 1, text: "first" }]);
  assert.deepEqual(await t.sql`insert into public.notes (text) values (${"again"}) returning id`, [{ id: 2 }]);
  assert.deepEqual(await t.sql`select max_attempts from mill.queue where queue = 'mail'`, [{ max_attempts: 5 }]);
  behaviour.poll = () => "done";
  await t.mill.enqueue(poll, { n: 1 });
  assert.equal((await t.drain()).completed, 1);
});

test("a long-lived worker works on it", async () => {
  await t.mill.enqueueMany(sendEmail, Array.from({ length: 25 }, (_, n) => ({ to: `user${n}@example.com`, subject: "Hello" })));
  await t.mill.work(handlers, { concurrency: 5, stopWhenIdle: true });
  assert.equal((await t.jobs({ kind: sendEmail, state: "completed" })).length, 25);
});

test("two engines in one process do not disturb each other", async () => {
  const other = await testing({ handlers, now: "2031-06-01T00:00:00Z" });
  try {
    await Promise.all([t.mill.enqueue(sendEmail, mail), other.mill.enqueue(welcome, { to: mail.to })]);
    await other.clock.move("1d");
    const [here, there] = await Promise.all([t.drain(), other.drain()]);
    assert.deepEqual([here.attempts.length, there.attempts.length], [1, 2]);
    assert.deepEqual([t.clock.now().toISOString(), other.clock.now().toISOString()], ["2030-01-31T12:00:00.000Z", "2031-06-02T00:00:00.000Z"]);
    await other.reset();
    assert.deepEqual(await states(), ["send_email completed"]);
  } finally {
    await other.close();
  }
});
