// Everything at once on the same rows: no serialization failure and no deadlock reaches a caller.
import assert from "node:assert/strict";
import fs from "node:fs";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { connect, isSoak, startStack } from "../support.mjs";

const CLAIMS = isSoak ? 1_000_000 : 30_000;
let stack, pool;
before(async () => {
  // Who waited for whom in a deadlock is told by the server's log alone.
  stack = await startStack("contention", { parts: [], settings: { log_min_messages: "error" } });
  pool = connect(stack, 40);
});
after(async () => {
  await pool?.end();
  await stack?.destroy();
});

const failures = new Map();
async function call(text, values) {
  try {
    return (await pool.query(text, values)).rows;
  } catch (error) {
    const what = `${error.code} in ${text}: ${error.where?.split("\n")[0]}`;
    failures.set(what, (failures.get(what) ?? 0) + 1);
    return [];
  }
}

test(`no 40001 and no 40P01 escapes in ${CLAIMS} contended claims`, async (context) => {
  const begun = Date.now();
  await pool.query("insert into mill.queue (queue, max_attempts, backoff_base_seconds, backoff_cap_seconds) values ('hot', 1000, 0.001, 0.01), ('hot-capped', 1000, 0.001, 0.01)");
  await pool.query("update mill.queue set max_running = 20, max_running_per_group = 5, dequeue = 'fair' where queue = 'hot-capped'");
  await pool.query("insert into mill.kind (kind, queue) values ('hot', 'hot'), ('hot-capped', 'hot-capped')");
  let claims = 0;
  let calls = 0;
  const pick = (list) => list[Math.floor(Math.random() * list.length)];
  const worker = async (at) => {
    const name = `w${at}`;
    while (claims < CLAIMS) {
      calls += 1;
      const held = await call("select id, attempt from mill.claim($1, array['hot', 'hot-capped'], 10)", [name]);
      if (held.length === 0) continue;
      claims += held.length;
      if (Math.random() < 0.3) await call("select * from mill.heartbeat($1, $2)", [name, JSON.stringify([...held].reverse())]);
      const outcomes = held.map(({ id, attempt }) => ({ id, attempt, outcome: pick(["completed", "completed", "failed", "released", "snoozed", "dead"]), delay_seconds: 0 }));
      // Twice at once, in opposite order.
      await Promise.all([outcomes, [...outcomes].reverse()].map((list) => call("select * from mill.settle($1, $2)", [name, JSON.stringify(list)])));
    }
  };
  // Few jobs and many hands: producers do not run ahead.
  const producer = async (at) => {
    while (claims < CLAIMS) {
      const [backlog] = await call("select count(*)::int as jobs from (select from mill.job_live limit 2000) j");
      if (backlog?.jobs === 2000) {
        await sleep(20);
        continue;
      }
      const jobs = Array.from({ length: 20 }, (_, n) => ({
        kind: pick(["hot", "hot-capped"]), payload: { n }, group_key: `g${n % 3}`, priority: pick([1, 5, 9]),
        ...(Math.random() < 0.5 && { dedupe_key: `k${Math.floor(Math.random() * 30)}` }),
      }));
      await call("select * from mill.enqueue($1)", [JSON.stringify(at % 2 ? jobs : jobs.reverse())]);
      await call("select mill.enqueue_many('hot', $1)", [JSON.stringify(jobs.map(({ payload }) => payload))]);
    }
  };
  const operator = async () => {
    while (claims < CLAIMS) {
      const ids = (await call(`select id from (select id from mill.job_live limit 50) l union all select id from (select id from mill.job_dead limit 50) d
        union all select id from (select id from mill.packed_job limit 5) p order by 1 limit 10`)).map(({ id }) => id);
      await call(`select * from mill.${pick(["cancel", "retry", "discard"])}($1)`, [ids]);
      await call("select mill.tick()");
    }
  };
  await Promise.all([...Array.from({ length: 16 }, (_, at) => worker(at)), producer(0), producer(1), operator(), operator()]);
  context.diagnostic(`${claims} jobs claimed by ${calls} calls in ${Math.round((Date.now() - begun) / 1000)} s`);
  if (failures.size > 0) context.diagnostic(fs.readFileSync(stack.postgres.part.log, "utf8"));
  assert.deepEqual([...failures], []);
});

for (const [how, enqueue] of [
  ["", "select id from mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'hot', 'payload', jsonb_build_object('n', n))) from generate_series(1, $1) n))"],
  [" in packs", "select unnest(mill.enqueue_many('hot', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, $1) n))) as id"],
]) test(`cancelling and claiming at once end each job${how} in one place`, async () => {
  await pool.query("truncate mill.job, mill.pack, mill.pack_lease");
  const jobs = isSoak ? 20_000 : 500;
  const { rows } = await pool.query(enqueue, [jobs]);
  const answers = { cancelled: 0, requested: 0, not_live: 0 };
  let accepted = 0;
  let finished = false;
  await Promise.all([
    (async () => {
      for (let at = 0; at < rows.length; at += 7) {
        const ids = rows.slice(at, at + 7).map(({ id }) => id).reverse();
        for (const { status } of (await pool.query("select * from mill.cancel($1)", [ids])).rows) answers[status] += 1;
      }
      finished = true;
    })(),
    ...Array.from({ length: 8 }, async (_, at) => {
      for (;;) {
        const { rows: held } = await pool.query("select id, attempt from mill.claim($1, array['hot'], 5)", [`c${at}`]);
        if (held.length === 0 && finished) return;
        const outcomes = JSON.stringify(held.map(({ id, attempt }) => ({ id, attempt, outcome: "completed" })));
        const settled = await pool.query("select status from mill.settle($1, $2)", [`c${at}`, outcomes]);
        accepted += settled.rows.filter(({ status }) => status === "accepted").length;
      }
    }),
  ]);
  const { rows: [counts] } = await pool.query(`select count(*) filter (where state = 'completed')::int as completed,
    count(*) filter (where state = 'cancelled')::int as cancelled, count(*)::int as all from mill.job`);
  assert.equal(counts.all, jobs);
  assert.equal(counts.completed, accepted);
  assert.equal(counts.cancelled, answers.cancelled + answers.requested);
  assert.equal(counts.completed + counts.cancelled, jobs);
});
