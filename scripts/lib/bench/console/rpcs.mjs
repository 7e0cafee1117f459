// What the console asks of Postgres: how long each RPC takes there, how large its answer is, and what the pulse costs the engine.
import { performance } from "node:perf_hooks";

import pg from "pg";

import { install, open } from "../engine/gristmill.mjs";
import { CONNECTIONS, lifecycle } from "../engine/load.mjs";
import { median } from "../engine/median.mjs";
import { percentile } from "../progress.mjs";
import { asOperator } from "./load.mjs";

export const PULSE_MS = 5;
export const PULSE_BYTES = 5 * 1024;

const CALLS = [
  ["search, newest 50", "select public.console_jobs('', null, 50)", 50],
  ["search, a field of the payload", "select public.console_jobs('state:completed payload.user_id=4999', null, 50)", 10],
  ["search, one that matches nothing", "select public.console_jobs('payload.user_id=nobody', null, 50)", 10],
  ["search, by id", "select public.console_jobs('id:' || (select id from mill.job_done order by id limit 1))", 20],
  ["job", "select public.console_job((select id from mill.job_dead order by id limit 1))", 20],
  ["dead letters in groups", "select public.console_dead_groups()", 10],
  ["preview of 5,000", "select public.console_preview('retry', 'error:timeout')", 10],
  ["overview", "select public.console_overview()", 10],
];

/** @param {string} url */
export async function* rpcs(url, { progress }) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await asOperator(client);
    progress("pulse");
    const { times, bytes } = await pulses(client, 200);
    const p50 = percentile(times, 0.5);
    const quickest = Math.min(...times);
    yield { metric: "pulse, the quickest", value: quickest, unit: "ms", peer: `limit ${PULSE_MS} ms`, ratio: quickest / PULSE_MS };
    yield { metric: "pulse every 2 s, share of one core by the quickest", value: quickest / 20, unit: "%", peer: "limit 1 %", ratio: quickest / 20 };
    yield { metric: "pulse p50", value: p50, unit: "ms", peer: `limit ${PULSE_MS} ms`, ratio: p50 / PULSE_MS };
    yield { metric: "pulse p99", value: percentile(times, 0.99), unit: "ms", peer: `limit ${PULSE_MS} ms`, ratio: percentile(times, 0.99) / PULSE_MS };
    yield { metric: "pulse, largest answer", value: Math.max(...bytes), unit: "bytes", peer: `limit ${PULSE_BYTES}`, ratio: Math.max(...bytes) / PULSE_BYTES };
    // By the quickest: at the median a busy machine has its part in it.
    if (quickest > PULSE_MS) yield { failure: `a pulse takes ${quickest.toFixed(1)} ms at its quickest, and ${PULSE_MS} ms are allowed` };
    for (const [metric, text, rounds] of CALLS) {
      progress(metric);
      const times = [];
      for (let n = 0; n < rounds; n++) {
        const begun = performance.now();
        await client.query(text);
        times.push(performance.now() - begun);
      }
      yield { metric: `${metric}, p50`, value: percentile(times, 0.5), unit: "ms", peer: `the quickest ${Math.min(...times).toFixed(1)} ms` };
    }
  } finally {
    await client.end();
  }
}

// As an open page asks: each with the cursor of the one before, while something changes in between.
async function pulses(client, count) {
  const times = [];
  const bytes = [];
  let cursor = null;
  for (let n = 0; n < count; n++) {
    await client.query("update mill.queue set paused = not paused where queue = 'alerts'");
    const begun = performance.now();
    const { rows: [{ pulse }] } = await client.query({ name: "pulse", text: "select public.console_pulse($1)::text as pulse", values: [cursor] });
    if (n >= 10) times.push(performance.now() - begun); // before that Postgres makes its plans
    bytes.push(Buffer.byteLength(pulse));
    ({ cursor } = JSON.parse(pulse));
  }
  return { times, bytes };
}

/** The engine's throughput with an open page beside without one, in rounds that take turns. */
export async function* throughput(url, { rounds, seconds, progress }) {
  const queue = await open(url, CONNECTIONS);
  await install(queue);
  const page = new pg.Client({ connectionString: url });
  await page.connect();
  await asOperator(page);
  const results = { with: [], without: [] };
  try {
    await lifecycle(queue, { batch: 50, seconds: 1 });
    for (let round = 0; round < rounds; round++) {
      for (const which of round % 2 === 0 ? ["with", "without"] : ["without", "with"]) {
        progress(`round ${round + 1} of ${rounds}: ${which} a pulse every 2 s`);
        let cursor = null;
        const pulse = async () => {
          ({ rows: [{ cursor }] } = await page.query({ name: "pulse", text: "select public.console_pulse($1) ->> 'cursor' as cursor", values: [cursor] }));
        };
        if (which === "with") await pulse();
        const timer = which === "with" ? setInterval(() => pulse().catch(() => {}), 2000) : null;
        results[which].push(await lifecycle(queue, { batch: 50, seconds }));
        clearInterval(timer);
      }
    }
  } finally {
    await page.end();
    await queue.close();
  }
  const ratio = median(results.with.map((rate, at) => rate / results.without[at]));
  yield { metric: "engine with a pulse every 2 s", value: median(results.with), unit: "jobs/s", peer: `without ${Math.round(median(results.without))}`, ratio };
}
