// The fault matrix: each part of the stack is killed under load and started again, and each fault of faults.mjs begins and ends, at default settings. Then
// a new piece of work of each application must go the whole way within ten seconds. The ledger, which lies outside, says whether anything was lost (L),
// doubled (D) or changed by a stale attempt (F). At the end: no byte crossed tenants (T), objects and rows match (O), the audit chain
// verifies (A), connections, memory and what waits are bounded (B).
//
//   GRISTMILL_SOAK=1             all parts and five rounds per part, more load, and waits until everything has ended
//   GRISTMILL_SEED=N             the same moments and the same load again, for instance: GRISTMILL_SEED=4711 ./scripts/test chaos
//   GRISTMILL_CHAOS_PARTS=a,b    these parts and faults alone
//   GRISTMILL_CHAOS_PATIENCE=S   how many seconds a probe is waited for after it has failed the bound, to learn the true time
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { NAMES } from "../../scripts/lib/bench/applications.mjs";
import { random } from "../../scripts/lib/samples/image.mjs";
import { Stack } from "../../sdk/local/stack/stack.mjs";
import { watchOver } from "../../sdk/local/stack/undertaker.mjs";
import { isSoak, sleep, until } from "../support.mjs";
import { openClient } from "./client.mjs";
import { crossed, mismatched, outOfBounds, unverified } from "./end.mjs";
import { faults, prepareFullDisk } from "./faults.mjs";
import { openLedger, readLedger, startLedger } from "./ledger.mjs";
import { Proxy } from "./proxy.mjs";
import { changed, doubled, lost, runningAttempts, saidByStale, timeOf } from "./questions.mjs";

const BOUND_MS = 10_000;
const PARTS = ["workerd", "gateway", "relay", "work", "storage", "one Postgres backend", "all of Postgres"];
const FAULTS = Object.keys(faults({}, {}));
// Without a soak those that differ the most: a whole run of the tests has minutes, and each costs it six to eight seconds.
const QUICK = ["workerd", "gateway", "relay", "work", "all of Postgres", "a full disk", "a read-only database", "answers of Postgres that get lost"];
// How long a fault lasts. The worker must have lost its leases when it goes on.
const LASTS_MS = (fault) => (fault === "a worker that is frozen" ? 100_000 : isSoak ? 10_000 : 2_000);
const chosen = process.env.GRISTMILL_CHAOS_PARTS?.split(",") ?? (isSoak ? [...PARTS, ...FAULTS] : QUICK);
for (const one of chosen) if (![...PARTS, ...FAULTS].includes(one)) throw new Error(`there is no part or fault "${one}"; there are: ${[...PARTS, ...FAULTS].join(", ")}`);
const ROUNDS = isSoak ? 5 : 1;
const SEED = Number(process.env.GRISTMILL_SEED ?? Date.now() % 100_000);
const PATIENCE_MS = 1000 * Number(process.env.GRISTMILL_CHAOS_PATIENCE ?? (isSoak ? 400 : 15));
// A job that was in flight in a killed container worker comes back when its lease of 90 s has ended, spread over 60 s more; it may be killed twice.
const LEASES_END_MS = 360_000;

// Requests per second, and how many may be outstanding: moderate for two cores.
const more = isSoak ? 1.5 : 1;
const RATES = { job: 5 * more, document: 0.5 * more, export: 0.4 * more, refresh: 0.7 * more, workflow: 0.08 * more };
const LIMITS = { job: 20, document: 4, export: 3, refresh: 5, workflow: 2 };

