// Many workers settle and claim in one call: nothing twice, nothing lost, no deadlock, and caps and limits hold exactly.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { connect, isSoak, startStack } from "../support.mjs";

const WORKERS = 16;
const JOBS = isSoak ? 50_000 : 250;
let stack, pool;
before(async () => {
  stack = await startStack("settle-and-claim", { parts: [] });
  pool = connect(stack, WORKERS + 6);
  await pool.query(`insert into mill.queue (queue, served_by, max_running) values ('open', 'external', null), ('capped', 'external', 7)`);
  await pool.query("insert into mill.kind (kind, queue) values ('open', 'open'), ('capped', 'capped')");
});
after(async () => {
  await pool?.end();
  await stack?.destroy();
});

const enqueue = (kind, count) => pool.query(
  "select count(*) from mill.enqueue((select jsonb_agg(jsonb_build_object('kind', $1::text, 'payload', jsonb_build_object('n', n))) from generate_series(1, $2) n))", [kind, count]);

/** Every worker settles what it has and claims the next, until nothing is left. `outcomeOf` says what becomes of a job. */
async function work(queues, outcomeOf, look = async () => {}) {
  const accepted = new Map();
  await Promise.all(Array.from({ length: WORKERS }, async (_, at) => {
    const worker = `w${at}`;
    for (let outcomes = []; ;) {
      const { rows: [{ answer }] } = await pool.query("select public.settle_and_claim($1, $2, $3, $4) as answer", [worker, JSON.stringify(outcomes), queues, 1 + (at % 5)]);
      outcomes.forEach(({ id, outcome }, n) => {
        assert.deepEqual(answer.settled[n], { id, status: "accepted" });
        if (outcome === "completed") accepted.set(id, (accepted.get(id) ?? 0) + 1);
      });
      if (answer.jobs.length > 0) await look(answer.jobs);
      outcomes = answer.jobs.map((job) => ({ id: job.id, attempt: job.attempt, ...outcomeOf(job) }));
      if (outcomes.length === 0 && (await pool.query("select from mill.job_live where queue = any ($1) limit 1", [queues])).rowCount === 0) return;
    }
  }));
  return accepted;
}

test("every job is completed exactly once while workers settle, release and claim in one call", async () => {
  await enqueue("open", JOBS);
  await enqueue("capped", JOBS);
  // Cancels, heartbeats and the pump lock the same rows in their own ways.
  let isOver = false;
  const others = Promise.all([
    (async () => { while (!isOver) await pool.query("select mill.tick()"); })(),
    (async () => {
      while (!isOver) await pool.query(`select public.heartbeat_jobs(j.worker, jsonb_agg(jsonb_build_object('id', j.id, 'attempt', j.attempt)))
        from (select * from mill.job_live where state = 'processing' order by random() limit 20) j group by j.worker`);
    })(),
  ]);
  let released = 0;
  let most = 0;
  const accepted = await work(["open", "capped"], (job) => (Math.random() < 0.1 ? (released++, { outcome: "released", delay_seconds: 0 }) : { outcome: "completed", result: { n: job.payload.n } }), async () => {
    const { rows: [{ running }] } = await pool.query("select count(*)::int as running from mill.job_live where queue = 'capped' and state = 'processing'");
    most = Math.max(most, running);
  }).finally(() => (isOver = true));
  await others;
  assert.ok(released > 0);
  assert.equal(accepted.size, 2 * JOBS);
  assert.ok([...accepted.values()].every((times) => times === 1));
  assert.equal(most, 7, "the cap is reached and never exceeded");
  const { rows: [done] } = await pool.query("select count(*)::int as jobs, count(distinct id)::int as ids, max(attempt) as attempts from mill.job_done");
  assert.deepEqual(done, { jobs: 2 * JOBS, ids: 2 * JOBS, attempts: 1 });
});

test("a provider's limit admits as many claims as it allows, also when they come with a settlement", async () => {
  await pool.query("insert into mill.api_rate_limits (provider_name, api_endpoint, requests_per_minute) values ('p', 'e', 40)");
  await pool.query("insert into mill.queue (queue, served_by, provider, endpoint) values ('limited', 'external', 'p', 'e')");
  await pool.query("insert into mill.kind (kind, queue) values ('limited', 'limited')");
  await enqueue("limited", 200);
  await enqueue("open", 400);
  let claimed = 0;
  const accepted = new Set();
  await Promise.all(Array.from({ length: WORKERS }, async (_, at) => {
    let outcomes = [];
    for (let round = 0; round < 12; round++) {
      const { rows: [{ answer }] } = await pool.query("select public.settle_and_claim($1, $2, array['limited', 'open'], 3) as answer", [`w${at}`, JSON.stringify(outcomes)]);
      for (const { id, status } of answer.settled) assert.ok(status === "accepted" && accepted.add(id));
      claimed += answer.jobs.filter(({ queue }) => queue === "limited").length;
      outcomes = answer.jobs.map(({ id, attempt }) => ({ id, attempt, outcome: "completed", usage: { requests: 1 } }));
    }
  }));
  const { rows: [{ granted }] } = await pool.query("select sum(requests)::int as granted from mill.api_use");
  assert.equal(claimed, 40);
  assert.equal(granted, 40);
});
