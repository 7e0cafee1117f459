// Workflows while many work on them at once: order, exactly-once, no deadlock, one update a batch.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { connect, isSoak, sleep, startStack, until } from "../support.mjs";

const WORKERS = 8;
const seed = Number(process.env.GRISTMILL_SEED ?? Date.now() % 1_000_000);
let stack, pool, state = seed;
before(async () => {
  stack = await startStack("workflows", { parts: [] });
  pool = connect(stack, 24);
  await pool.query("insert into mill.queue (queue, lease_seconds, max_attempts, max_lease_losses) values ('trial', 1, 1000, 1000)");
  await pool.query("insert into mill.kind (kind, queue) values ('trial', 'trial')");
  await pool.query("update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds'");
});
after(async () => {
  await pool?.end();
  await stack?.destroy();
});

// mulberry32: a failing seed can be replayed with GRISTMILL_SEED.
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = (n) => Math.floor(random() * n);

function randomDefinition() {
  const tasks = [];
  for (let at = 0; at < 4 + below(10); at++) {
    const needs = tasks.filter(() => random() < 0.25).slice(-3).map(({ key }) => key);
    const task = { key: `t${at}`, kind: "trial", needs, input: { n: at } };
    const fanned = tasks.filter((other) => other.for_each || other.each);
    const dice = random();
    if (dice < 0.15) task.for_each = "params.list";
    else if (dice < 0.3 && needs.length > 0 && !fanned.some(({ key }) => key === needs[0])) task.for_each = `${needs[0]}.list`;
    else if (dice < 0.5 && fanned.length > 0) task.each = fanned[below(fanned.length)].key;
    tasks.push(task);
  }
  return tasks;
}

async function start(type, tasks, params = {}) {
  await pool.query("insert into workflow_definition (type, tasks) values ($1, $2)", [type, JSON.stringify(tasks)]);
  const { rows } = await pool.query("insert into mill.workflow (type, params, user_id) values ($1, $2, $3) returning id", [type, params, randomUUID()]);
  return rows[0].id;
}

test(`no task starts before what it needs is complete: ${isSoak ? 200 : 20} random graphs, 8 workers, kills (seed ${seed})`, async () => {
  const file = path.join(stack.folder, "ledger.jsonl");
  fs.writeFileSync(file, "");
  const definitions = new Map();
  for (let at = 0; at < (isSoak ? 200 : 20); at++) {
    const tasks = randomDefinition();
    definitions.set(await start(`random${at}`, tasks, { list: Array.from({ length: below(4) }, (_, n) => n) }), tasks);
  }

  let names = 0;
  let isOver = false;
  const workers = [];
  const hire = (at) => {
    const child = spawn(process.execPath, [path.join(import.meta.dirname, "workflows/worker.mjs"), stack.databaseUrl, file, `w${names++}`], { stdio: "ignore" });
    child.once("exit", () => { if (!isOver) hire(at); });
    workers[at] = child;
  };
  for (let at = 0; at < WORKERS; at++) hire(at);
  let kills = 0;
  const unrest = (async () => {
    while (!isOver) {
      await sleep(150 + below(150));
      workers[below(WORKERS)].kill("SIGKILL");
      kills++;
      await pool.query("select mill.reclaim(), mill.promote()");
    }
  })();
  try {
    await until(async () => (await pool.query("select from mill.workflow where status not in ('completed', 'failed')")).rowCount === 0,
      "every workflow ending", isSoak ? 900_000 : 300_000);
  } finally {
    isOver = true;
    await unrest;
    for (const worker of workers) worker.kill("SIGKILL");
  }

  assert.ok(kills > 3, `only ${kills} kills`);
  const { rows: jobs } = await pool.query("select id, status, error from mill.workflow where type like 'random%'");
  assert.deepEqual(jobs.filter(({ status }) => status !== "completed"), []);
  const { rows: tasks } = await pool.query("select id, job_id, key, item, state from mill.task");
  const place = (job, key, item) => tasks.find((task) => task.job_id === job && task.key === key && task.item === item);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const ledger = fs.readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
  const finished = new Set();
  const accepted = new Map();
  for (const { event, task: id } of ledger) {
    const task = byId.get(id);
    if (event === "finish") finished.add(id);
    if (event === "accepted") accepted.set(id, (accepted.get(id) ?? 0) + 1);
    if (event !== "start") continue;
    const { needs, each } = definitions.get(task.job_id).find(({ key }) => key === task.key);
    const before = tasks.filter((other) => other.job_id === task.job_id && needs.includes(other.key));
    if (each) before.push(place(task.job_id, each, task.item));
    for (const need of before) assert.ok(finished.has(need.id), `${task.key}[${task.item}] began before ${need.key}[${need.item}]`);
  }
  assert.deepEqual(tasks.filter(({ state }) => state !== "completed"), []);
  assert.ok(tasks.every(({ id }) => finished.has(id)), "every task was run");
  assert.ok([...accepted.values()].every((times) => times === 1), "no completion was accepted twice");
  assert.equal((await pool.query("select from mill.event where code in ('workflow_not_advanced', 'ended_hook_failed')")).rowCount, 0);
});

