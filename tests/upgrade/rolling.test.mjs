// A rolling upgrade: the database is upgraded to the next release while users write, and functions and worker of this release work on.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { applications, NAMES } from "../../scripts/lib/bench/applications.mjs";
import { isSoak, signIn, startStack, until } from "../support.mjs";
import { nextRelease } from "./head.mjs";
import { startLoad } from "./load.mjs";

const SYMBOLS = 16;
// A soak goes on with releases after the next one, each of which changes the same objects again.
const UPGRADES = isSoak ? 20 : 1;

let stack, started;
const sql = async (text, values) => (await stack.postgres.query(text, values)).rows;
before(async () => {
  stack = await startStack("rolling", { parts: ["gateway", "storage", "provider", "relay", "workerd", "work"] });
  started = ["workerd", "work"].map((part) => stack.parts[part].pid);
  await sql("insert into public.supported_symbols (symbol) select 'S' || n from generate_series(0, $1::int) n", [SYMBOLS]);
});
after(() => stack?.destroy());

/** How often `migrate` has begun a transaction, looked at until it ends. */
async function countTries(migrating) {
  const begun = new Set();
  let isOver = false;
  migrating.finally(() => (isOver = true)).catch(() => {});
  while (!isOver) {
    for (const { at } of await sql("select xact_start::text as at from pg_stat_activity where application_name = 'gristmill migrate' and xact_start is not null")) begun.add(at);
    await sleep(20);
  }
  return begun.size;
}

async function upgrade(head) {
  const begun = Date.now();
  const migrating = stack.gristmill("migrate", "--sql-dir", head);
  const [report, tries] = await Promise.all([migrating, countTries(migrating)]);
  assert.match(report, /dropped and created anew: function public\.submit_job/);
  assert.match(report, /removed: function mill\.end_invocation/);
  return `migrate took ${Date.now() - begun} ms and began ${tries} transactions`;
}

test("under full write load over HTTP migrate gets through, no answer is a 500, and everything that was accepted is completed", async (t) => {
  const load = await startLoad(stack, { users: 8, symbols: SYMBOLS });
  await until(() => load.written > 100, "the load writing");
  try {
    for (let n = 0; n < UPGRADES; n++) {
      const before = load.written;
      t.diagnostic(`${await upgrade(nextRelease(n || ""))}; ${load.written - before} requests were answered meanwhile`);
      assert.ok(load.written > before);
    }
  } finally {
    load.finish();
  }
  const { requests, unavailable, faults, longest, accepted } = await load.result;
  t.diagnostic(`${requests} requests by 8 users and the service, ${unavailable} of them answered 503; the longest waited ${longest} ms`);
  assert.deepEqual(faults, []);
  for (const [what, ids] of Object.entries(accepted)) assert.ok(ids.length > 0, `${what}: some were accepted`);
  await completed("jobs", "select id from mill.job where state = 'completed'", [...accepted.jobs, ...accepted.exports]);
  await completed("documents", "select id from public.shell_files where status = 'completed'", accepted.documents);
  await completed("workflows", "select id from mill.workflow where status = 'completed'", accepted.workflows);
  await completed("symbols", "select symbol as id from public.quotes", accepted.symbols);
  assert.deepEqual(await sql("select id, kind, attempt, payload, error, error_log from mill.job_dead"), []);
});

/** Waits until all these ids are among those that a query finds. */
async function completed(what, query, ids) {
  let missing = [...new Set(ids)];
  const look = async () => {
    missing = (await sql(`select w.id from unnest($1::text[]) as w(id) where w.id not in (select f.id::text from (${query}) f)`, [missing])).map(({ id }) => id);
    return missing.length === 0;
  };
  await until(look, `all ${what} being completed`).catch(async (error) => {
    const left = await sql("select id, kind, queue, state, attempt, error from mill.job where id::text = any ($1) limit 3", [missing]);
    assert.fail(`${error.message}: ${missing.length} are missing, among them ${JSON.stringify(left.length > 0 ? left : missing.slice(0, 3))}`);
  });
}

for (const name of NAMES) {
  test(`functions and worker of this release bring an application's work (${name}) the whole way on the schema of the next release`, async () => {
    // Those of tests/upgrade/head.mjs: the numbers of our own have four digits.
    assert.deepEqual(await sql("select count(*)::int as n from mill.migration where path ~ '^migrations/[0-9]_'"), [{ n: 2 * UPGRADES }]);
    const application = applications(stack)[name];
    const user = await signIn(stack);
    const asked = { id: user.sub, headers: { authorization: `Bearer ${user.token}` } };
    const id = await application.ask(asked, name === "refresh" ? `S${SYMBOLS}` : `rolling-${name}`);
    const { state } = await until(() => application.look(asked, id), `the ${name} ending`);
    assert.equal(state, "completed");
    assert.deepEqual(["workerd", "work"].map((part) => stack.parts[part].pid), started, "neither was started again");
  });
}
