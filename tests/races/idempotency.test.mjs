// Calls under one idempotency key while the first of them has not ended: they wait for it, and whatever becomes of it, one thing is created.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";

import { connect, startStack, until } from "../support.mjs";

let stack, pool;
before(async () => {
  stack = await startStack("idempotency-races", { parts: [] });
  pool = connect(stack, 60);
});
after(async () => {
  await pool?.end();
  await stack?.destroy();
});

const CALL = "select public.call_once($1, 'submit_job', jsonb_build_object('p_kind', 'echo', 'p_payload', jsonb_build_object('mark', $2::text))) as a";
const jobsOf = async (mark) => (await pool.query("select from mill.job where payload ->> 'mark' = $1", [mark])).rowCount;

// A transaction of a signed-in user, left open.
async function begin(sub) {
  const client = await pool.connect();
  await client.query("begin");
  await client.query("select set_config('request.jwt.claims', $1, true)", [JSON.stringify({ role: "authenticated", sub })]);
  await client.query("set local role authenticated");
  return client;
}
async function ended(client, how) {
  await client.query(how);
  client.release();
}
async function once(sub, key, mark) {
  const client = await begin(sub);
  try {
    const { rows } = await client.query(CALL, [key, mark]);
    await client.query("commit");
    return rows[0].a;
  } catch (error) {
    await client.query("rollback");
    throw error;
  } finally {
    client.release();
  }
}
const waiting = (count) => until(async () =>
  (await pool.query("select from pg_locks where locktype = 'advisory' and classid = 702261 and not granted")).rowCount === count, `${count} calls waiting`);

test("fifty calls under one key at once create one job, and all have its id", async () => {
  const [sub, key, mark] = [randomUUID(), randomUUID(), randomUUID()];
  const answers = await Promise.all(Array.from({ length: 50 }, () => once(sub, key, mark)));
  assert.equal(new Set(answers.map(({ answer }) => JSON.stringify(answer))).size, 1);
  assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
  assert.equal(await jobsOf(mark), 1);
});

test("a call waits for the one that holds its key, and then has its answer", async () => {
  const [sub, key, mark] = [randomUUID(), randomUUID(), randomUUID()];
  const first = await begin(sub);
  const { rows: [{ a }] } = await first.query(CALL, [key, mark]);
  const second = once(sub, key, mark);
  await waiting(1);
  await ended(first, "commit");
  assert.deepEqual(await second, { answer: a.answer, replayed: true });
  assert.equal(await jobsOf(mark), 1);
});

test("a call whose first attempt was rolled back creates anew", async () => {
  const [sub, key, mark] = [randomUUID(), randomUUID(), randomUUID()];
  const first = await begin(sub);
  await first.query(CALL, [key, mark]);
  const second = once(sub, key, mark);
  await waiting(1);
  await ended(first, "rollback");
  assert.equal((await second).replayed, false);
  assert.equal(await jobsOf(mark), 1);
});

test("another user's same key and another key of the same user wait for nobody", async () => {
  const [sub, key, mark] = [randomUUID(), randomUUID(), randomUUID()];
  await once(sub, randomUUID(), randomUUID()); // opens the user's lane, for which two transactions of a user who has none would wait
  const first = await begin(sub);
  await first.query(CALL, [key, mark]);
  assert.equal((await once(randomUUID(), key, mark)).replayed, false);
  assert.equal((await once(sub, randomUUID(), mark)).replayed, false);
  await ended(first, "commit");
  assert.equal(await jobsOf(mark), 3);
});

test("a call whose first attempt does not end is told so, and creates nothing", async () => {
  const [sub, key, mark] = [randomUUID(), randomUUID(), randomUUID()];
  const first = await begin(sub);
  await first.query(CALL, [key, mark]);
  const refused = await once(sub, key, mark).catch((error) => error);
  assert.deepEqual([refused.code, JSON.parse(refused.detail)], ["GM081", { retry_after: 2 }]);
  await ended(first, "commit");
  assert.equal(await jobsOf(mark), 1);
});
