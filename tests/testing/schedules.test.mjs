// Schedules that are defined in TypeScript, on the real engine in this process with a clock that the test moves.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { z } from "zod";

import { defineJob, defineSchedule, handle } from "../../sdk/typescript/dist/index.js";
import { testing } from "../../sdk/typescript/dist/testing/index.js";

const START = "2027-03-10T12:00:00Z";
const report = defineJob("report", { queue: "reports", schema: z.object({ of: z.string(), at: z.iso.datetime() }) });
const nightly = defineSchedule("nightly", report, { cron: "30 2 * * *", timeZone: "America/New_York", payload: { of: "all" }, dueField: "at" });
const beat = defineSchedule("beat", report, { every: "12h", startsAt: "2027-03-10T06:00:00Z", payload: { of: "beat" }, dueField: "at", catchUp: "none", overlap: "queue", priority: 7 });

const t = await testing({ handlers: [handle(report, ({ payload }) => ({ did: payload.at }))], schedules: [nightly, beat], now: START });
after(() => t.close());
beforeEach(() => t.reset());

test("each due time makes one job in its turn, in the time zone of the schedule and across a change of clocks", async () => {
  const { attempts } = await t.drain(undefined, { withScheduled: new Date("2027-03-16T00:00:00Z") });
  const of = (name) => attempts.filter(({ payload }) => payload.of === name).map(({ result }) => result.did.slice(5, 16));
  assert.deepEqual(of("all"), ["03-11T07:30", "03-12T07:30", "03-13T07:30", "03-14T07:00", "03-15T06:30"]);
  assert.deepEqual(of("beat").slice(0, 3), ["03-10T18:00", "03-11T06:00", "03-11T18:00"]);
  assert.equal(of("beat").length, 11);
});

test("after a week of silence one job stands for the nights that were missed, and none for a schedule that does not catch up", async () => {
  await t.clock.move("7d");
  const { attempts } = await t.drain();
  assert.deepEqual(attempts.map(({ payload }) => [payload.of, payload.at]), [["all", "2027-03-17T06:30:00.000Z"]]);
  const [run] = await t.mill.rpc("schedule_runs", { p_schedule: "nightly" });
  assert.equal(run.outcome, "caught_up");
  assert.deepEqual((await t.mill.rpc("schedule_runs", { p_schedule: "beat" })).map(({ outcome, missed_count }) => [outcome, missed_count]), [["missed", 14]]);
});

test("registering again changes nothing, and an operator's change is kept", async () => {
  const definition = { jobs: [report], schedules: [nightly] };
  assert.deepEqual((await t.mill.register(definition)).schedules, [{ schedule: "nightly", status: "unchanged" }]);
  await t.mill.rpc("save_schedule", { p_schedule: { schedule: "nightly", cron: "0 4 * * *" } });
  const { schedules, kept } = await t.mill.register(definition);
  assert.deepEqual(schedules, [{ schedule: "nightly", status: "unchanged" }]);
  assert.deepEqual(kept, [{ schedule: "nightly", field: "cron", value: "0 4 * * *", asked: "30 2 * * *" }]);
});
