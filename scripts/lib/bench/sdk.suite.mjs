// no-op jobs through the TypeScript library and its worker, beside BullMQ on Postgres, graphile-worker and pg-boss with theirs
// needs: native
import { fileURLToPath } from "node:url";
import pg from "pg";

import { Stack } from "../../../sdk/local/stack/stack.mjs";
import { median } from "./engine/median.mjs";
import { Contender } from "./sdk/contender.mjs";

export const parts = ["workers", "single", "calls"];

const PEERS = ["bullmq", "graphile-worker", "pg-boss"];
const isOurs = (file) => !PEERS.includes(file);

// Many short rounds: what else a shared machine does slows two contenders alike only when they run within seconds.
const QUICK = {
  rounds: 3, workers: { 1: 15_000, 10: 15_000, 50: 15_000 }, calls: { 50: 2_500, 500: 5_000 },
  single: { 1: { jobs: 120, calls: 100 }, 10: { jobs: 600, calls: 150 }, 50: { jobs: 2_000, calls: 300 } },
  withoutBatches: 0.02, // BullMQ would take a minute for one round
};
const FULL = {
  rounds: 15, workers: { 1: 10_000, 10: 20_000, 50: 20_000 }, calls: { 50: 30_000, 500: 60_000 },
  single: { 1: { jobs: 1_200, calls: 1_000 }, 10: { jobs: 5_000, calls: 1_000 }, 50: { jobs: 20_000, calls: 3_000 } },
  withoutBatches: 1,
};

// As the suite engine has it: the server as Postgres ships it, but one that writes its WAL into old files.
const STOCK = { autovacuum_naptime: "1min", min_wal_size: "1GB" };

const WARM_UP = 1_000;
const HOUSEKEEPING_MS = 5_000; // pump.interval_seconds as it is installed

export default async function* measure({ progress, full, only }) {
  const scale = full ? FULL : QUICK;
  const wanted = (part) => only === null || only === part;
  const stack = new Stack(`bench-sdk-${process.pid}`, { parts: ["gateway"], settings: STOCK, onStep: (part) => progress(`starting ${part}`) });
  const contenders = [];
  let housekeeping;
  try {
    await stack.start();
    for (const file of ["gristmill", ...PEERS, "gristmill-calls"]) {
      progress(`installing ${file}`);
      contenders.push(await open(stack, file));
    }
    // What pg_cron or the relay does in production. The peers' own housekeeping rarely comes in so short a time.
    housekeeping = setInterval(() => stack.postgres.query("select mill.tick()").catch(() => {}), HOUSEKEEPING_MS);
    // A worker that has just been started runs code that nothing has compiled yet; Node's fetch took three times as long.
    for (const contender of contenders) {
      progress(`warming up ${contender.name}`);
      await contender.round({ jobs: WARM_UP, single: WARM_UP / 2, inFlight: 10, work: { concurrency: 10, batch: 10, together: true } });
    }
    const workersOnly = contenders.slice(0, -1);
    if (wanted("workers")) yield* workers(workersOnly, scale, progress);
    if (wanted("single")) yield* single(workersOnly, scale, progress);
    if (wanted("calls")) yield* calls(contenders.at(-1), scale, progress);
    yield { note: `${scale.rounds} rounds; medians over the rounds, and a ratio is the median of the rounds' own ratios` };
  } finally {
    clearInterval(housekeeping);
    progress("stopping");
    await Promise.allSettled(contenders.map((contender) => contender.close()));
    await stack.destroy();
  }
}

/** Ours is installed in the database that the gateway serves; each peer gets one of its own on the same server. */
async function open(stack, file) {
  const place = fileURLToPath(new URL(`sdk/${file}.mjs`, import.meta.url));
  const module = await import(place);
  const url = new URL(stack.databaseUrl);
  if (!isOurs(file)) {
    url.pathname = `/${file.replaceAll("-", "_")}`;
    await stack.postgres.query(`create database ${url.pathname.slice(1)} template template0`);
  }
  const target = isOurs(file) ? { url: stack.url, key: stack.serviceKey } : { url: url.href };
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await module.install({ client, url: url.href, target });
  await client.end();
  const contender = new Contender(place, module, url.href, target);
  await contender.open();
  return contender;
}

/**
 * Each worker as it is to be set up for many short jobs: ours as it ships, the peers as their documentation says. All but BullMQ fetch more jobs than
 * they run at once. Jobs are enqueued by each contender's own call for many.
 */
async function* workers(contenders, { rounds, workers: counts, withoutBatches }, progress) {
  for (const [concurrency, most] of entries(counts)) {
    const entrants = contenders.map((contender) => ({
      name: contender.name,
      run: () => contender.round({ jobs: most * (contender.module.hasNoBatches ? withoutBatches : 1), work: { concurrency, fetchesAhead: true } }),
    }));
    const results = await takeTurns(entrants, rounds, (text) => progress(`concurrency ${concurrency}, ${text}`));
    yield* compare(results, "work", `concurrency ${concurrency}: work`);
  }
}

/**
 * Each worker has in hand what it runs, and nothing more. `calls` jobs are enqueued by a call each, with as many calls in flight as jobs will run
 * at once; the others by the call for many.
 */
async function* single(contenders, { rounds, single: counts }, progress) {
  for (const [concurrency, { jobs, calls: single }] of entries(counts)) {
    const entrants = contenders.map((contender) => ({
      name: contender.name,
      run: () => contender.round({ jobs, single, inFlight: concurrency, work: { concurrency } }),
    }));
    const results = await takeTurns(entrants, rounds, (text) => progress(`concurrency ${concurrency}, nothing fetched ahead, ${text}`));
    yield* compare(results, "work", `concurrency ${concurrency}: work, nothing fetched ahead`);
    yield* compare(results, "enqueue", `concurrency ${concurrency}: enqueue one by one`);
  }
}

/** One client that makes the calls of the protocol one after another. */
async function* calls(contender, { rounds, calls: counts }, progress) {
  for (const [batch, jobs] of entries(counts)) {
    const entrant = (name, together) => ({ name, run: () => contender.round({ jobs, work: { batch, together } }) });
    const results = await takeTurns([entrant("together", true), entrant("settle_jobs, claim_jobs", false)], rounds, (text) => progress(`batch ${batch}, ${text}`));
    yield* compare(results, "work", `batch ${batch}: settle_and_claim`);
  }
}

const entries = (object) => Object.entries(object).map(([key, value]) => [Number(key), value]);

// Whoever comes first meets an idle server: the turn goes round, and back again in every other round.
async function takeTurns(entrants, rounds, progress) {
  const results = new Map(entrants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const at = round % entrants.length;
    const turned = [...entrants.slice(at), ...entrants.slice(0, at)];
    for (const { name, run } of round % 2 === 0 ? turned : turned.reverse()) {
      progress(`round ${round + 1} of ${rounds}: ${name}`);
      results.get(name).push(await run());
    }
  }
  return results;
}

function* compare(results, half, metric) {
  const [[, ours], ...peers] = results;
  const value = median(ours.map((round) => round[half]));
  for (const [name, theirs] of peers) {
    const peer = `${name} ${Number(median(theirs.map((round) => round[half])).toPrecision(4))}`;
    yield { metric, value, unit: "jobs/s", peer, ratio: median(ours.map((round, at) => round[half] / theirs[at][half])) };
  }
}
