// At default settings, with the pump that cron runs: neither a crash of the functions nor one user's bad payloads stop a queue.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { signIn, startStack, until } from "../support.mjs";

let stack;
before(async () => (stack = await startStack("lost-invocations", { functions: ["enqueue", "processor", "health"] })));
after(() => stack?.destroy());

const one = async (sql, values) => (await stack.postgres.query(sql, values)).rows[0];

test("when workerd is killed with every place taken, the next job and the jobs in flight finish without waiting for a lease", async (t) => {
  const user = await signIn(stack);
  // One user is in half of the places at the most.
  const users = [user, await signIn(stack)];
  const held = [];
  const { max_parallel: places } = await one("select max_parallel from mill.queue where queue = 'default'");
  while (held.length < places) {
    const { json } = await users[held.length % 2].submit({ kind: "echo", payload: { n: held.length, delay_ms: 5000 } });
    held.push(json.id);
    await until(async () => (await one("select state from mill.job where id = $1", [json.id])).state === "processing", "a claim");
  }
  assert.equal((await one("select count(*)::int as n from mill.invocation where begun_at is not null and ended_at is null")).n, places,
    "every place of the queue is taken");

  await stack.parts.workerd.kill();
  await stack.restart("workerd");
  const restarted = Date.now();
  const { json: next } = await user.submit({ kind: "echo", payload: { after: "the crash" } });
  assert.equal((await user.settled(next.id)).state, "completed");
  t.diagnostic(`a new job was settled ${Date.now() - restarted} ms after the restart`);
  for (const [at, id] of held.entries()) {
    const job = await users[at % 2].settled(id);
    assert.equal(job.state, "completed", JSON.stringify(job));
  }
  t.diagnostic(`the jobs in flight were settled ${Date.now() - restarted} ms after the restart; each takes 5 s`);
  const lost = await one("select count(*)::int as n from mill.invocation where failure is not null and claimed > 0");
  assert.equal(lost.n, places, "each lost invocation says why it was lost");
  assert.ok(Date.now() - restarted < 60_000, "the lease of the queue is 300 s");
});

test("one user's malformed payloads do not stop the queue for another", async () => {
  const [hostile, other] = [await signIn(stack), await signIn(stack)];
  const sent = await Promise.all(Array.from({ length: 60 }, () => hostile.submit({ kind: "echo", payload: { delay_ms: "soon" } })));
  for (const { json } of sent) assert.equal((await hostile.settled(json.id)).state, "failed");
  await stack.postgres.query("select mill.judge_breakers()"); // what every round of the pump does
  const { json } = await other.submit({ kind: "echo", payload: { from: "another" } });
  assert.equal((await other.settled(json.id)).state, "completed");
  assert.equal((await one("select state from mill.breaker where target = 'processor'")).state, "closed");
});

test("a quick job is settled while a slow one of the same batch still runs", async () => {
  const user = await signIn(stack);
  const { rows: [{ jobs }] } = await stack.postgres.query(`select jsonb_agg(e.id order by e.ordinal) as jobs
    from mill.enqueue(jsonb_build_array(
      jsonb_build_object('kind', 'echo', 'payload', '{"delay_ms": 20000}'::jsonb, 'owner', $1::text),
      jsonb_build_object('kind', 'echo', 'payload', '{"n": 1}'::jsonb, 'owner', $1::text))) e`, [user.sub]);
  const [slow, quick] = jobs;
  assert.equal((await user.settled(quick)).state, "completed");
  const { worker, state } = await one("select worker, state from mill.job where id = $1", [slow]);
  assert.equal(state, "processing");
  assert.equal((await one("select worker from mill.job where id = $1", [quick])).worker, worker, "one invocation has run both");
});
