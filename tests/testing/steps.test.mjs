// Durable steps as a user's test file meets them: the real engine in this process, a clock that the test moves.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";

import { defineJob, handle } from "../../sdk/typescript/dist/index.js";
import { testing } from "../../sdk/typescript/dist/testing/index.js";

const order = defineJob("order", { maxAttempts: 3 }).payload();

let did, behaviour;
const handlers = [handle(order, (cx) => behaviour(cx))];
const t = await testing({ handlers, now: "2030-01-31T12:00:00Z" });
after(() => t.close());
beforeEach(async () => {
  did = [];
  await t.reset();
});
const does = (name, result) => () => {
  did.push(name);
  return result;
};
const outcomes = ({ attempts }) => attempts.map(({ outcome }) => outcome);

test("a step that was done is not done again by a later attempt, and answers what it came to", async () => {
  let fails = 2;
  behaviour = async ({ step }) => {
    const a = await step("a", does("a", { x: 1 }));
    const b = await step("b", async () => {
      did.push("b");
      if (fails-- > 0) throw new Error("not yet");
      return a.x + 1;
    });
    return { a, b, c: await step("c", does("c")) };
  };
  const { id } = await t.mill.enqueue(order, { n: 1 });
  await t.drain(undefined, { withScheduled: true });
  assert.deepEqual(did, ["a", "b", "b", "b", "c"]);
  assert.deepEqual((await t.job(id)).result, { a: { x: 1 }, b: 2, c: null });
  assert.deepEqual((await t.mill.rpc("job_steps", { p_job: id })).map(({ step, state, attempt }) => [step, state, attempt]), [["a", "finished", 1], ["b", "finished", 3], ["c", "finished", 3]]);
});

test("steps of one name in a loop are told apart by their number", async () => {
  behaviour = async ({ step, sleep }) => {
    const pages = [];
    for (let page = 1; page <= 3; page++) {
      pages.push(await step("page", does(page, page * 10)));
      await sleep("pause", "1h");
    }
    return pages;
  };
  const { id } = await t.mill.enqueue(order, { n: 1 });
  await t.drain(undefined, { withScheduled: true });
  assert.deepEqual(did, [1, 2, 3]);
  assert.deepEqual((await t.job(id)).result, [10, 20, 30]);
  assert.deepEqual((await t.mill.rpc("job_steps", { p_job: id })).map(({ step }) => step), ["page", "pause", "page#2", "pause#2", "page#3", "pause#3"]);
});

test("a job that sleeps for 30 days has no worker, no lease and all its attempts, and goes on at its time", async () => {
  behaviour = async ({ step, sleep, log }) => {
    await step("before", does("before"));
    log("good night");
    await sleep("a month", "30d");
    await step("after", does("after"));
    return "done";
  };
  const { id } = await t.mill.enqueue(order, { n: 1 });
  assert.deepEqual(outcomes(await t.drain()), ["snoozed"]);
  const asleep = await t.job(id);
  assert.deepEqual([asleep.state, asleep.worker, asleep.leaseUntil, asleep.maxAttempts - asleep.attempt], ["deferred", null, null, 3]);
  assert.deepEqual((await t.logs(id)).map(({ message }) => message), ["good night"]);
  await t.clock.move("29d");
  assert.deepEqual(outcomes(await t.drain()), []);
  await t.clock.move("1d");
  assert.deepEqual(outcomes(await t.drain()), ["completed"]);
  assert.deepEqual(did, ["before", "after"]);
});

test("an event that comes before the wait is received, and one that comes later makes the job due at once", async () => {
  behaviour = async ({ waitFor }) => [await waitFor("early"), await waitFor("late", { timeout: "7d" }), (await waitFor("never", { timeout: "1h" })) ?? "nobody came"];
  const { id } = await t.mill.enqueue(order, { n: 1 });
  assert.equal(await t.mill.sendEvent(id, "early", { at: "first" }), "kept");
  assert.deepEqual(outcomes(await t.drain()), ["snoozed"]);
  assert.equal(await t.mill.sendEvent(id, "late", { by: "ann" }, { key: "1" }), "delivered");
  assert.equal(await t.mill.sendEvent(id, "late", { by: "ann" }, { key: "1" }), "duplicate");
  assert.deepEqual(outcomes(await t.drain()), ["snoozed"]);
  await t.clock.move("1h");
  assert.deepEqual(outcomes(await t.drain()), ["completed"]);
  assert.deepEqual((await t.job(id)).result, [{ at: "first" }, { by: "ann" }, "nobody came"]);
  assert.equal(await t.mill.sendEvent(id, "late"), "not_live");
});

test("no catch and no finally of a handler runs when it is put off", async () => {
  behaviour = async ({ sleep }) => {
    try {
      await sleep("nap", "1h");
      did.push("awake");
    } catch {
      did.push("catch");
    } finally {
      did.push("finally");
    }
  };
  await t.mill.enqueue(order, { n: 1 });
  await t.drain();
  assert.deepEqual(did, []);
  await t.clock.move("1h");
  await t.drain();
  assert.deepEqual(did, ["awake", "finally"]);
});

test("an event is sent in the application's own transaction, and not at all when that is rolled back", async () => {
  behaviour = async ({ waitFor }) => waitFor("paid");
  const { id } = await t.mill.enqueue(order, { n: 1 });
  await t.drain();
  await assert.rejects(t.db.transaction(async (tx) => {
    await tx.query("select mill.send_event($1, 'paid', '{\"n\": 1}')", [id]);
    throw new Error("no");
  }));
  assert.deepEqual(outcomes(await t.drain()), []);
  await t.db.transaction((tx) => tx.query("select mill.send_event($1, 'paid', '{\"n\": 2}')", [id]));
  assert.deepEqual(outcomes(await t.drain()), ["completed"]);
  assert.deepEqual((await t.job(id)).result, { n: 2 });
});
