// Breaks the functions behind the contracts of refresh in every way that the operators know, one at a time, and asks the tests.
// A mutant that no test notices is a failure, unless equivalent.json says why it behaves like the original.
//   node tests/mutants/run.mjs [--sample N] [--only TEXT] [--from FILE] [--no-races]
// --from takes the output of an earlier run and asks again about the mutants that were left there.
//
// A mutant and a test meet in a transaction that is rolled back: that takes milliseconds. Tests that commit get a database of
// their own. Which tests call a function is measured: Postgres counts the calls.
import fs from "node:fs";
import path from "node:path";
import pg from "pg";

import { root } from "../../sdk/local/stack/paths.mjs";
import { Stack } from "../../sdk/local/stack/stack.mjs";
import { addressOf, filesIn, prepareTemplate, runTap, TEMPLATE, textOf } from "../../scripts/lib/test/tap.mjs";
import { mutantsOf } from "./mutants.mjs";
import { racesNotice } from "./races.mjs";

const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined);
const sample = Number(option("--sample") ?? 0);
const only = option("--only");
const from = option("--from");
const WORKERS = 2;
// Half of all tests queue a job: of those that only pass by, the quickest are asked.
const MOST_OTHERS = 12;
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const read = (name) => JSON.parse(fs.readFileSync(path.join(here, name), "utf8"));

const contracts = read("contracts.json");
const equivalent = read("equivalent.json");
const sql = path.join(root, "tests/sql");
// The tests of the contracts notice most. One of them knows every right and every argument.
const FIRST = ["contracts", "refresh", "breaker"];
const CALLERS = "contracts/callers_and_arguments";
const isFirst = (test) => FIRST.some((folder) => test.name.startsWith(`${folder}/`));
const CALLED = "select schemaname || '.' || funcname as name from pg_stat_user_functions";
const isBad = (tap) => tap.some((line) => /^not ok/.test(line));
const likely = (test, { routine }) => (isFirst(test) ? 1 : 0) + (test.calls.has(routine) ? 2 : 0) - (test.quick ? 0 : 4);

const stack = new Stack(`mutants-${process.pid}`, { parts: ["relay"], settings: { fsync: "off", track_functions: "all" } });
let failed = 0;
try {
  await stack.start();
  await prepareTemplate(stack);
  failed = await run();
} finally {
  await stack.destroy();
}
process.exit(failed > 0 ? 1 : 0);

async function run() {
  const begun = performance.now();
  const workers = await Promise.all(Array.from({ length: WORKERS }, (_, at) => worker(at)));
  // Of the engine's own functions the contracts ask for the locks; all else of them is the engine's to test.
  const of = (list, keep = () => true) => mutantsOf(workers[0].client, Object.values(contracts).flatMap((contract) => contract[list] ?? [])).then((found) => found.filter(keep));
  const all = [...await of("functions"), ...await of("locks_of", ({ operator }) => operator === "lock removed")];
  const stale = Object.keys(equivalent).filter((id) => !all.some((mutant) => mutant.id === id));
  const left = from && new Set(fs.readFileSync(from, "utf8").split("\n").map((line) => /^(?:FAILED no test notices |SURVIVES\t)(.*)$/.exec(line)?.[1]));
  let chosen = all.filter(({ id }) => (!only || id.includes(only)) && (!left || left.has(id)));
  if (sample) chosen = shuffled(chosen.filter(({ id }) => !equivalent[id])).slice(0, sample);

  const tests = filesIn(sql).map((file) => ({ file, name: path.relative(sql, file).replace(/\.sql$/, ""), text: mutating(textOf(file)) }))
    .filter(({ text, name }) => !/^-- (live|needs):/m.test(text) && (!sample || isFirst({ name })));
  await atOnce(workers, tests, async (worker, test) => Object.assign(test, await measured(worker, test)));
  const usable = tests.filter(({ passes }) => passes).sort((a, b) => isFirst(b) - isFirst(a) || a.took - b.took);
  const measuredIn = performance.now() - begun;
  if (process.env.VERBOSE) console.log(`# ${usable.length} tests, ${usable.filter(({ quick }) => !quick).length} of them in copies: ${usable.filter(({ quick }) => !quick).map(({ name }) => name).join(" ")}`);

  const results = [];
  await atOnce(workers, [...chosen], async (worker, mutant) => {
    const result = { ...mutant, by: await noticed(worker, mutant, usable) };
    results.push(result);
    if (process.env.VERBOSE) console.log(`${result.by ?? "SURVIVES"}\t${mutant.id}`);
  });
  if (!process.argv.includes("--no-races")) {
    for (const result of results.filter(({ by, id }) => by === null && !equivalent[id])) result.by = await racesNotice(stack, result, contractOf(result));
  }
  for (const { client } of workers) await client.end();

  const valid = results.filter(({ by }) => by !== "invalid");
  const survivors = valid.filter(({ by, id }) => by === null && !equivalent[id]);
  const killed = valid.filter(({ by, id }) => by !== null && equivalent[id]);
  for (const { id } of survivors) console.log(`FAILED no test notices ${id}`);
  for (const { id } of killed) console.log(`FAILED equivalent.json explains a mutant that ${results.find((one) => one.id === id).by} notices: ${id}`);
  for (const id of stale) console.log(`FAILED equivalent.json explains a mutant that does not exist: ${id}`);
  const explained = valid.filter(({ by, id }) => by === null && equivalent[id]).length;
  const failed = survivors.length + killed.length + stale.length;
  console.log(`# ${valid.length} of ${all.length} mutants (${results.length - valid.length} are no SQL), ${explained} explained as equivalent; tests measured in ${(measuredIn / 1000).toFixed(0)} s, all in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  console.log(`${valid.length - survivors.length - killed.length} passed, ${failed} failed, 0 skipped`);
  return failed;
}

function contractOf({ routine }) {
  return Object.entries(contracts).find(([, { functions, locks_of = [] }]) => [...functions, ...locks_of].includes(routine))[0];
}

// A test that breaks a function by itself looks for a text that a mutant may not have: it leaves that part out.
function mutating(text) {
  return text.replaceAll("select pg_temp.caught(", "select pg_temp.left_out(");
}

async function renew(old) {
  old.client.removeAllListeners("error").on("error", () => {});
  await old.client.end();
  Object.assign(old, await worker(old.at, (old.renewed ?? 0) + 1));
  console.log(`# worker ${old.at} has a new database`);
}

async function worker(at, renewed = 0) {
  const database = `mutants_${at}_of_${renewed}`;
  await stack.postgres.query(`create database ${database} template ${TEMPLATE}`);
  // On a busy machine a worker may wait between two statements for longer than a server allows. `reset all` keeps what the connection began with.
  const client = new pg.Client({ connectionString: addressOf(stack, database), options: "-c idle_in_transaction_session_timeout=0" });
  // Without its connection a worker would take every mutant for noticed.
  client.on("error", async (error) => {
    console.log(`FAILED the connection of a worker was lost: ${error.message}`);
    await stack.destroy();
    process.exit(1);
  });
  await client.connect();
  return { client, copies: 0, at, renewed };
}

async function atOnce(workers, list, work) {
  const queue = [...list];
  await Promise.all(workers.map(async (worker) => {
    while (queue.length > 0) await work(worker, queue.shift());
  }));
}

/** Runs a test against a mutant and takes everything back. */
async function within(worker, install, text, after = async () => {}) {
  await worker.client.query("reset all; begin; set local statement_timeout = '15s'");
  try {
    for (const statement of install) await worker.client.query(statement);
    const result = await runTap(worker.client, text, isBad);
    return { ...result, extra: await after(worker.client, result) };
  } finally {
    await worker.client.query("rollback");
    await worker.client.query("reset role; reset session authorization; discard temp; select pg_advisory_unlock_all()");
  }
}

async function inCopy(worker, install, text, after = async () => {}) {
  const database = `mutants_${worker.at}_${worker.renewed}_${++worker.copies}`;
  await stack.postgres.query(`create database ${database} template ${TEMPLATE}`);
  const client = new pg.Client({ connectionString: addressOf(stack, database) });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("set statement_timeout = '15s'");
    for (const statement of install) await client.query(statement);
    const result = await runTap(client, text, isBad);
    return { ...result, extra: await after(client, result) };
  } finally {
    await client.end();
    await stack.postgres.query(`drop database ${database} with (force)`).catch(() => {});
  }
}

