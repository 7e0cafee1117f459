// docs/move-from-….md: the SQL of each page is run as it stands, beside the real pg-boss, graphile-worker and pgmq with waiting and running jobs.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { makeWorkerUtils, Logger } from "graphile-worker";
import { PgBoss } from "pg-boss";

import { pgmqSql } from "../../scripts/lib/bench/engine/pgmq-sql.mjs";
import { root } from "../../sdk/local/stack/paths.mjs";
import { House } from "./harness.mjs";

const page = (name) => fs.readFileSync(path.join(root, `docs/move-from-${name}.md`), "utf8");
const blocks = (name) => [...page(name).matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(([, block]) => block);
const LATER = new Date(Date.now() + 3_600_000);

let house;
before(async () => (house = await new House("moving").start()));
after(() => house?.destroy());

// The three blocks of a page: register, move, look. Moving is repeated until it answers 0, as the page says.
async function follow(database, name) {
  const [register, move, look, ...more] = blocks(name);
  assert.deepEqual(more, []);
  const rows = async (text) => (await house.server.query(database, text)).rows;
  await rows(register);
  let moved = 0;
  for (;;) {
    const [{ moved: count }] = await rows(move);
    if (Number(count) === 0) break;
    moved += Number(count);
  }
  return { moved, left: await rows(look),
    jobs: await rows("select kind, payload, priority, state, run_at, max_attempts, dedupe_key, group_key from mill.job order by id") };
}

test("docs/move-from-pg-boss.md moves what waits, with priority, time, key and the attempts that are left, and leaves what a worker holds", async () => {
  const database = await house.database([]);
  const boss = new PgBoss({ connectionString: house.server.url(database), supervise: false, schedule: false });
  boss.on("error", () => {});
  await boss.start();
  try {
    await boss.createQueue("send-email");
    await boss.send("send-email", { to: "held" }, { priority: 9 });
    const [held] = await boss.fetch("send-email");
    await boss.send("send-email", { to: "plain", cc: null });
    await boss.send("send-email", { to: "urgent" }, { priority: 3, retryLimit: 7 });
    await boss.send("send-email", { to: "later" }, { startAfter: LATER });
    await boss.send("send-email", null, { singletonKey: "only" });
    const { moved, left, jobs } = await follow(database, "pg-boss");
    assert.equal(moved, 4);
    assert.deepEqual(left.map(({ state, count }) => [state, Number(count)]), [["active", 1]]);
    const of = (test) => jobs.find(test);
    assert.ok(jobs.every(({ kind }) => kind === "send-email"));
    assert.equal(of(({ payload }) => payload.to === "urgent").priority, 8);
    assert.equal(of(({ payload }) => payload.to === "urgent").max_attempts, 8);
    assert.equal(of(({ payload }) => payload.to === "later").state, "deferred");
    assert.equal(of(({ payload }) => payload.to === "later").run_at.getTime(), LATER.getTime());
    assert.equal(of(({ dedupe_key }) => dedupe_key === "only").payload.data, null);
    assert.equal(of(({ payload }) => payload.to === "plain").priority, 5);
    assert.deepEqual(of(({ payload }) => payload.to === "plain").payload, { to: "plain", cc: null });
    await boss.complete("send-email", held.id);
    assert.deepEqual((await follow(database, "pg-boss")).left, [], "what was held ends where it ran");
  } finally {
    await boss.stop({ graceful: false });
  }
});

test("docs/move-from-graphile-worker.md moves what waits, turns the priority round, and keeps queues as groups", async () => {
  const database = await house.database([]);
  const utils = await makeWorkerUtils({ connectionString: house.server.url(database), logger: new Logger(() => () => {}) });
  try {
    await utils.migrate();
    await utils.addJob("send_email", { to: "plain" });
    await utils.addJob("send_email", { to: "urgent" }, { priority: -10, maxAttempts: 4 });
    await utils.addJob("send_email", { to: "later" }, { runAt: LATER, jobKey: "only" });
    await utils.addJob("send_email", { to: "in turn" }, { queueName: "one by one" });
    await utils.addJob("send_email", { to: "held" });
    await house.server.query(database, "update graphile_worker._private_jobs set locked_at = now(), locked_by = 'somebody' where payload ->> 'to' = 'held'");
    const { moved, left, jobs } = await follow(database, "graphile-worker");
    assert.equal(moved, 4);
    assert.deepEqual(left.map(({ running, count }) => [running, Number(count)]), [[true, 1]]);
    const of = (to) => jobs.find(({ payload }) => payload.to === to);
    assert.equal(of("urgent").priority, 15);
    assert.equal(of("urgent").max_attempts, 4);
    assert.equal(of("plain").priority, 5);
    assert.equal(of("later").state, "deferred");
    assert.equal(of("later").dedupe_key, "only");
    assert.equal(of("in turn").group_key, "one by one");
  } finally {
    await utils.release();
  }
});

test("docs/move-from-pgmq.md moves what is visible or delayed, and leaves what somebody has read", async () => {
  const database = await house.database([]);
  await house.server.query(database, fs.readFileSync(await pgmqSql(), "utf8"));
  await house.server.query(database, `select pgmq.create('send_email');
    select pgmq.send('send_email', '{"to": "held"}');
    select * from pgmq.read('send_email', 3600, 1);
    select pgmq.send('send_email', '{"to": "plain"}');
    select pgmq.send('send_email', '[1, 2]');
    select pgmq.send('send_email', '{"to": "later"}', 3600);`);
  const { moved, left, jobs } = await follow(database, "pgmq");
  assert.equal(moved, 3);
  assert.equal(Number(left[0].count), 1);
  assert.deepEqual(jobs.map(({ payload, state }) => [payload, state]), [
    [{ to: "plain" }, "pending"], [{ data: [1, 2] }, "pending"], [{ to: "later" }, "deferred"]]);
});
