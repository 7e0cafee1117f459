// Races with many real connections at once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { connect, isSoak, startStack, until } from "../support.mjs";

let stack, pool;
before(async () => {
  stack = await startStack("races", { parts: [] });
  // Claims by priority, and packs: fair turns have tests of their own.
  await stack.postgres.query("update mill.queue set dequeue = 'priority' where queue = 'default'");
  pool = connect(stack);
});
after(async () => {
  await pool?.end();
  await stack?.destroy();
});

const together = (count, work) => Promise.all(Array.from({ length: count }, (_, at) => work(at)));

const BY_ROW = `mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', jsonb_build_object('n', n))) from generate_series(1, $1) n))`;
const PACKED = `unnest(mill.enqueue_many('echo', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, $1) n)))`;

for (const [how, enqueue, batch] of [["", BY_ROW, 50], [" of a pack", PACKED, 50], [" of a pack that has to be unpacked", PACKED, 7]]) {
  test(`two workers never claim the same job${how}`, async () => {
    const jobs = isSoak ? 1_000_000 : 5_000;
    for (let made = 0; made < jobs; made += 5_000) await pool.query(`select count(*) from ${enqueue}`, [5_000]);
    const claimed = (await together(16, async (worker) => {
      const mine = [];
      for (;;) {
        const { rows } = await pool.query("select id, attempt from mill.claim($1, array['default'], $2)", [`w${worker}`, batch]);
        if (rows.length === 0) return mine;
        mine.push(...rows.map((row) => `${row.id}/${row.attempt}`));
      }
    })).flat();
    assert.equal(claimed.length, jobs);
    assert.equal(new Set(claimed).size, jobs);
    await pool.query("truncate mill.job, mill.pack_lease");
  });
}

test("nobody goes away with nothing while another unpacks", async () => {
  for (let round = 0; round < (isSoak ? 500 : 20); round++) {
    await pool.query(`select count(*) from ${PACKED}`, [20]);
    const claimed = (await together(16, async (worker) =>
      (await pool.query("select id from mill.claim($1, array['default'], 1)", [`w${worker}`])).rows)).flat();
    assert.equal(new Set(claimed.map(({ id }) => id)).size, 16);
    await pool.query("truncate mill.job, mill.pack_lease");
  }
});

test("a claim that finds enough rows leaves the pack behind them to others", async () => {
  await pool.query(`select count(*) from ${BY_ROW}`, [1]);
  await pool.query(`select count(*) from ${PACKED}`, [20]);
  const slow = await pool.connect();
  try {
    await slow.query("begin; select mill.claim('slow', array['default'], 1)");
    assert.equal((await pool.query("select id from mill.claim('w', array['default'], 20)")).rows.length, 20);
    await slow.query("commit");
  } finally {
    slow.release();
  }
  await pool.query("truncate mill.job, mill.pack_lease");
});

const rolledBackClaim = async (max) => {
  const gone = await pool.connect();
  try {
    await gone.query(`begin; select mill.claim('gone', array['default'], ${max}); rollback`);
  } finally {
    gone.release();
  }
};
const nextJob = async () => (await pool.query("select id from mill.claim('w', array['default'], 1)")).rows[0].id;
// A claim that finds a floor due for a move looks closer.
const looksCloser = (closer) => pool.query("update mill.floor_version set advance_at = $1", [closer ? "-infinity" : "infinity"]);

test("jobs of a claim that was rolled back keep their places in line", async () => {
  const { rows: jobs } = await pool.query(`select id from ${BY_ROW} order by ordinal`, [10]);
  await rolledBackClaim(5);
  await until(async () => (await pool.query("select from pg_current_snapshot() s where pg_snapshot_xmin(s) = pg_snapshot_xmax(s)")).rowCount === 1, "everybody else ending");
  await looksCloser(false);
  for (const { id } of jobs) assert.equal(await nextJob(), id);
  await looksCloser(true);
  await pool.query("truncate mill.job");
});