async function measured(worker, test) {
  const begun = performance.now();
  const first = await within(worker, [], test.text, async (client, { failure }) =>
    failure === null ? (await client.query(CALLED.replace("pg_stat_user", "pg_stat_xact_user"))).rows.map(({ name }) => name) : []).catch(() => ({ passed: false }));
  if (first.passed) return { passes: true, quick: true, calls: new Set(first.extra), took: performance.now() - begun };
  const second = await inCopy(worker, [], test.text, async (client) => {
    await client.query("rollback; reset role; reset session authorization");
    await client.query("select pg_stat_force_next_flush()");
    return (await client.query(CALLED)).rows.map(({ name }) => name);
  });
  if (!second.passed) console.log(`# ${test.name} fails without a mutant and is not asked: ${second.failure ?? ""}`);
  return { passes: second.passed, quick: false, calls: new Set(second.extra), took: performance.now() - begun };
}

async function noticed(worker, mutant, tests) {
  const install = [mutant.sql];
  try {
    await worker.client.query("begin");
    await worker.client.query(mutant.sql);
  } catch {
    return "invalid";
  } finally {
    await worker.client.query("rollback");
  }
  // What is written into its callers when the plan is made is counted nowhere.
  const isCounted = tests.some((test) => isFirst(test) && test.calls.has(mutant.routine));
  const asked = tests.filter((test) => (["grant widened", "default added"].includes(mutant.operator)
    ? test.name === CALLERS : isCounted ? test.calls.has(mutant.routine) : isFirst(test)))
    .sort((a, b) => likely(b, mutant) - likely(a, mutant));
  const [first, others] = [asked.filter(isFirst), asked.filter((test) => !isFirst(test))];
  for (const test of [...first, ...others.slice(0, MOST_OTHERS)]) {
    const ask = () => (test.quick ? within(worker, install, test.text).catch((error) => ({ passed: false, failure: `${error.code} ${error.message}` }))
      : inCopy(worker, install, test.text));
    let result = await ask();
    // Only what passes without the mutant has noticed it. Where it does not, an earlier mutant has left something behind, or the machine is busy.
    if (!result.passed && test.quick && !(await within(worker, [], test.text).catch(() => ({ passed: false }))).passed) {
      await renew(worker);
      result = await ask();
    }
    if (result.passed) continue;
    if (equivalent[mutant.id]) console.log(`# ${test.name} notices ${mutant.id}: ${result.failure ?? result.tap.filter((line) => /^(not ok|#)/.test(line)).join("; ")}`);
    return test.name;
  }
  return null;
}

// The same seed gives the same sample; it changes with the week of the year, so that the default runs see all in time.
function shuffled(list) {
  let seed = Number(process.env.GRISTMILL_SEED ?? Math.floor(Date.now() / 604_800_000));
  const random = () => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32);
  return list.map((one) => [random(), one]).sort(([a], [b]) => a - b).map(([, one]) => one);
}
