// Compat workers and our own on one queue at once, by many real connections.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { connect, isSoak, startStack } from "../support.mjs";

const JOBS = isSoak ? 50_000 : 600;
let stack, pool;
before(async () => {
  stack = await startStack("compat", { parts: [] });
  pool = connect(stack);
});
after(async () => {
  await pool?.end();
  await stack?.destroy();
});

const together = (count, work) => Promise.all(Array.from({ length: count }, (_, at) => work(at)));
const value = async (text, values) => (await pool.query(`select ${text} as value`, values)).rows[0].value;

// Without the worker's name, as older workers write it.
const BACK = "update public.job_queue set status = 'pending', scheduled_at = now(), worker_id = null, started_at = null, heartbeat_at = null where id = $1";

test("K4 K17: reschedule_job and updates of job_queue for every job over and over take no lease from our own workers, and each job is completed once", async () => {
  const { rows } = await pool.query(
    "select id from mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'report_generation', 'payload', jsonb_build_object('n', n))) from generate_series(1, $1) n))", [JOBS]);
  const ids = rows.map(({ id }) => id);
  const completed = [];
  const done = () => completed.length >= JOBS;

  const own = together(6, async (at) => {
    while (!done()) {
      const jobs = await value("public.claim_jobs($1, array['standard'], 3)", [`own-${at % 3}`]); // two processes share a name
      const answers = await value("public.settle_jobs($1, $2)", [`own-${at % 3}`, JSON.stringify(jobs.map(({ id, attempt }) => ({ id, attempt, outcome: "completed" })))]);
      assert.deepEqual(answers.filter(({ status }) => status !== "accepted"), [], "our own worker lost a lease that had not expired");
      completed.push(...jobs.map(({ id }) => id));
    }
  });
  const older = together(4, async (at) => {
    while (!done()) {
      const { rows: [job] } = await pool.query("select job_id from public.claim_next_job_v3($1, array['report_generation'])", [`own-${at % 3}`]); // and so do they
      if (job && (await value("public.complete_job($1, $2, '{}')", [job.job_id, `own-${at % 3}`]))) completed.push(job.job_id);
    }
  });
  const meddlers = together(6, async (at) => {
    while (!done()) {
      const id = ids[Math.floor(Math.random() * ids.length)];
      if (at % 2) await value("public.reschedule_job($1, 0, 'again', false)", [id]);
      else await pool.query(BACK, [id]);
    }
  });
  await Promise.all([own, older, meddlers]);
  assert.equal(new Set(completed).size, JOBS);
  assert.equal(completed.length, JOBS);
  assert.equal(await value("(select count(*)::int from mill.job where state = 'completed')"), JOBS);

  // Those calls do reach what a compat claim gave out.
  const held = await value("public.enqueue_job_v3('report_generation', 'x', '{\"a\": 1}')");
  await pool.query("select public.claim_next_job_v3('compat', array['report_generation'])");
  assert.equal(await value("public.reschedule_job($1, 0, 'again', false)", [held]), true);
  await pool.query("select public.claim_next_job_v3('compat', array['report_generation'])");
  assert.equal((await pool.query(BACK, [held])).rowCount, 1);
});