test("batches that settle tasks of the same workflows, and cancels among them, never deadlock", async () => {
  const list = Array.from({ length: isSoak ? 400 : 60 }, (_, n) => n);
  await pool.query("insert into workflow_definition (type, tasks) values ('shared', $1)", [JSON.stringify([
    { key: "a", kind: "trial", for_each: "params.list", input: { n: 1 } },
    { key: "b", kind: "trial", each: "a", on_failure: "skip", input: { n: 1 } },
    { key: "c", kind: "trial", needs: ["b"], tolerant: true, input: { n: 1 } }])]);
  for (let at = 0; at < 10; at++) await pool.query("insert into mill.workflow (type, params, user_id) values ('shared', $1, $2)", [{ list }, randomUUID()]);
  const failures = [];
  await Promise.all(Array.from({ length: WORKERS }, async (_, at) => {
    for (let idle = 0; idle < 20;) {
      try {
        const { rows } = await pool.query("select id, attempt from mill.claim($1, array['trial'], 13)", [`s${at}`]);
        idle = rows.length === 0 ? idle + 1 : 0;
        if (rows.length === 0) await sleep(10);
        // In any order, as workers settle: locks must be taken in one.
        const outcomes = rows.sort(() => random() - 0.5).map(({ id, attempt }) => ({ id, attempt, outcome: random() < 0.03 ? "dead" : "completed" }));
        await pool.query("select mill.settle($1, $2)", [`s${at}`, JSON.stringify(outcomes)]);
        if (random() < 0.01) await pool.query("select mill.stop_workflow(id) from (select id from mill.workflow where type = 'shared' and status = 'processing' order by random() limit 1) j");
      } catch (error) {
        if (error.code !== "GM067") failures.push(`${error.code} ${error.message}`);
      }
    }
  }));
  await pool.query("select mill.tick()");
  assert.deepEqual(failures, []);
  assert.deepEqual((await pool.query("select detail from mill.event where code in ('workflow_not_advanced', 'ended_hook_failed')")).rows, []);
  const { rows } = await pool.query("select status, count(*)::int from mill.workflow where type = 'shared' group by 1 order by 1");
  assert.equal(rows.filter(({ status }) => !["completed", "cancelled", "failed"].includes(status)).length, 0, JSON.stringify(rows));
  assert.equal((await pool.query("select from mill.job_live where parent is not null")).rowCount, 0, "nothing is left behind");
});

test("a workflow of many items costs one update of the job a settled batch, and no more", async () => {
  const items = isSoak ? 10_000 : 2_000;
  const id = await start("wide", [
    { key: "l", kind: "trial", input: { n: 1 } }, { key: "a", kind: "trial", needs: ["l"], for_each: "l.list", input: { n: "{{item}}" } },
    { key: "b", kind: "trial", needs: ["a"], input: { n: 1 } }]);
  const result = { list: Array.from({ length: items }, (_, n) => n) };
  const { rows: [{ revision: first }] } = await pool.query("select revision::int from mill.workflow where id = $1", [id]);
  let batches = 0;
  await Promise.all(Array.from({ length: WORKERS }, async (_, at) => {
    for (;;) {
      const { rows } = await pool.query("select id, attempt, name from mill.claim($1, array['trial'], 40)", [`u${at}`]);
      if (rows.length === 0 && (await pool.query("select from mill.workflow where id = $1 and status = 'completed'", [id])).rowCount === 1) return;
      if (rows.length === 0) { await sleep(5); continue; }
      batches++;
      await pool.query("select mill.settle($1, $2)", [`u${at}`, JSON.stringify(rows.map(({ name, ...row }) => ({ ...row, outcome: "completed", result: name === "l" ? result : {} })))]);
    }
  }));
  assert.equal((await pool.query("select from mill.task where job_id = $1 and key = 'a' and state = 'completed'", [id])).rowCount, items);
  const { rows: [{ revision }] } = await pool.query("select revision::int from mill.workflow where id = $1", [id]);
  assert.ok(revision - first <= batches, `${revision - first} updates of the job in ${batches} batches`);
});