test("they lose them to others for a moment only while a transaction stays open", async () => {
  const { rows: jobs } = await pool.query(`select id from ${BY_ROW} order by ordinal`, [10]);
  const open = await pool.connect();
  try {
    await open.query("begin; select pg_current_xact_id()");
    await rolledBackClaim(5);
    await looksCloser(false);
    assert.equal(await nextJob(), jobs[5].id);
    await looksCloser(true);
    assert.equal(await nextJob(), jobs[0].id);
    assert.equal((await pool.query("select id from mill.claim('w', array['default'], 10)")).rows.length, 8, "whoever comes up short takes all");
    await open.query("rollback");
  } finally {
    open.release();
  }
  await pool.query("truncate mill.job");
});

test("a transaction that stays open after its claim keeps others waiting for a moment only", async () => {
  await pool.query(`select count(*) from ${PACKED}`, [20]);
  const slow = await pool.connect();
  try {
    await slow.query("begin; select mill.claim('slow', array['default'], 1)");
    assert.deepEqual((await pool.query("select id from mill.claim('w', array['default'], 1)")).rows, []);
    await slow.query("rollback");
  } finally {
    slow.release();
  }
  assert.equal((await pool.query("select id from mill.claim('w', array['default'], 20)")).rows.length, 20, "what was undone is claimed whole");
  await pool.query("truncate mill.job, mill.pack_lease");
});

test("a settlement that comes twice does not hold what the first one has returned", async () => {
  await pool.query(`select count(*) from ${BY_ROW}`, [3]);
  const { rows: held } = await pool.query("select id, attempt from mill.claim('w', array['default'], 3)");
  const outcomes = JSON.stringify(held.map((job) => ({ ...job, outcome: "released" })));
  const [first, second] = [await pool.connect(), await pool.connect()];
  try {
    for (const client of [first, second]) await client.query("begin");
    await first.query("select * from mill.settle('w', $1)", [outcomes]);
    const answer = second.query("select status from mill.settle('w', $1)", [outcomes]);
    await until(async () => (await pool.query("select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'", [second.processID])).rowCount === 1, "the second waiting");
    await first.query("commit");
    assert.deepEqual((await answer).rows.map(({ status }) => status), ["lost", "lost", "lost"]);
    const { rows: claimed } = await pool.query("select id from mill.claim('other', array['default'], 3)");
    assert.equal(claimed.length, 2, "all but the one that it waited at");
    await second.query("commit");
    assert.equal((await pool.query("select id from mill.claim('other', array['default'], 3)")).rows.length, 1);
  } finally {
    for (const client of [first, second]) client.release();
  }
  await pool.query("truncate mill.job");
});

test("one key from fifty callers at once makes one job", async () => {
  const answers = await together(50, async () =>
    (await pool.query(`select * from mill.enqueue('[{"kind": "echo", "payload": {"a": 1}, "dedupe_key": "one"}]')`)).rows[0]);
  assert.equal(answers.filter(({ status }) => status === "new").length, 1);
  assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
  await pool.query("truncate mill.job");
});

test("one unique job from fifty callers at once is made once", async () => {
  await pool.query("insert into mill.kind (kind, queue, unique_by, unique_within_seconds) values ('unique', 'default', '{to}', 3600)");
  for (let round = 0; round < (isSoak ? 200 : 5); round++) {
    const answers = await together(50, async (at) =>
      (await pool.query("select * from mill.enqueue($1)", [JSON.stringify([{ kind: "unique", payload: { to: `r${round}`, at } }])])).rows[0]);
    assert.equal(answers.filter(({ status }) => status === "new").length, 1);
    assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
    assert.equal((await pool.query("select from mill.job_live where id = $1", [answers[0].id])).rowCount, 1);
  }
  await pool.query("truncate mill.job");
});

test("batches of unique jobs that also share dedupe keys never deadlock, in whatever order they come", async () => {
  const batch = (values) => JSON.stringify(values.map((value) => ({ kind: "unique", payload: { to: `v${value}` }, ...(value % 2 && { dedupe_key: `d${value % 6}` }) })));
  const values = Array.from({ length: 20 }, (_, at) => at);
  const answers = (await together(24, async (at) => {
    const mine = at % 2 ? values : [...values].reverse();
    return (await pool.query("select id, status from mill.enqueue($1)", [batch(mine)])).rows;
  })).flat();
  const { rows: [{ jobs }] } = await pool.query("select count(*)::int as jobs from mill.job_live");
  assert.equal(answers.filter(({ status }) => status === "new").length, jobs);
  assert.equal(jobs, 13, "ten values without a dedupe key, and three dedupe keys");
  await pool.query("truncate mill.job, mill.unique_job");
});

