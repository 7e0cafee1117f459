// Schedules of users: their due times are those that croner finds, and each due time makes one job, or none by a policy that the row names.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Server } from "../../sdk/local/stack/server.mjs";
import { isSoak } from "../support.mjs";
import { randomFrom } from "./schemas/generate.mjs";
import { dueTimes, schedules, ZONES } from "./schedules/generate.mjs";

const SEED = Number(process.env.GRISTMILL_SEED ?? (isSoak ? Date.now() % 1_000_000 : 28));
const COUNT = isSoak ? 10_000 : 100;
const LIVE = isSoak ? 200 : 40;
const YEAR = [Date.UTC(2027, 0, 1), Date.UTC(2028, 0, 1)];
const MINUTE = 60_000;

let server;
before(async () => {
  server = await new Server("schedules").start();
  await server.create("schedules");
  const { code, stderr } = await server.gristmill("schedules", "migrate");
  assert.equal(code, 0, stderr);
});
after(() => server?.destroy());

const iso = (ms) => new Date(ms).toISOString();

test(`Postgres and croner find the same due times of ${COUNT} schedules in ${ZONES.length} time zones in a year in which clocks change (seed ${SEED})`, async () => {
  const { one } = schedules(randomFrom(SEED));
  let found = 0;
  await server.connected("schedules", async (client) => {
    await client.query("set jit = off");
    for (let n = 0; n < COUNT; n++) {
      const { cron, zone } = one();
      const { rows: [{ times }] } = await client.query(
        "select array(select extract(epoch from t) * 1000 from mill.cron_times($1, $2, $3, $4) t)::float8[] as times", [cron, zone, ...YEAR.map(iso)]);
      const wanted = dueTimes(cron, zone, ...YEAR);
      const differ = [...times.filter((one) => !wanted.includes(one)).map((one) => `+${iso(one)}`), ...wanted.filter((one) => !times.includes(one)).map((one) => `-${iso(one)}`)];
      assert.deepEqual(differ, [], `${cron} in ${zone}: only Postgres has those with +, only croner those with -`);
      found += wanted.length;
    }
  });
  assert.ok(found > COUNT * 50, `${found} due times`);
});

test("the next due time, asked again and again, walks through the same times as a whole stretch", async () => {
  await server.connected("schedules", async (client) => {
    for (const zone of ["America/New_York", "Australia/Lord_Howe", "America/Havana"]) {
      for (const cron of ["30 * * * *", "*/20 0-3 * * 0"]) {
        const { rows: [{ same, times }] } = await client.query(
          `with recursive schedule as (
             select s from jsonb_populate_record(null::mill.job_schedule, jsonb_build_object('cron', $1::text, 'time_zone', $2::text, 'starts_at', '2001-01-01T00:00:00Z')) s),
           walked as (
             select (mill.next_due_times(s, '2027-03-08 00:00+00'))[1] as due from schedule
             union all
             select (mill.next_due_times(s, w.due))[1] from walked w, schedule where w.due < '2027-04-08 00:00+00'),
           stretch as (select t from mill.cron_times($1, $2, '2027-03-08 00:00+00', '2027-04-08 00:00+00') t)
           select (select array_agg(due order by due) from walked where due <= '2027-04-08 00:00+00') = (select array_agg(t order by t) from stretch) as same,
             (select count(*)::int from stretch) as times`, [cron, zone]);
        assert.ok(same && times > 40, `${cron} in ${zone}: ${times} times`);
      }
    }
  });
});

// What becomes of the due times of one schedule, told again in JavaScript. Jobs of the kind `brief` have ended before the next round, those of `endless` never end.
function story({ due, rounds, catchUp, limit, overlap, kind }) {
  const runs = [];
  let from = 0;
  let isBusy = false;
  for (const now of rounds) {
    const batch = due.slice(from, due.findLastIndex((one) => one <= now) + 1);
    from += batch.length;
    const late = batch.filter((one) => one < now - 2 * MINUTE);
    let run = batch;
    if (late.length > 0) run = { none: batch.slice(late.length), once: batch.slice(-1), all: batch.slice(Math.max(0, late.length - limit)) }[catchUp];
    const missed = batch.filter((one) => !run.includes(one));
    if (missed.length > 0) runs.push([missed.at(-1), "missed", missed.length]);
    run.forEach((one, n) => {
      const isSkipped = overlap === "skip" && (isBusy || n > 0);
      runs.push([one, isSkipped ? "overlapped" : one < now - 2 * MINUTE ? "caught_up" : "due", null]);
    });
    if (kind === "endless" && run.length > 0) isBusy = true;
  }
  return runs.sort(([a], [b]) => a - b);
}

