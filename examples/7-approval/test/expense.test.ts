// Days pass by moving the clock.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { testing } from "gristmill/testing";
import { daily, decide, expense, handlers, report, type Outside } from "../src/expense.js";

let did: string[], pay: Outside["pay"];
const all = handlers({
  mail: async (to, text) => void did.push(`${to}: ${text}`),
  pay: (...given) => pay(...given),
});
const t = await testing({ handlers: all, schedules: [daily], now: "2030-03-01T12:00:00Z" });
beforeEach(async () => {
  await t.reset();
  did = [];
  pay = async ({ number }) => {
    did.push(`paid ${number}`);
    return { receipt: `R-${number}` };
  };
});
after(() => t.close());

const E7 = { number: "E7", cents: 1250, approver: "ann" };
const ASK = "ann: please look at expense E7", REMINDER = "ann: Reminder: please look at expense E7";

test("an expense that is approved after five days is paid a day later, and its approver was reminded once", async () => {
  const { id } = await t.mill.enqueue(expense, E7);
  await t.drain();
  await t.clock.move("3d");
  await t.drain();
  await t.clock.move("2d");
  assert.deepEqual(await Promise.all([t.job(id)].map(async (job) => [(await job)!.state, (await job)!.worker, (await job)!.leaseUntil])), [["deferred", null, null]], "it waits and holds nothing");
  assert.equal(await decide(t.mill, id, { approved: true, by: "ann" }), "delivered");
  assert.equal(await decide(t.mill, id, { approved: true, by: "ann" }), "duplicate");
  await t.drain();
  assert.deepEqual(did, [ASK, REMINDER], "second thoughts take a day");
  await t.clock.move("1d");
  await t.drain();
  assert.deepEqual(did, [ASK, REMINDER, "paid E7"]);
  assert.deepEqual((await t.job(id))!.result, { paid: true, receipt: "R-E7" });
});

test("an expense that is refused is not paid", async () => {
  const { id } = await t.mill.enqueue(expense, E7);
  await t.drain();
  await decide(t.mill, id, { approved: false, by: "ann" });
  await t.drain();
  assert.deepEqual((await t.job(id))!.result, { paid: false, why: "refused by ann" });
  assert.deepEqual(did, [ASK]);
});

test("an expense that nobody looks at is given up after three questions", async () => {
  const { id } = await t.mill.enqueue(expense, E7);
  await t.drain(all, { withScheduled: true });
  assert.deepEqual(did, [ASK, REMINDER, REMINDER]);
  assert.deepEqual((await t.job(id))!.result, { paid: false, why: "nobody answered" });
  assert.equal(t.clock.now().toISOString().slice(0, 10), "2030-03-10");
});

test("a payment that fails is tried again, and nobody is asked a second time", async () => {
  const works = pay;
  let fails = 2;
  pay = async (...given) => {
    if (fails-- > 0) throw new Error("the bank is closed");
    return works(...given);
  };
  const { id } = await t.mill.enqueue(expense, E7);
  await decide(t.mill, id, { approved: true, by: "ann" });
  await t.drain(all, { withScheduled: true });
  assert.deepEqual(did, [ASK, "paid E7"]);
  assert.equal((await t.job(id))!.state, "completed");
});

test("the report is written on weekdays at eight, also when clocks are changed", async () => {
  await t.drain(all, { withScheduled: new Date("2030-04-02T00:00:00Z") });
  const days = (await t.jobs({ kind: report })).map(({ result }) => (result as { reported: string }).reported);
  assert.equal(days.length, 21);
  assert.deepEqual([days[0], days.at(-1)], ["2030-03-04T07:00:00.000Z", "2030-04-01T06:00:00.000Z"]);
});
