// Several jobs may name one stage of one document: the pipeline's own, and those of programs that enqueue by themselves.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { connect, startStack, until } from "../support.mjs";

const DOCUMENTS = 6;
const JOBS = 4;
let stack, pool;
before(async () => {
  stack = await startStack("document-races", { parts: [] });
  // Jobs of the compatible API are claimed before the users' own stages, whose turn would come first in a fair queue.
  await stack.postgres.query("update mill.queue set dequeue = 'priority', max_running_per_group = null where queue = 'fast'");
  pool = connect(stack, DOCUMENTS * JOBS);
});
after(async () => {
  await pool?.end();
  await stack?.destroy();
});

// One call as the role that makes it, in a transaction of its own.
async function as(claims, sql, values) {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)", [claims.role, JSON.stringify(claims)]);
    const { rows } = await client.query(sql, values);
    await client.query("commit");
    return Object.values(rows[0])[0];
  } finally {
    client.release();
  }
}
const USER = { role: "authenticated", sub: "11111111-1111-4111-8111-111111111111" };
const SERVICE = { role: "service_role" };

test("of several jobs that begin one stage at once, one has it and the others are told which", async () => {
  const ids = [];
  for (let at = 0; at < DOCUMENTS; at++) {
    const { id, place } = await as(USER, "select public.begin_document_upload('text/plain')");
    await as(USER, "select public.finish_document_upload($1, $2, 5, repeat('a', 64))", [id, place]);
    for (let job = 1; job < JOBS; job++) {
      await as(SERVICE, "select public.enqueue_job_v3('fast_queue_security', 'theirs', jsonb_build_object('shell_file_id', $1::text, 'storage_path', $2::text))", [id, place]);
    }
    ids.push(id);
  }
  const claimed = await as(SERVICE, "select public.claim_jobs('w', '{fast}', 1000)");
  assert.equal(claimed.length, DOCUMENTS * JOBS);
  const begun = await Promise.all(claimed.map(async ({ id, attempt, payload }) => {
    const answer = await as(SERVICE, "select public.begin_document_stage($1, 'w', $2)", [id, attempt]);
    return { job: id, document: payload.document_id ?? payload.shell_file_id, ...answer };
  }));
  for (const id of ids) {
    const jobs = begun.filter(({ document }) => document === id);
    const [holder, ...more] = jobs.filter(({ outcome }) => outcome === "work");
    assert.equal(more.length, 0, "one job has the stage");
    const told = jobs.filter(({ job }) => job !== holder.job).map(({ outcome, by_job: by }) => [outcome, by]);
    assert.deepEqual(told, Array.from({ length: JOBS - 1 }, () => ["busy", holder.job]));
  }
});

// A document in its first stage, whose job this worker holds and has begun.
async function begunStage(worker) {
  const { id, place } = await as(USER, "select public.begin_document_upload('text/plain')");
  await as(USER, "select public.finish_document_upload($1, $2, 5, repeat('a', 64))", [id, place]);
  const claimed = await as(SERVICE, "select public.claim_jobs($1, '{fast}', 1000, '{fast_queue_security}')", [worker]);
  const { id: job, attempt } = claimed.find(({ payload }) => payload.document_id === id);
  await as(SERVICE, "select public.begin_document_stage($1, $2, $3)", [job, worker, attempt]);
  return { id, job, attempt };
}
const FINISH = "select public.finish_document_stage($1, $2, $3, '{\"page_count\": 1}')";
const seen = async ({ id, job }) => (await pool.query(
  `select f.stage, j.state, (select count(*)::int from mill.job n where n.kind = 'fast_queue_ocr' and n.payload ->> 'document_id' = f.id::text) as next
   from public.shell_files f, mill.job j where f.id = $1 and j.id = $2`, [id, job])).rows[0];

test("a stage whose end is said several times at once ends once, and each call is answered true", async () => {
  const stage = await begunStage("repeats");
  const answers = await Promise.all(Array.from({ length: 8 }, () => as(SERVICE, FINISH, [stage.job, "repeats", stage.attempt])));
  assert.deepEqual(answers, Array(8).fill(true));
  assert.deepEqual(await seen(stage), { stage: "ocr", state: "completed", next: 1 });
});

test("a stage that is cancelled while it ends is either done with its job or neither", async () => {
  for (let round = 0; round < 12; round++) {
    const stage = await begunStage("cancelled");
    const [isFinished] = await Promise.all([
      as(SERVICE, FINISH, [stage.job, "cancelled", stage.attempt]),
      as(SERVICE, "select public.cancel_jobs(array[$1::uuid])", [stage.job]),
    ]);
    const now = await seen(stage);
    assert.deepEqual(now, isFinished ? { stage: "ocr", state: "completed", next: 1 } : { stage: "security", state: "processing", next: 0 });
  }
});

test("a sweep that waits for an upload to finish leaves its object alone", async () => {
  const { id, place } = await as(USER, "select public.begin_document_upload('text/plain')");
  const client = await pool.connect();
  await client.query("begin");
  await client.query("select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)", [JSON.stringify(USER)]);
  await client.query("select public.finish_document_upload($1, $2, 5, repeat('a', 64))", [id, place]);
  const recovering = as(SERVICE, "select public.recover_upload($1, 5)", [place]);
  await until(async () => (await pool.query(
    "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%recover_upload%' and pid <> pg_backend_pid()")).rowCount > 0, "the sweep waiting");
  await client.query("commit");
  client.release();
  assert.equal(await recovering, "registered");
});
