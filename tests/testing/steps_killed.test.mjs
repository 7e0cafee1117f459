// A job of 200 steps whose workers are killed again and again. A kill is a call of Postgres after which nothing of the worker is heard any more: the call was
// made or was not, and its answer is lost in any case. GRISTMILL_SOAK=1 makes it 500 kills, GRISTMILL_SEED replays.
import assert from "node:assert/strict";
import { after, test } from "node:test";

import { Attempt } from "../../sdk/typescript/dist/attempt.js";
import { defineJob, gristmill, handle } from "../../sdk/typescript/dist/index.js";
import { testing } from "../../sdk/typescript/dist/testing/index.js";
import { randomFrom } from "../engine/schemas/generate.mjs";

const isSoak = process.env.GRISTMILL_SOAK === "1";
const SEED = Number(process.env.GRISTMILL_SEED ?? (isSoak ? Date.now() % 1_000_000 : 28));
const KILLS = isSoak ? 500 : 20;
const STEPS = 200;

// Chance may kill workers several times before they have done one step; a job that makes no progress is given up after its attempts.
const long = defineJob("long", { queue: "long", maxAttempts: 100 }).payload();
const effects = [], failures = [];
const handler = handle(long, async ({ step, sleep, waitFor }) => {
  const results = [];
  for (let n = 1; n <= STEPS; n++) {
    results.push(await step(`step ${n}`, () => ({ n, effect: effects.push(n) })));
    if (n === 50) await sleep("an hour", "1h");
    if (n === 100) results.push(await waitFor("go", { timeout: "30d" }));
    if (n === 150) await sleep("a day", "1d");
  }
  return results;
});
const t = await testing({ handlers: [handler], queues: [{ queue: "long", servedBy: "external", maxLeaseLosses: 100 }], now: "2030-01-31T12:00:00Z" });
// Calls of the dead are answered at the very end, so that their timers end too.
let bury;
const silence = new Promise((_, reject) => (bury = () => reject(new Error("dead"))));
silence.catch(() => {});
after(async () => {
  bury();
  await t.close();
});

/** One worker: it claims and runs, and dies at its call number `calls`, before that call was made or after. */
async function work(name, calls, isMade) {
  let died;
  const death = new Promise((resolve) => (died = () => resolve("killed")));
  const cut = async (...request) => {
    if (calls <= 0) return silence;
    if (--calls > 0) return t.fetch(...request);
    if (isMade) await t.fetch(...request);
    died();
    return silence;
  };
  const mill = gristmill({ url: t.url, key: t.key, fetch: cut, now: () => t.clock.now().getTime(), timeout: 600_000 });
  const life = async () => {
    const [job] = await mill.rpc("claim_jobs", { p_worker: name, p_queues: ["long"], p_max: 1 });
    if (!job) return "idle";
    const attempt = new Attempt({ ...job, worker: name }, handler, { env: () => ({}), mill: () => mill, onError: (error) => failures.push(error) }, () => "0123456789abcdef");
    const outcome = await attempt.run();
    if (outcome) await mill.rpc("settle_jobs", { p_worker: name, p_outcomes: [outcome] });
    return "done";
  };
  const living = life();
  living.catch(() => {}); // it may die at the very end
  return Promise.race([living, death]);
}

test(`a job of ${STEPS} steps with sleeps and an event in between, whose workers are killed ${KILLS} times, does every step once and in order (seed ${SEED})`, async (context) => {
  const random = randomFrom(SEED);
  const { id } = await t.mill.enqueue(long, { n: 1 });
  let kills = 0, claims = 0, job;
  while (!(job = await t.job(id)).finishedAt) {
    // So that the kills are spread over the whole life of the job: two calls come before the first step.
    const stepsPerKill = (STEPS - (effects.at(-1) ?? 0)) / (KILLS - kills);
    const calls = kills < KILLS ? 1 + Math.floor(random() * (2.5 + stepsPerKill)) : Infinity;
    // One name for all of them: the number of the attempt alone tells the living from the dead.
    const end = await work("worker", calls, random() < 0.5);
    claims++;
    if (end === "killed") kills++;
    job = await t.job(id);
    if (job.state === "deferred") {
      const waiting = (await t.mill.rpc("job_steps", { p_job: id })).find(({ state }) => state === "waiting");
      assert.deepEqual([job.worker, job.leaseUntil], [null, null], "a job that was put off is held by nobody");
      if (waiting) await t.mill.sendEvent(id, "go", { event: true }, { key: "go" });
      else await t.clock.move("1h");
    } else if (job.state !== "completed") await t.clock.move("10m"); // its lease expires
    await t.mill.rpc("tick");
    assert.ok(claims < KILLS * 3 + 100, `${claims} claims`);
  }
  context.diagnostic(`${kills} kills, ${claims} claims, ${effects.length - STEPS} steps ran again because their record was lost`);
  assert.deepEqual(failures, []);
  assert.equal(job.state, "completed");
  assert.equal(kills, KILLS);

  const steps = await t.mill.rpc("job_steps", { p_job: id });
  const wanted = Array.from({ length: STEPS }, (_, at) => [`step ${at + 1}`, ...({ 49: ["an hour"], 99: ["go"], 149: ["a day"] }[at] ?? [])]).flat();
  assert.deepEqual(steps.map(({ step, state }) => `${step} ${state}`), wanted.map((step) => `${step} finished`), "each step is kept once, in order");
  assert.deepEqual(job.result, steps.filter(({ step }) => step.startsWith("step") || step === "go").map(({ result }) => result), "the job ended with what was kept");
  assert.deepEqual(effects, [...effects].sort((a, b) => a - b), "no step ran after a later one");
  assert.ok(effects.length - STEPS <= KILLS, "a step ran again only where its worker was killed before its result was kept");
});