test(`of ${LIVE} schedules over a night in which clocks change and the pump stands still for three hours, each due time makes one job or is accounted for by its policy`, async () => {
  const { one, pick, integer } = schedules(randomFrom(SEED + 1));
  const [begin, end] = [Date.UTC(2027, 2, 14, 2), Date.UTC(2027, 2, 14, 12)]; // 14 March: New York's clocks are put forward at 07:00 UTC
  const [down, up] = [Date.UTC(2027, 2, 14, 5, 30, 30), Date.UTC(2027, 2, 14, 8, 30, 30)];
  const made = Array.from({ length: LIVE }, (_, n) => {
    const isInterval = n % 4 === 0;
    const { zone } = one();
    return {
      schedule: `s${n}`, kind: pick("brief", "endless"), payload: { n }, due_field: "due", time_zone: n % 3 === 0 ? "America/New_York" : zone,
      ...(isInterval ? { every_seconds: pick(90, 600, 3600, 7200) } : { cron: pick("*/15 * * * *", "5 * * * *", "30 1,2,3 * * *", "0 */2 * * *", `${integer(0, 59)} 0-23/3 * * *`) }),
      overlap: pick("skip", "queue", "queue"), catch_up: pick("none", "once", "all"), catch_up_limit: pick(3, 100),
    };
  });
  const rounds = [];
  for (let now = begin + 40_000; now <= end; now += 2 * MINUTE) if (now < down || now > up) rounds.push(now);

  await server.connected("schedules", async (client) => {
    const at = (now) => client.query("select set_config('mill.now', $1, false)", [iso(now)]);
    await client.query("set jit = off");
    await at(begin);
    await client.query("set role service_role");
    const { rows: [{ answer }] } = await client.query("select public.register_jobs($1) as answer", [{
      queues: [{ queue: "nightly", served_by: "external" }],
      kinds: ["brief", "endless"].map((kind) => ({ kind, queue: "nightly" })), schedules: made }]);
    assert.equal(answer.schedules.length, LIVE);
    for (const now of rounds) {
      await at(now);
      await client.query("select public.tick()");
      await client.query("reset role");
      const { rows: ended } = await client.query("select id from mill.job_live where kind = 'brief'");
      await client.query("set role service_role");
      await client.query("select public.cancel_jobs($1)", [ended.map(({ id }) => id)]);
    }
    await client.query("reset role");
    for (const schedule of made) {
      const due = schedule.cron
        ? dueTimes(schedule.cron, schedule.time_zone, begin, end)
        : Array.from({ length: 1000 }, (_, n) => begin + (n + 1) * schedule.every_seconds * 1000 - ((begin - Date.UTC(2001, 0, 1)) % (schedule.every_seconds * 1000))).filter((one) => one <= end);
      const { rows } = await client.query(
        "select extract(epoch from due)::float8 * 1000 as due, outcome, missed_count, job from mill.job_schedule_run where schedule = $1 order by due", [schedule.schedule]);
      const wanted = story({ due: due.filter((one) => one <= rounds.at(-1)), rounds, catchUp: schedule.catch_up, limit: schedule.catch_up_limit, overlap: schedule.overlap, kind: schedule.kind });
      assert.deepEqual(rows.map(({ due, outcome, missed_count }) => [iso(due), outcome, missed_count]), wanted.map(([due, ...rest]) => [iso(due), ...rest]), JSON.stringify(schedule));
      if (schedule.kind === "endless") {
        const { rows: jobs } = await client.query("select id, payload ->> 'due' as due from mill.job_live where name = $1 order by payload ->> 'due'", [schedule.schedule]);
        assert.deepEqual(jobs.map(({ id, due }) => [id, due]), rows.filter(({ job }) => job).map(({ job, due }) => [job, iso(due)]), "each job carries its due time, and there is one per run");
      }
    }
  });
});