describe(`faults under load (seed ${SEED})`, () => {
  const next = random(SEED);
  const times = new Map(chosen.map((part) => [part, Object.fromEntries(NAMES.map((app) => [app, []]))]));
  // Which kill an application has not come back from yet: rounds after it cannot be held against the next part.
  const stoppedBy = new Map();
  const answers = { lost: [], doubled: [], stale: [] };
  const proxies = {};
  let known, begin;
  let folder, stack, ledgerProcess, loadProcess, ledger, client, probes = 0, staleSaid = 0, startedAgain = 0;

  const query = async (sql, values) => (await stack.postgres.query(sql, values)).rows;
  const end = async () => {
    ledger?.close();
    for (const child of [loadProcess, ledgerProcess]) child?.kill("SIGKILL");
    await stack?.destroy();
    for (const proxy of Object.values(proxies)) proxy.close();
  };

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-chaos-"));
    stack = new Stack(`test-chaos-${process.pid}`, { parts: ["gateway", "relay", "storage", "provider", "workerd", "work"] }); // as scripts/dev does
    stack.env.postgres = prepareFullDisk(folder);
    watchOver(stack, folder);
    await stack.start([]);
    proxies.toPostgres = await Proxy.open(new URL(stack.databaseUrl).port);
    proxies.toGateway = await Proxy.open(stack.ports.gatewayPort);
    const throughProxy = { SUPABASE_URL: proxies.toGateway.in(stack.url) };
    Object.assign(stack.env, {
      gateway: { GRISTMILL_DATABASE_URL: proxies.toPostgres.in(stack.postgres.url("authenticator", stack.secrets.authenticatorPassword)) },
      functions: throughProxy, work: throughProxy,
    });
    await stack.add(stack.wanted);
    begin = faults(stack, proxies);
    await query("insert into public.supported_symbols (symbol) select s || n from generate_series(0, 4999) n, unnest(array['L', 'P']) s");
    ledgerProcess = await startLedger(folder);
    ledger = await openLedger(folder);
    const site = { url: stack.url, anonKey: stack.anonKey, jwtSecret: stack.secrets.jwtSecret };
    client = openClient(site, ledger, { poll: 100 });
    loadProcess = spawn(process.execPath, [fileURLToPath(new URL("load.mjs", import.meta.url))], {
      env: { ...process.env, CHAOS_LOAD: JSON.stringify({ site, folder, seed: SEED, rates: RATES, limits: LIMITS }) }, stdio: ["pipe", "inherit", "inherit"] });
    // The first of everything is slow: functions are compiled, pools filled, fonts read.
    await until(() => NAMES.every((app) => readLedger(folder).some((item) => item.app === app && item.backs.length > 0)), "one of each application coming back");
    known = await outOfBounds.begin(stack, query);
  });

  after(async () => {
    await end();
    if (Object.values(answers).flat().length > 0) {
      const kept = path.join(os.tmpdir(), `gristmill-ledger-${SEED}.jsonl`);
      fs.copyFileSync(path.join(folder, "ledger.jsonl"), kept);
      console.error(`the ledger is kept: ${kept}`);
    }
    fs.rmSync(folder, { recursive: true, force: true });
  });

  for (let round = 1; round <= ROUNDS; round++) {
    for (const part of chosen) {
      const title = PARTS.includes(part) ? `${part}, killed under load, costs` : `${part}, under load for ${LASTS_MS(part) / 1000} s, once over,`;
      const claim = PARTS.includes(part) ? "no application more than" : "leaves every application whole within";
      test(`${title} ${claim} ${BOUND_MS / 1000} s (round ${round} of ${ROUNDS})`, async (t) => {
        await underLoad();
        const running = await runningAttempts(query);
        const again = await kill(part);
        const measured = Promise.all(NAMES.map(probe)); // from the moment at which it is started again
        await again();
        startedAgain = Date.now();
        const slow = [];
        const slowKeys = new Set();
        for (const [app, key, ms] of await measured) {
          times.get(part)[app].push(ms);
          if (ms > BOUND_MS) {
            slowKeys.add(key);
            slow.push(`${app}: ${shown(ms)}${stoppedBy.has(app) ? `, and it did not work before, since ${stoppedBy.get(app)} was killed` : ""}`);
          }
          if (ms === Infinity) stoppedBy.set(app, stoppedBy.get(app) ?? part);
          else stoppedBy.delete(app);
        }
        await ask(`after ${part}, round ${round}`, running);
        for (const { app, key, id } of readLedger(folder).filter(({ key }) => slowKeys.has(key))) {
          t.diagnostic(`${app} ${key}: ${id ? await timeOf(query, key, id) || "no job yet" : "never acknowledged"}`);
        }
        assert.deepEqual(slow, [], "applications that were not whole again in time");
      });
    }
  }

  test("what was in flight comes to its end, or is still held under a lease", async (t) => {
    loadProcess.stdin.write("stop\n");
    const outstanding = () => readLedger(folder).filter(({ id, backs }) => id && backs.length === 0);
    try {
      await until(() => outstanding().length === 0, "everything acknowledged coming back", isSoak ? LEASES_END_MS : 1_000);
    } catch (error) {
      const left = outstanding();
      t.diagnostic(`${left.length} still under way, among them ${left.slice(0, 10).map(({ app, key }) => `${app} ${key}`).join(", ")}`);
      if (isSoak) throw error;
    }
    await ask("at the end", []);
    const items = readLedger(folder);
    for (const app of NAMES) assert.ok(items.some((item) => item.app === app && item.backs.length > 0), `the load has used ${app}`);
    const over = AbortSignal.timeout(isSoak ? 600_000 : 60_000);
    const disturbed = (item) => item.backs[0].at - item.askedAt;
    const again = NAMES.flatMap((app) => items.filter((item) => item.app === app && item.backs.length > 0)
      .sort((a, b) => disturbed(b) - disturbed(a)).slice(0, isSoak ? undefined : 15)); // those that took longest
    answers.stale.push(...await changed(again, (item) => client.lookAgain(item, over)));
    const counts = NAMES.map((app) => {
      const of = items.filter((item) => item.app === app);
      return `${app} ${of.filter(({ id }) => id).length} acknowledged, ${of.filter(({ backs }) => backs.length > 0).length} came back`;
    });
    t.diagnostic(`${counts.join("; ")}; ${staleSaid} stale attempts spoke`);
  });

  test("nothing that was acknowledged is lost", () => assert.deepEqual(answers.lost, []));
  test("no effect happened twice", () => assert.deepEqual(answers.doubled, []));
  test("a stale attempt changed nothing", () => assert.deepEqual(answers.stale, []));

  test("no byte crossed tenants: another user sees none of what was asked for", async () =>
    assert.deepEqual(await crossed(stack, readLedger(folder).filter(({ id }) => id).slice(isSoak ? -500 : -40)), []));
  test("every row that names an object has it, with its size", async () => assert.deepEqual(await mismatched(stack, query), []));
  test("the audit chain verifies", async () => assert.deepEqual(await unverified(query), []));
  test("connections, memory and what waits stayed bounded", async (t) => {
    const { found, figures } = await outOfBounds.judge(stack, query, known);
    t.diagnostic(figures);
    assert.deepEqual(found, []);
  });

  test("the worst time of each part and application is known", (t) => {
    for (const line of table(times)) t.diagnostic(line);
    assert.ok([...times.values()].every((apps) => Object.values(apps).every((list) => list.length === ROUNDS)));
  });

  /**
   * Waits until the part has something to lose: the load was accepted again after the round before, as many invocations of the queue
   * `default` run as may run at once and none of them is about to end, and the container worker is at work.
   */
  async function underLoad() {
    const quick = ["job", "document", "export", "refresh"]; // a workflow is long, and one is mostly under way
    await until(() => quick.every((app) => readLedger(folder).some((item) => item.app === app && item.acknowledgedAt >= startedAgain)),
      "load of each application", 30_000);
    await until(async () => (await query(`
      select (select count(distinct j.worker) from mill.job_live j where j.queue = q.queue and j.state = 'processing'
          and j.started_at + (j.payload ->> 'delay_ms')::int * interval '1 ms' > now() + interval '500 ms') >= q.max_parallel
        and exists (select from mill.job_live j join mill.queue w using (queue) where j.state = 'processing' and w.served_by = 'worker') as busy
      from mill.queue q where q.queue = 'default'`))[0].busy, "a system that is busy", 30_000);
  }

  /** Kills a part. Gives what starts it again, after the second that a platform takes. */
  async function kill(part) {
    if (begin[part]) {
      const over = await begin[part]();
      await sleep(LASTS_MS(part) + next() * 300);
      return over;
    }
    if (part === "one Postgres backend") {
      const backends = await query(`select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
        and (usename = 'authenticator' or application_name like 'gristmill%') order by pid`);
      process.kill(backends[Math.floor(next() * backends.length)].pid, "SIGKILL");
      return async () => {}; // Postgres itself ends all sessions and starts again
    }
    if (part === "all of Postgres") {
      const { process: postgres } = stack.parts.postgres;
      const ended = new Promise((resolve) => postgres.once("exit", resolve));
      postgres.kill("SIGQUIT"); // immediate: no checkpoint, sessions are cut off
      await ended;
    } else {
      await stack.parts[part].kill();
    }
    await sleep(1_000 + next() * (isSoak ? 1_000 : 300));
    return () => stack.restart(part === "all of Postgres" ? "postgres" : part);
  }

  /** How long a new piece of work of one application takes; Infinity when it is not waited for any longer. */
  async function probe(app) {
    const begun = performance.now();
    const n = probes++;
    const key = app === "refresh" ? `P${n}` : `probe-${app}-${n}`;
    const signal = AbortSignal.timeout(BOUND_MS + PATIENCE_MS);
    const state = await client.wholeWay(app, key, randomUUID(), signal).catch(() => "refused"); // the ledger has why, and question L reads it
    return [app, key, state === "completed" ? performance.now() - begun : Infinity];
  }

  /** Asks the ledger and the database; what is wrong is noted with when it was found. */
  async function ask(when, running) {
    const items = readLedger(folder);
    const { said, wrong } = await saidByStale(query, running, settleAsService);
    staleSaid += said;
    for (const [name, found] of [["lost", await lost(query, items)], ["doubled", await doubled(query, items)], ["stale", wrong]]) {
      const known = (sentence) => answers[name].some((earlier) => earlier.endsWith(sentence));
      answers[name].push(...found.filter((sentence) => !known(sentence)).map((sentence) => `${when}: ${sentence}`));
    }
  }

  async function settleAsService(p_worker, p_outcomes) {
    const answer = await fetch(`${stack.url}/rest/v1/rpc/settle_jobs`, {
      method: "POST", body: JSON.stringify({ p_worker, p_outcomes }),
      headers: { authorization: `Bearer ${stack.serviceKey}`, apikey: stack.serviceKey, "content-type": "application/json" } });
    assert.equal(answer.status, 200, await answer.clone().text());
    return answer.json();
  }
});

const shown = (ms) => (Number.isFinite(ms) ? `${(ms / 1000).toFixed(1)} s` : `over ${(BOUND_MS + PATIENCE_MS) / 1000} s`);

/** The worst time of each part and application, one line per part. */
function table(times) {
  const cell = (list) => (list.length > 0 ? shown(Math.max(...list)) : "not measured");
  const rows = [["killed or broken", ...NAMES], ...[...times].map(([part, apps]) => [part, ...NAMES.map((app) => cell(apps[app]))])];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) => row.map((text, column) => (column === 0 ? text.padEnd(widths[0]) : text.padStart(widths[column]))).join("  "));
}
