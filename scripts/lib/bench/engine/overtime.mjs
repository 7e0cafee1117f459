// Throughput over time: with a snapshot held open by another session and without, and under mixed load.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

import { create, withClient } from "./databases.mjs";
import * as gristmill from "./gristmill.mjs";
import { CONNECTIONS, lifecycle } from "./load.mjs";
import { drift, mean } from "./median.mjs";
import { mixedLoad } from "./mixed.mjs";

const BATCH = 50;
const BACKLOG = 2_000;
const SLICE_SECONDS = 5;
const LIMIT = 0.8;
const PANEL = "Jobs a second over time";

/**
 * Free and held take turns of five seconds, each in its own database, so that noise falls on both. The
 * snapshot stays open from before the first turn until after the last; it holds back only its database.
 */
export async function* heldSnapshot(stack, { seconds, progress, plot }) {
  const free = await prepare(stack, "overtime_free");
  const held = await prepare(stack, "overtime_held");
  const holder = await holdSnapshot(held.url);
  try {
    const slices = Math.ceil(seconds / SLICE_SECONDS);
    for (let slice = 0; slice < slices; slice++) {
      for (const side of slice % 2 === 0 ? [free, held] : [held, free]) {
        progress(`${side === held ? "snapshot held" : "free"}: ${(slice + 1) * SLICE_SECONDS} of ${slices * SLICE_SECONDS} s`);
        await lifecycle(side.queue, { batch: BATCH, seconds: SLICE_SECONDS, windowSeconds: 1, onWindow: (rate) => side.windows.push(rate) });
      }
    }
  } finally {
    await holder.end();
    await free.queue.close();
    await held.queue.close();
  }
  plot.lines.push({ panel: PANEL, name: "free", values: free.windows }, { panel: PANEL, name: "snapshot held", values: held.windows });
  const over = `batch ${BATCH}, ${seconds} s`;
  yield { metric: `free throughput, ${over}`, value: mean(free.windows), unit: "jobs/s" };
  yield { metric: `throughput with a snapshot held, ${over}`, value: mean(held.windows), unit: "jobs/s", peer: `free, limit ${LIMIT}x`, ratio: mean(held.windows) / mean(free.windows) };
  yield { metric: "held: the last third", value: lastThird(held.windows), unit: "jobs/s", peer: "its first third", ratio: drift(held.windows) };
  yield { metric: "free: the last third", value: lastThird(free.windows), unit: "jobs/s", peer: "its first third", ratio: drift(free.windows) };
}

/** Mixed load with autovacuum on; also how large the hot table is at a tenth of the time and at the end. */
export async function* mixed(stack, { seconds, progress, plot }) {
  const { url, queue } = await prepare(stack, "overtime_mixed");
  const windows = [];
  const sizeOf = async () => (await withClient(url, (client) => client.query(
    "select sum(pg_total_relation_size(t))::int as bytes from unnest('{mill.job_live, mill.pack, mill.pack_lease}'::regclass[]) t"))).rows[0].bytes;
  try {
    const running = mixedLoad(queue, {
      seconds,
      onWindow: (rate) => {
        windows.push(rate);
        progress(`mixed load: ${windows.length} of ${seconds} s`);
      },
    });
    await Promise.race([running, sleep(seconds * 100)]);
    const early = await sizeOf();
    await running;
    const late = await sizeOf();
    plot.lines.push({ panel: PANEL, name: "mixed load", values: windows });
    yield { metric: `mixed load, ${seconds} s, the last third`, value: lastThird(windows), unit: "jobs/s", peer: "its first third", ratio: drift(windows) };
    yield { metric: "mixed load, job_live and packs with their indexes at the end", value: late / 2 ** 20, unit: "MiB", peer: "at one tenth of the time", ratio: late / early };
  } finally {
    await queue.close();
  }
}

async function prepare(stack, database) {
  const url = await create(stack, gristmill, database);
  const queue = await gristmill.open(url, CONNECTIONS + 1); // one more for the tick
  for (let left = BACKLOG; left > 0; left -= 500) await queue.enqueue(Array.from({ length: 500 }, (_, n) => ({ n })));
  return { url, queue, windows: [] };
}

async function holdSnapshot(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set idle_in_transaction_session_timeout = 0");
  await client.query("begin isolation level repeatable read");
  await client.query("select count(*) from mill.queue");
  return client;
}

const lastThird = (values) => mean(values.slice(-Math.max(1, Math.floor(values.length / 3))));