// A list and a task that needs it whole; each item is claimed by a worker of its own.
async function startList(type, items) {
  const id = await start(type, [
    { key: "a", kind: "trial", for_each: "params.list", input: { n: 1 } }, { key: "b", kind: "trial", needs: ["a"], input: { n: 1 } }],
    { list: Array.from({ length: items }, (_, n) => n) });
  const held = [];
  for (let at = 0; at < items; at++) {
    const { rows } = await pool.query("select id, attempt, name from mill.claim($1, array['trial'], 1)", [`${type}${at}`]);
    held.push({ worker: `${type}${at}`, outcome: JSON.stringify([{ ...rows[0], outcome: "completed" }]) });
  }
  const state = async () => (await pool.query(`select s.completed, j.status, (select count(*)::int from mill.ended e where e.parent = j.id) as left,
    (select count(*)::int from mill.job_live l where l.parent = j.id and l.name = 'b') as started
    from mill.workflow j join mill.step s on s.job_id = j.id and s.key = 'a' where j.id = $1`, [id])).rows[0];
  const isLast = async () => {
    assert.deepEqual(await state(), { completed: items, status: "processing", left: 0, started: 1 }, "the last one takes all that was left, and the next task has started");
    await pool.query("select mill.stop_workflow($1)", [id]); // the tests share a queue
  };
  return { id, held, state, isLast };
}

/** Settles up to the point before the commit: what would run at commit has run. */
async function settleOpen({ worker, outcome }) {
  const client = await pool.connect();
  await client.query("begin");
  await client.query("select mill.settle($1, $2)", [worker, outcome]);
  await client.query("set constraints all immediate");
  return { commit: async () => { await client.query("commit"); client.release(); } };
}
const settle = ({ worker, outcome }) => pool.query("select mill.settle($1, $2)", [worker, outcome]);
const waitsForLock = (what) => until(async () => (await pool.query(
  "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%mill.settle%'")).rowCount === 1, what, 60_000);

test("a batch does not wait for another of the same workflow that holds its row", async () => {
  const { id, held, state, isLast } = await startList("unwaiting", 3);
  const holder = await pool.connect();
  await holder.query("begin");
  await holder.query("select from mill.workflow where id = $1 for update", [id]);
  await settle(held[0]); // would hang here if it waited
  const then = await state();
  await holder.query("commit");
  holder.release();
  assert.deepEqual(then, { completed: 0, status: "queued", left: 1, started: 0 });
  await settle(held[1]);
  await settle(held[2]);
  await isLast();
});

test("a task whose end was left to another is counted by that other, even if it ends at the same time", async () => {
  const { held, isLast } = await startList("handed", 2);
  const first = await settleOpen(held[0]);
  const second = settle(held[1]);
  await waitsForLock("the last batch waiting for the one that left it its count");
  await first.commit();
  await second;
  await isLast();
});

test("of two last batches at once neither leaves its count to the other", async () => {
  const { held, isLast } = await startList("both", 2);
  const clients = await Promise.all(held.map(async ({ worker, outcome }) => {
    const client = await pool.connect();
    await client.query("begin");
    await client.query("select mill.settle($1, $2)", [worker, outcome]);
    return client;
  }));
  // Both have ended their task, neither sees the other's end.
  await Promise.all(clients.map((client) => client.query("commit")));
  for (const client of clients) client.release();
  await isLast();
});

