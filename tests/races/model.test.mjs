// Drives the engine with random operations from several connections and checks, against a ledger that is kept
// outside of it, that nothing is lost, doubled or half-done.
//   GRISTMILL_SEED=123 node --test tests/races/model.test.mjs    replays the choices of a run
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { connect, isSoak, startStack } from "../support.mjs";

const SEED = Number(process.env.GRISTMILL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const ACTORS = 6;
const OPERATIONS = isSoak ? 20_000 : 250; // each
const QUEUES = {
  plain: {},
  capped: { max_running: 6 },
  grouped: { max_running_per_group: 2 },
  fair: { dequeue: "fair", max_running: 12 },
};

let stack, pool;
before(async () => {
  stack = await startStack("model", { parts: [] });
  pool = connect(stack, ACTORS + 2);
  await pool.query("update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds'");
  for (const [queue, options] of Object.entries(QUEUES)) {
    await pool.query(
      `insert into mill.queue (queue, lease_seconds, max_attempts, max_lease_losses, backoff_base_seconds, backoff_cap_seconds, max_running, max_running_per_group, dequeue)
       values ($1, 2, 4, 3, 0.01, 0.02, $2, $3, $4)`,
      [queue, options.max_running ?? null, options.max_running_per_group ?? null, options.dequeue ?? "priority"]);
    await pool.query("insert into mill.kind (kind, queue) values ($1, $1)", [queue]);
  }
});
after(async () => {
  await pool?.end();
  await stack?.destroy();
});

// mulberry32: small, and the same everywhere.
function generator(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, below: (n) => Math.floor(next() * n), pick: (list) => list[Math.floor(next() * list.length)] };
}

