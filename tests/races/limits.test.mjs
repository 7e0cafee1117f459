// 32 workers hammer one provider limit of 100 a minute for three minutes, and half of them are killed midway. By default
// the database's clock runs 12 times as fast; with GRISTMILL_SOAK=1 the three minutes are real ones.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { connect, isSoak, sleep, startStack, until } from "../support.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const SPEED = isSoak ? 1 : 12;
const LIMIT = 100;
const PROCESSES = 4;
const WORKERS = 32;
let stack, pool;
const running = [];

before(async () => {
  stack = await startStack("limits", { parts: [] });
  pool = connect(stack, 4);
  // Only for this database: everything that asks for the time gets a faster one.
  await pool.query(`create or replace function mill.now() returns timestamptz language plpgsql stable set search_path = pg_catalog, pg_temp as $$
    begin return '2030-01-01 00:00+00'::timestamptz + (clock_timestamp() - '${new Date().toISOString()}'::timestamptz) * ${SPEED}; end $$`);
  await pool.query(`insert into mill.api_rate_limits (provider_name, api_endpoint, requests_per_minute, concurrent_requests, lease_seconds)
    values ('p', 'acquire', ${LIMIT}, 40, 20), ('p', 'claim', ${LIMIT}, 40, 20)`);
  await pool.query("insert into mill.queue (queue, provider, endpoint, lease_seconds) values ('limited', 'p', 'claim', 20)");
  await pool.query("insert into mill.kind (kind, queue) values ('limited', 'limited')");
});
after(async () => {
  for (const child of running) child.kill("SIGKILL");
  await pool?.end();
  await stack?.destroy();
});

const free = async (way) => (await pool.query("select slots from mill.api_capacity_left(mill.api_limit('p', $1), mill.now())", [way])).rows[0].slots;

function start(way, at) {
  // Those that will be killed are slow, so that they hold slots when it happens.
  const milliseconds = at < PROCESSES / 2 ? 100 : 1000;
  const child = spawn(process.execPath,
    [path.join(here, "limits/caller.mjs"), stack.databaseUrl, way, WORKERS / PROCESSES, `w${at}`, milliseconds], { stdio: ["pipe", "pipe", "inherit"] });
  running.push(child);
  const ended = new Promise((resolve) => child.on("close", (code) => resolve(code)));
  let told = 0;
  child.stdout.on("data", (text) => (told += String(text).split("\n").length - 1));
  return { child, ended, told: () => told };
}

// Three minutes of it. Answers every grant that Postgres made, as milliseconds, and how many the workers heard of.
async function hammer(way) {
  const callers = Array.from({ length: PROCESSES }, (_, at) => start(way, at));
  const granted = async () => (await pool.query("select coalesce(sum(requests), 0)::int as n from mill.api_use where endpoint = $1", [way])).rows[0].n;
  await until(granted, "the first grant");
  const begun = Date.now();
  // In the middle of the second minute's rush, while they hold slots.
  await until(async () => (await granted()) > 1.2 * LIMIT, "the second minute", 120_000);
  for (const { child } of callers.slice(PROCESSES / 2)) child.kill("SIGKILL");
  await sleep(begun + 180_000 / SPEED - Date.now());
  for (const { child } of callers.slice(0, PROCESSES / 2)) child.stdin.end();
  const codes = await Promise.all(callers.map(({ ended }) => ended));
  assert.deepEqual(codes, [0, 0, null, null]);
  const { rows } = await pool.query(
    "select extract(epoch from at)::float8 * 1000 as at from mill.api_use u cross join generate_series(1, u.requests) where endpoint = $1 order by at", [way]);
  return { grants: rows.map(({ at }) => at), told: callers.reduce((sum, caller) => sum + caller.told(), 0) };
}

function judge({ grants, told }, diagnostic) {
  let most = 0;
  for (let first = 0, last = 0; last < grants.length; last++) {
    while (grants[last] - grants[first] >= 60_000) first++;
    most = Math.max(most, last - first + 1);
  }
  const inTime = grants.filter((at) => at < grants[0] + 180_000).length;
  diagnostic(`${inTime} of ${3 * LIMIT} used in three minutes (${(inTime / (3 * LIMIT) * 100).toFixed(1)}%), at most ${most} in any 60 s, ${told} heard of`);
  assert.ok(most <= LIMIT, `${most} within 60 s`);
  assert.ok(inTime >= 0.95 * 3 * LIMIT, `only ${inTime} of ${3 * LIMIT} were used`);
  assert.ok(told <= grants.length && told >= 0.9 * grants.length, `${told} of ${grants.length} were heard of`);
}

describe("32 workers at 100 a minute", { concurrency: true }, () => {
  test("K14: callers, compat workers among them, never pass the limit in any minute, use all of it, and leak no slot when killed", async (t) => {
    judge(await hammer("acquire"), (line) => t.diagnostic(line));
    await until(async () => (await free("acquire")) === 40, "the slots of the killed coming back", 60_000);
  });

  test("nor do claims of a queue under a limit", async (t) => {
    await pool.query(`select count(*) from mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'limited', 'payload', jsonb_build_object('n', n))) from generate_series(1, 1000) n))`);
    const heard = await hammer("claim");
    judge(heard, (line) => t.diagnostic(line));
    await until(async () => (await free("claim")) === 40, "the slots of the killed coming back", 60_000);
    await pool.query("select mill.reclaim()");
    const { rows: [{ left, done, lost }] } = await pool.query(`select
      (select count(*)::int from mill.job_live where state = 'processing') as left, (select count(*)::int from mill.job where state = 'completed') as done,
      (select coalesce(sum(lease_losses), 0)::int from mill.job_live) as lost`);
    t.diagnostic(`${done} completed, ${lost} lost with their workers`);
    assert.equal(left, 0);
    assert.ok(lost > 0, "nobody held a job when it was killed");
    assert.equal(done + lost, heard.grants.length); // each grant was one attempt, and each attempt one grant
  });
});

test("the tick ends the slots of the killed for good", async () => {
  assert.ok((await pool.query("select from mill.api_lease where ended_at is null")).rowCount > 0);
  await pool.query("select mill.tick()");
  assert.equal((await pool.query("select from mill.api_lease where ended_at is null")).rowCount, 0);
});