// Postgres waits in spite of SKIP LOCKED where a row was claimed after the snapshot of whoever wants to hold it, and is
// being ended. mill.can_count_later is slowed between the two, so that both fit in.
test("a batch that wants to hold a task which was claimed and is being ended meanwhile does not deadlock with that", async () => {
  const type = "crossed";
  await pool.query("insert into workflow_definition (type, tasks) values ($1, $2)", [type, JSON.stringify([
    { key: "l", kind: "trial", input: { n: 1 } }, { key: "a", kind: "trial", needs: ["l"], for_each: "l.list", input: { n: 1 } }])]);
  for (let at = 0; at < 2; at++) await pool.query("insert into mill.workflow (type, params, user_id) values ($1, '{}', gen_random_uuid())", [type]);
  const claim = async (max) => (await pool.query("select id, attempt from mill.claim($1, array['trial'], $2)", [type, max])).rows;
  const settleAs = (outcome, rows, result) => settle({ worker: type, outcome: JSON.stringify(rows.map((row) => ({ ...row, outcome, result }))) });
  const byId = (rows) => rows.sort((one, other) => (one.id < other.id ? -1 : 1));

  // Items of the older job get the higher ids: the two batches below then come to the jobs in opposite orders.
  for (const row of byId(await claim(2)).reverse()) await settleAs("completed", [row], { list: [1, 2] });
  const [newer0, newer1, older0, older1] = byId(await claim(4));
  await settleAs("released", [newer1, older1]);

  const { rows: [{ usual }] } = await pool.query("select pg_get_functiondef('mill.can_count_later'::regproc) as usual");
  const slow = usual.replace("where l.id = t.id", "where l.id = t.id and pg_sleep(1) is not null");
  assert.notEqual(slow, usual);
  await pool.query(slow);
  try {
    const first = settleAs("completed", [newer0, older0]);
    await sleep(1_500); // it holds the older job's other item, and has seen the newer job's as pending
    const others = await claim(2);
    assert.equal(others.length, 2, "what is merely held can be claimed");
    await Promise.all([first, settleAs("completed", others)]);
  } finally {
    await pool.query(usual);
  }
  const { rows } = await pool.query("select status from mill.workflow where type = $1", [type]);
  assert.deepEqual(rows, [{ status: "completed" }, { status: "completed" }]);
});

test("many short lists, settled task by task by many at once, all end without a tick", async () => {
  const tasks = [{ key: "a", kind: "trial", for_each: "params.list", input: { n: 1 } }, { key: "b", kind: "trial", needs: ["a"], input: { n: 1 } }];
  await pool.query("insert into workflow_definition (type, tasks) values ('short', $1)", [JSON.stringify(tasks)]);
  await pool.query("insert into mill.workflow (type, params, user_id) select 'short', '{\"list\": [1, 2, 3, 4, 5, 6]}', gen_random_uuid() from generate_series(1, $1)",
    [isSoak ? 1_000 : 60]);
  const unfinished = async () => (await pool.query("select from mill.workflow where type = 'short' and status <> 'completed'")).rowCount;
  await Promise.all(Array.from({ length: WORKERS }, async (_, at) => {
    for (let idle = 0; idle < 200;) {
      const { rows } = await pool.query("select id, attempt from mill.claim($1, array['trial'], 8)", [`q${at}`]);
      idle = rows.length === 0 ? idle + 1 : 0;
      if (rows.length === 0 && (await unfinished()) === 0) return;
      if (rows.length === 0) await sleep(5);
      await Promise.all(rows.map((row) => settle({ worker: `q${at}`, outcome: JSON.stringify([{ ...row, outcome: "completed" }]) })));
    }
  }));
  assert.equal(await unfinished(), 0);
  assert.equal((await pool.query("select from mill.ended")).rowCount, 0, "nothing is left uncounted");
  assert.equal((await pool.query("select from mill.event where code in ('workflow_not_advanced', 'ended_hook_failed')")).rowCount, 0);
});

test("an idempotency key used by 50 callers at once starts one job", async () => {
  await pool.query("insert into workflow_definition (type, tasks) values ('once', $1)", [JSON.stringify([{ key: "a", kind: "trial", input: { n: 1 } }])]);
  const sub = randomUUID();
  const answers = await Promise.all(Array.from({ length: 50 }, async () => {
    const client = await pool.connect();
    try {
      await client.query("begin");
      await client.query("select set_config('request.jwt.claims', $1, true)", [JSON.stringify({ role: "authenticated", sub })]);
      const { rows } = await client.query("select start_workflow('once', '{}', p_idempotency_key => 'k') as a");
      await client.query("commit");
      return rows[0].a;
    } finally {
      client.release();
    }
  }));
  assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
  assert.equal(answers.filter((answer) => answer.new).length, 1);
});