test("batches that share keys in opposite order never deadlock", async () => {
  const batch = (keys) => JSON.stringify(keys.map((key) => ({ kind: "echo", payload: { a: 1 }, dedupe_key: `k${key}` })));
  const keys = Array.from({ length: 20 }, (_, at) => at);
  await together(20, async (at) => {
    for (let round = 0; round < 20; round++) {
      await pool.query("select count(*) from mill.enqueue($1)", [batch(at % 2 ? keys : [...keys].reverse())]);
    }
  });
  assert.equal((await pool.query("select count(*)::int as n from mill.job")).rows[0].n, 20);
  await pool.query("truncate mill.job");
});

test("settling and reclaiming at once end each job in one place", async () => {
  await pool.query("update mill.queue set lease_seconds = 1, max_lease_losses = 1000, max_attempts = 1000");
  await pool.query(`select count(*) from mill.enqueue((select jsonb_agg(jsonb_build_object(
    'kind', 'echo', 'payload', jsonb_build_object('n', n))) from generate_series(1, 500) n))`);
  let accepted = 0;
  await Promise.all([
    ...Array.from({ length: 8 }, async (_, worker) => {
      for (;;) {
        const { rows } = await pool.query("select id, attempt from mill.claim($1, array['default'], 10)", [`w${worker}`]);
        if (rows.length === 0 && (await pool.query("select from mill.job_live limit 1")).rowCount === 0) return;
        // Some answers come after the lease has expired, some twice.
        if (Math.random() < 0.2) await new Promise((resolve) => setTimeout(resolve, 1_100));
        const outcomes = JSON.stringify(rows.map(({ id, attempt }) => ({ id, attempt, outcome: "completed", result: {} })));
        const answers = await together(2, () => pool.query("select status from mill.settle($1, $2)", [`w${worker}`, outcomes]));
        accepted += answers.flatMap((answer) => answer.rows).filter(({ status }) => status === "accepted").length;
      }
    }),
    (async () => {
      await pool.query("update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds'");
      for (let round = 0; round < 300 && (await pool.query("select from mill.job_live limit 1")).rowCount > 0; round++) {
        await pool.query("select mill.tick()");
      }
    })(),
  ]);
  const { rows: [{ done }] } = await pool.query("select count(*)::int as done from mill.job where state = 'completed'");
  assert.equal(done, 500);
  assert.equal(accepted, 500);
});

test("a floor that was moved thousands of times under a held snapshot is found as fast as before", async () => {
  const looker = await pool.connect();
  await looker.query("set enable_seqscan = off; set enable_bitmapscan = off"); // as every claim does
  const lookUp = async () => (await looker.query(`explain (analyze, buffers, format json)
    select from mill.floor f where f.queue = 'default' and f.advance_at <= clock_timestamp()`)).rows[0]["QUERY PLAN"][0].Plan["Shared Hit Blocks"];
  const holder = await pool.connect();
  const mover = await pool.connect();
  await holder.query("begin isolation level repeatable read");
  await holder.query("select from mill.queue");
  await mover.query("set synchronous_commit = off");
  await pool.query("select count(*) from mill.enqueue((select jsonb_agg('{\"kind\": \"echo\", \"payload\": {\"n\": 1}}'::jsonb) from generate_series(1, 10)))");
  const before = await lookUp();
  const version = async () => (await pool.query("select version::int from mill.floor where queue = 'default'")).rows[0].version;
  const first = await version();
  for (let move = 0; move < 1_000; move++) {
    await mover.query("update mill.floor_version set advance_at = '-infinity' where line = (select line from mill.line where queue = 'default')");
    await mover.query("select mill.raise_floors('default')");
  }
  const after = await lookUp();
  assert.ok(await version() >= first + 1_000, "every move counts up the version");
  await holder.query("commit");
  for (const client of [holder, mover, looker]) client.release(true);
  await pool.query("truncate mill.job");
  assert.ok(after <= before + 4, `${before} blocks were read before, ${after} after`);
});
