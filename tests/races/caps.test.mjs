// Caps and turns hold while many workers claim at once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { connect, isSoak, startStack } from "../support.mjs";

const CLAIMERS = 32;
let stack, pool;
before(async () => {
  stack = await startStack("caps", { parts: [] });
  pool = connect(stack, CLAIMERS + 4);
});
after(async () => {
  await pool?.end();
  await stack?.destroy();
});

const enqueue = (kind, count, groups, prefix = "g") => pool.query(
  `select count(*) from mill.enqueue((select jsonb_agg(jsonb_build_object(
     'kind', $1::text, 'payload', jsonb_build_object('n', n), 'group_key', $4 || n % $3)) from generate_series(1, $2) n))`,
  [kind, count, groups, prefix]);

// Claims and settles until nothing is left; `look` sees what runs after each claim.
async function drain(queue, look) {
  let done = 0;
  await Promise.all(Array.from({ length: CLAIMERS }, async (_, at) => {
    for (;;) {
      const { rows } = await pool.query("select id, attempt, group_key from mill.claim($1, array[$2], 3)", [`w${at}`, queue]);
      if (rows.length === 0 && (await pool.query("select from mill.job_live where queue = $1 limit 1", [queue])).rowCount === 0) return;
      if (rows.length === 0) continue;
      await look(rows);
      const outcomes = JSON.stringify(rows.map(({ id, attempt }) => ({ id, attempt, outcome: "completed" })));
      const settled = await pool.query("select status from mill.settle($1, $2)", [`w${at}`, outcomes]);
      assert.ok(settled.rows.every(({ status }) => status === "accepted"));
      done += rows.length;
    }
  }));
  return done;
}

test("a queue's cap is never exceeded and always reached under 32 claimers", async () => {
  await pool.query("insert into mill.queue (queue, max_running) values ('capped', 7)");
  await pool.query("insert into mill.kind (kind, queue) values ('capped', 'capped')");
  const jobs = isSoak ? 20_000 : 400;
  await enqueue("capped", jobs, 5);
  let most = 0;
  const done = await drain("capped", async () => {
    const { rows: [{ running }] } = await pool.query("select count(*)::int as running from mill.job_live where queue = 'capped' and state = 'processing'");
    most = Math.max(most, running);
  });
  assert.equal(done, jobs);
  assert.equal(most, 7);
});

test("a group's cap is never exceeded under 32 claimers", async () => {
  await pool.query("insert into mill.queue (queue, max_running_per_group) values ('grouped', 2)");
  await pool.query("insert into mill.kind (kind, queue) values ('grouped', 'grouped')");
  const jobs = isSoak ? 20_000 : 400;
  await enqueue("grouped", jobs, 4);
  let most = 0;
  const done = await drain("grouped", async () => {
    const { rows } = await pool.query("select count(*)::int as running from mill.job_live where queue = 'grouped' and state = 'processing' group by group_key");
    most = Math.max(most, ...rows.map(({ running }) => running));
  });
  assert.equal(done, jobs);
  assert.equal(most, 2);
});

test("a tenant with many jobs does not starve one with ten under load", async () => {
  await pool.query("insert into mill.queue (queue, dequeue) values ('fair', 'fair')");
  await pool.query("insert into mill.kind (kind, queue) values ('fair', 'fair')");
  const many = isSoak ? 100_000 : 3_000;
  await enqueue("fair", many, 1, "big");
  await enqueue("fair", 10, 1, "small");
  let served = 0;
  let smallDoneAfter = null;
  let small = 0;
  await drain("fair", async (rows) => {
    served += rows.length;
    small += rows.filter(({ group_key: key }) => key.startsWith("small")).length;
    if (small === 10) smallDoneAfter ??= served;
  });
  assert.equal(served, many + 10);
  assert.ok(smallDoneAfter < 10 * 2 + CLAIMERS * 3 * 2, `the ten were done after ${smallDoneAfter} jobs`);
});