test(`random operations keep every invariant (seed ${SEED})`, async (context) => {
  context.diagnostic(`GRISTMILL_SEED=${SEED}`);
  const ledger = { made: new Set(), completed: new Map(), discarded: new Set(), attempts: new Map() };
  const query = async (text, values) => (await pool.query(text, values)).rows;

  const actor = async (at) => {
    const random = generator(SEED + at);
    const worker = `w${at}`;
    let held = [];
    const operations = {
      async enqueue() {
        const jobs = Array.from({ length: 1 + random.below(8) }, () => ({
          kind: random.pick(Object.keys(QUEUES)), payload: { n: random.below(1000) }, priority: random.pick([1, 5, 5, 9]),
          group_key: `g${random.below(4)}`,
          ...(random.next() < 0.3 && { dedupe_key: `k${random.below(20)}` }),
          ...(random.next() < 0.2 && { run_at: new Date(Date.now() + random.below(300)).toISOString() }),
        }));
        for (const { id, status } of await query("select * from mill.enqueue($1)", [JSON.stringify(jobs)])) {
          if (status === "new") ledger.made.add(id);
          // A duplicate names a job that somebody made; its maker may not have heard yet.
        }
      },
      async enqueueMany() {
        const payloads = Array.from({ length: 15 + random.below(60) }, (_, n) => ({ n }));
        const [{ ids }] = await query("select mill.enqueue_many('plain', $1) as ids", [JSON.stringify(payloads)]);
        for (const id of ids) ledger.made.add(id);
      },
      async claim() {
        const jobs = await query("select id, attempt from mill.claim($1, $2, $3)", [worker, Object.keys(QUEUES), random.pick([1, 2, 3, 4, 5, 6, 60, 120])]);
        for (const { id, attempt } of jobs) ledger.attempts.set(`${id}/${attempt}/${worker}`, true);
        held.push(...jobs);
      },
      async settle() {
        const some = held.splice(0, 1 + random.below(held.length > 50 ? 60 : 5));
        const outcomes = some.map(({ id, attempt }) => ({
          id, attempt, outcome: random.pick(["completed", "completed", "completed", "failed", "snoozed", "released", "dead"]), delay_seconds: 0.01,
        }));
        const answers = await query("select * from mill.settle($1, $2)", [worker, JSON.stringify(outcomes)]);
        for (const { id, status } of answers) {
          const { outcome } = outcomes.find((one) => one.id === id);
          if (status === "accepted" && outcome === "completed") ledger.completed.set(id, (ledger.completed.get(id) ?? 0) + 1);
        }
      },
      async heartbeat() {
        const answers = await query("select * from mill.heartbeat($1, $2)", [worker, JSON.stringify(held)]);
        const gone = new Set(answers.filter(({ status }) => status !== "held").map(({ id }) => id));
        held = held.filter(({ id }) => !gone.has(id));
      },
      async forget() {
        held = held.slice(random.below(held.length + 1)); // its lease expires
      },
      async cancel() {
        await query("select * from mill.cancel(array((select id from mill.job_live order by id limit 2) union all (select id from mill.packed_job limit 1)))");
      },
      async operate() {
        const ids = (await query("select id from mill.job_dead limit 5")).map(({ id }) => id);
        const verb = random.pick(["retry", "retry", "discard"]);
        for (const { id, status } of await query(`select * from mill.${verb}($1)`, [ids])) if (status === "discarded") ledger.discarded.add(id);
      },
      async tick() {
        await query("select mill.tick()");
      },
      async look() {
        for (const { queue, group_key: group, running } of await query(
          "select queue, group_key, count(*)::int as running from mill.job_live where state = 'processing' group by grouping sets ((queue), (queue, group_key))")) {
          const options = QUEUES[queue];
          if (group === null) assert.ok(running <= (options.max_running ?? Infinity), `${queue} runs ${running}`);
          else assert.ok(running <= (options.max_running_per_group ?? Infinity), `${queue}/${group} runs ${running}`);
        }
        const strays = await query("select j.id from mill.job_live j left join mill.floor f using (queue, priority) where j.line is distinct from f.line");
        assert.deepEqual(strays, [], "every live job stands in the line of its queue and priority");
        const unheld = await query(`select j.id from mill.job_live j where j.state = 'processing' and j.turn is null and j.slot is null
          and not exists (select from mill.pack_lease l where j.id between l.first and l.last)`);
        assert.deepEqual(unheld, [], "whatever runs out of a pack is found when its lease expires");
      },
    };
    const names = ["enqueue", "enqueue", "enqueueMany", "claim", "claim", "claim", "settle", "settle", "settle", "heartbeat", "forget", "cancel", "operate", "tick", "look"];
    for (let round = 0; round < OPERATIONS; round++) await operations[random.pick(names)]();
  };
  await Promise.all(Array.from({ length: ACTORS }, (_, at) => actor(at)));

  // Let everything end: no worker is left, so leases run out.
  const deadline = Date.now() + (isSoak ? 600_000 : 60_000);
  while ((await query("(select from mill.job_live limit 1) union all (select from mill.pack limit 1)")).length > 0) {
    assert.ok(Date.now() < deadline, "the queue did not drain");
    await query("select mill.tick()");
    const jobs = await query("select id, attempt from mill.claim('last', $1, 100)", [Object.keys(QUEUES)]);
    await query("select * from mill.settle('last', $1)", [JSON.stringify(jobs.map((job) => ({ ...job, outcome: "completed" })))]);
    for (const { id } of jobs) ledger.completed.set(id, (ledger.completed.get(id) ?? 0) + 1);
  }

  await query("select mill.tick()");
  assert.deepEqual(await query("select from mill.pack_lease where lease_until <= now()"), [], "no lease outlives its jobs and its time");
  const rows = await query("select id, state, attempt, max_attempts from mill.job");
  const states = new Map();
  for (const { id, state } of rows) {
    assert.ok(!states.has(id), `${id} is both ${states.get(id)} and ${state}`);
    states.set(id, state);
  }
  for (const id of ledger.made) assert.ok(states.has(id) || ledger.discarded.has(id), `${id} was lost`);
  for (const id of states.keys()) assert.ok(ledger.made.has(id), `${id} came from nowhere`);
  for (const id of ledger.discarded) assert.ok(!states.has(id), `${id} was discarded and is ${states.get(id)}`);
  for (const [id, times] of ledger.completed) {
    assert.equal(times, 1, `${id} was completed ${times} times`);
    assert.equal(states.get(id), "completed", `${id} was accepted as completed`);
  }
  assert.equal([...states.values()].filter((state) => state === "completed").length, ledger.completed.size);
  for (const { id, attempt, max_attempts: most } of rows) assert.ok(attempt >= 0 && attempt <= most, `${id} is at attempt ${attempt} of ${most}`);
});
