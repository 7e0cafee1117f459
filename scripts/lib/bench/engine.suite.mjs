// the engine beside graphile-worker, pg-boss and pgmq; claims on a backlog; a held snapshot
// needs: postgres
import fs from "node:fs";
import path from "node:path";

import { root } from "../../../sdk/local/stack/paths.mjs";
import { hasDebianPostgres } from "../../../sdk/local/stack/postgres.mjs";
import { Stack } from "../../../sdk/local/stack/stack.mjs";
import { backlog, sizes } from "./engine/backlog.mjs";
import { create, withClient } from "./engine/databases.mjs";
import * as graphileWorker from "./engine/graphile-worker.mjs";
import * as gristmill from "./engine/gristmill.mjs";
import { CONNECTIONS } from "./engine/load.mjs";
import { heldSnapshot, mixed } from "./engine/overtime.mjs";
import * as pgBoss from "./engine/pg-boss.mjs";
import * as pgBoss10 from "./engine/pg-boss-10.mjs";
import * as pgmq from "./engine/pgmq.mjs";
import { draw } from "./engine/plot.mjs";
import { rates, SIZES } from "./engine/rates.mjs";
import { sustained } from "./engine/sustained.mjs";

const CONTENDERS = [gristmill, graphileWorker, pgBoss, pgBoss10, pgmq]; // ours first

const QUICK = { rounds: 5, seconds: 1.2, sustainedSeconds: 20, levels: sizes.quick, samples: 100, heldSeconds: 30, mixedSeconds: 30 };
// Many short rounds: what else a shared machine does lasts for minutes, and slows two contenders alike only when they run within seconds.
const FULL = { rounds: 15, seconds: 4, sustainedSeconds: 180, levels: sizes.full, samples: 500, heldSeconds: 300, mixedSeconds: 600 };

// Beside peers the server is as Postgres ships it, where all our stacks send autovacuum round four times as often; but one that has
// run for a while, which writes its WAL into old files. A young one fills each new file with zeros first, and whoever is faster
// needs more of them.
const STOCK = { autovacuum_naptime: "1min", min_wal_size: "1GB" };

export const parts = ["rates", "sustained", "backlog", "snapshot", "mixed"];
export const batches = SIZES.map((size) => size.batch);

// Ratios differ between them: npm's is newer but compiled for size (-Os), Debian's as servers are (-O2).
export const servers = hasDebianPostgres() ? ["embedded", "debian"] : ["embedded"];

export default async function* measure({ progress, full, only, batch, postgres: server }) {
  const postgres = server ?? servers[0];
  const scale = full ? FULL : QUICK;
  const wanted = (part) => only === null || only === part;
  const plot = { bars: [], lines: [] };
  yield { note: `sizes: ${full ? "full" : "reduced; --full for the claimed ones"}: ${describe(scale)}` };
  if (wanted("rates") || wanted("sustained")) {
    yield* onServer("peers", { postgres, settings: STOCK }, progress, async function* (stack) {
      if (wanted("rates")) yield* besidePeers(stack, { ...scale, batch }, progress, plot);
      if (wanted("sustained")) yield* sustained(stack, CONTENDERS.filter((one) => one !== pgBoss10), { seconds: scale.sustainedSeconds, progress, plot });
    });
    if (wanted("rates")) yield { note: "peers: medians over the rounds; a ratio is the median of the rounds' own ratios" };
  }
  if (["backlog", "snapshot", "mixed"].some(wanted)) {
    yield* onServer("alone", { postgres }, progress, async function* (stack) {
      if (wanted("backlog")) yield* backlog(stack, { levels: scale.levels, samples: scale.samples, progress });
      if (wanted("snapshot")) yield* heldSnapshot(stack, { seconds: scale.heldSeconds, progress, plot });
      if (wanted("mixed")) yield* mixed(stack, { seconds: scale.mixedSeconds, progress, plot });
    });
  }
  yield { note: `plot: ${save(plot)}` };
}

async function* onServer(name, options, progress, work) {
  const stack = new Stack(`bench-engine-${name}-${process.pid}`, { parts: [], ...options, onStep: (part) => progress(`starting ${part}`) });
  try {
    await stack.start();
    yield { note: `${name}: ${await withClient(stack.databaseUrl, describeServer)}` };
    yield* work(stack);
  } finally {
    progress("stopping");
    await stack.destroy();
  }
}

async function* besidePeers(stack, { rounds, seconds, batch }, progress, plot) {
  const contenders = [];
  try {
    for (const contender of CONTENDERS) {
      progress(`installing ${contender.name}`);
      const url = await create(stack, contender, `rates_${contender.name.replaceAll(/\W/g, "_")}`);
      contenders.push({ name: contender.name, url, queue: await contender.open(url, CONNECTIONS) });
    }
    for await (const figure of rates(contenders, { rounds, seconds, batch, progress })) {
      addBar(plot, figure);
      yield figure;
    }
  } finally {
    for (const { queue } of contenders) await queue.close();
  }
}

function addBar(plot, { of, ratio }) {
  if (of.metric !== "lifecycle") return;
  const group = `batch ${of.batch}`;
  if (!plot.bars.some((bar) => bar.group === group)) plot.bars.push({ group, name: gristmill.name, value: 1 });
  plot.bars.push({ group, name: of.peer, value: 1 / ratio });
}

function save(plot) {
  const file = path.join("build/bench", "engine.svg");
  fs.mkdirSync(path.join(root, "build/bench"), { recursive: true });
  fs.writeFileSync(path.join(root, file), draw(plot));
  return file;
}

async function describeServer(client) {
  const { rows: [{ version, flags }] } = await client.query(
    "select current_setting('server_version') as version, setting as flags from pg_config where name = 'CFLAGS'");
  return `Postgres ${version}, compiled with ${flags.match(/-O\S*/g)?.at(-1)}`;
}

function describe({ rounds, seconds, sustainedSeconds, levels, heldSeconds, mixedSeconds }) {
  const { pending, finished } = levels.at(-1);
  return `${rounds} rounds of ${seconds} s, ${sustainedSeconds} s sustained, backlogs up to ${pending} pending and ${finished} finished, ${heldSeconds} s with and without a held snapshot, ${mixedSeconds} s of mixed load`;
}
