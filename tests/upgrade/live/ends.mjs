// Brings every job of a release's dump to its end, by the calls that functions and workers of a deployment make.
import assert from "node:assert/strict";

import { actorsOf } from "./actors.mjs";
import { found } from "./documents.mjs";
import { quote } from "./refresh.mjs";

const ROUNDS = 60;

/** Every job that the database knows, by id: {state, cancel_requested}. Jobs in packs are pending. */
export async function jobsOf(client) {
  const { rows } = await client.query(`select id, state, kind, cancel_requested, worker, lease_until < mill.now() as is_lost from mill.job
    union all select id, state, kind, false, null, null from mill.packed_job`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** How the holder of a job ends it well, by the kind of the job. Kinds that are not here are settled with `result`. */
function endingsOf({ service, settle }) {
  const holder = (job) => [job.id, job.worker, job.attempt];
  const AS_HOLDER = "p_job => $1, p_worker => $2, p_attempt => $3";
  const plain = (result) => (job) => settle(job, { outcome: "completed", result });

  const stage = async (job) => {
    const work = await service(`select public.begin_document_stage(${AS_HOLDER})`, ...holder(job));
    // A worker completes a job whose stage was done by another one, and gives up where the document is gone.
    if (work.outcome === "done") return settle(job, { outcome: "completed", result: { stage: work.stage } });
    assert.equal(work.outcome, "work", JSON.stringify({ job, work }));
    assert.equal(await service(`select public.finish_document_stage(${AS_HOLDER}, p_result => $4)`, ...holder(job), JSON.stringify(found(work))), true);
  };
  const export_ = async (job) => {
    assert.ok(await service(`select public.begin_export(${AS_HOLDER})`, ...holder(job)));
    const path = await service(`select public.reserve_export_file(${AS_HOLDER}, p_size => 1000)`, ...holder(job));
    assert.equal(await service(`select public.finish_export(${AS_HOLDER}, p_path => $4, p_name => 'a.pdf', p_pages => 1)`, ...holder(job), path), true);
  };
  const refresh = async (job) => {
    const { symbol, data_type } = job.payload;
    const outcome = data_type === "quote" ? { outcome: "fetched", rows: quote(symbol, new Date().toISOString()) } : { outcome: "completed", result: { status: "unchanged" } };
    const [answer] = await service("select public.settle_refresh($1, $2::jsonb)", job.worker,
      JSON.stringify([{ id: job.id, attempt: job.attempt, symbol, data_type, bytes: 600, called: true, ...outcome }]));
    assert.equal(answer.status, "accepted", JSON.stringify(job));
  };
  const made = plain({ facts: [], path: "a/b.json", artifacts: [] });
  return {
    of(job) {
      if (job.kind.startsWith("refresh.")) return refresh;
      return {
        export_pdf: export_, calculation: made, text_generation: made, pdf_generation: made, audio_generation: made, finalization: made,
      }[job.kind] ?? (job.payload.document_id ? stage : plain({ echo: { message: "done" } }));
    },
  };
}

/** Many that need nothing but an outcome are settled by one call. */
async function endAll({ service }, endings, jobs) {
  for (const worker of new Set(jobs.map((job) => job.worker))) {
    const batch = jobs.filter((job) => job.worker === worker && job.payload.packed);
    const answers = await service("select public.settle_jobs($1, $2::jsonb)", worker, JSON.stringify(batch.map(({ id, attempt }) => ({ id, attempt, outcome: "completed" }))));
    assert.ok(answers.every(({ status }) => status === "accepted"));
  }
  for (const job of jobs.filter((one) => !one.payload.packed)) await endings.of(job)(job);
}

/** Whoever holds a lease ends the job: a worker of the release before, which has gone on working while the schema changed. */
async function endHeld(actors, endings) {
  const { rows } = await actors.owner("select id, kind, queue, payload, attempt, worker, cancel_requested from mill.job_live where state = 'processing' and lease_until > mill.now() order by id");
  const compat = rows.filter((job) => job.worker.startsWith("compat"));
  for (const job of compat) await actors.service("select public.complete_job($1, $2, '{\"done\": true}')", job.id, job.worker);
  // What the worker says of a job that was cancelled meanwhile no longer counts: it is told so, and the job is cancelled.
  const cancelled = rows.filter((job) => job.cancel_requested);
  for (const { id, attempt, worker } of cancelled) {
    const [{ status }] = await actors.service("select public.settle_jobs($1, $2::jsonb)", worker, JSON.stringify([{ id, attempt, outcome: "completed" }]));
    assert.equal(status, "lost");
  }
  await endAll(actors, endings, rows.filter((job) => !compat.includes(job) && !cancelled.includes(job)));
  return rows.length;
}

/** Ends every job, whatever its state. Answers how many of each there were. */
export async function endEverything(client) {
  const actors = actorsOf(client);
  const { service, owner } = actors;
  const endings = endingsOf(actors);
  const count = async (text) => (await owner(text)).rows[0].n;

  // The dump's moment, however long ago it was restored: leases that were live are.
  const moment = (await owner("select max(at) as at from mill.heartbeat")).rows[0].at;
  const setClock = (hours) => owner("select set_config('mill.now', ($1::timestamptz + make_interval(hours => $2))::text, false)", moment, hours);
  await setClock(0);
  const held = await endHeld(actors, endings);
  const lost = await count("select count(*)::int as n from mill.job_live where state = 'processing'");
  const { reclaimed } = await service("select public.tick()");
  // What runs above a pending job of its line is taken back once that one was claimed: see mill.lock_expired_leases.
  assert.ok(reclaimed > 0 && reclaimed <= lost, `${reclaimed} of ${lost} expired leases were taken back by the first tick`);
  const { rows: dead } = await owner("select id from mill.job_dead");
  const retried = await service("select public.retry_jobs($1::uuid[])", dead.map(({ id }) => id));
  assert.deepEqual([...new Set(retried.map(({ status }) => status))], ["retried"]);
  const { rows: paused } = await owner("select queue from mill.queue where paused");
  for (const { queue } of paused) await service("select public.pause_queue($1, false)", queue);

  const { rows: queues } = await owner("select queue from mill.queue order by 1");
  for (let round = 1; await count("select (select count(*) from mill.job_live)::int + (select count(*) from mill.pack)::int as n") > 0; round++) {
    assert.ok(round < ROUNDS, JSON.stringify((await owner("select id, kind, queue, state, run_at, payload, error from mill.job_live limit 3")).rows));
    // What waits for its time is due now, and providers have room again.
    await setClock(round);
    await service("select public.tick()");
    for (const { queue } of queues) {
      const isRefresh = queue.startsWith("refresh");
      const answer = await service(isRefresh ? "select public.claim_refresh($2, $1)" : "select public.claim_jobs($2, array[$1], 500)", queue, "worker-new");
      await endAll(actors, endings, (isRefresh ? answer.jobs : answer).map((job) => ({ ...job, worker: "worker-new" })));
    }
  }
  await owner("reset mill.now");
  return { held, lost, dead: dead.length };
}
