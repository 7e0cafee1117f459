// the engine of this checkout beside that of an earlier commit (--base=REV), in alternating rounds
// needs: postgres
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { root } from "../../../sdk/local/stack/paths.mjs";
import { Stack } from "../../../sdk/local/stack/stack.mjs";
import { create } from "./engine/databases.mjs";
import * as gristmill from "./engine/gristmill.mjs";
import { CONNECTIONS } from "./engine/load.mjs";
import { rates, SIZES } from "./engine/rates.mjs";

export const batches = SIZES.map((size) => size.batch);
export const takesBase = true;

const FUNCTIONS = "http://127.0.0.1:9/functions/v1";

// Both are installed from their files, in the order of their manifests: the binary carries only the files of one commit.
const now = (file) => fs.readFileSync(path.join(root, "sql", file), "utf8");
const at = (revision) => (file) => execFileSync("git", ["show", `${revision}:sql/${file}`], { cwd: root, encoding: "utf8", maxBuffer: 1 << 24 });

export default async function* measure({ progress, full, batch, base }) {
  const revision = execFileSync("git", ["rev-parse", "--short", base ?? "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  const stack = new Stack(`bench-before-${process.pid}`, {
    parts: [], settings: { autovacuum_naptime: "1min", min_wal_size: "1GB" }, onStep: (part) => progress(`starting ${part}`),
  });
  const contenders = [];
  try {
    await stack.start();
    for (const [name, read] of [["this checkout", now], [revision, at(revision)]]) {
      progress(`installing ${name}`);
      const contender = { ...gristmill, name, install: (client, url) => install(stack, client, url, read) };
      const url = await create(stack, contender, `before_${contenders.length}`);
      contenders.push({ name, url, queue: await gristmill.open(url, CONNECTIONS) });
    }
    // Five pairs at the least: what else a shared machine does slows one round by more than what is looked for.
    for (const size of batch === null ? [1, 500] : [batch]) {
      yield* rates(contenders, { rounds: full ? 15 : 5, seconds: full ? 4 : 2, batch: size, progress });
    }
    yield { note: "medians over the rounds; a ratio is the median of the rounds' own ratios, above 1 this checkout has more" };
  } finally {
    for (const { queue } of contenders) await queue.close();
    progress("stopping");
    await stack.destroy();
  }
}

async function install(stack, client, url, read) {
  const files = read("manifest.txt").split("\n").map((line) => line.match(/^(?:once|always)\s+(\S+)/)?.[1]).filter(Boolean);
  await client.query(books(read));
  for (const file of files) await client.query(read(file));
  // As a stack has it: enqueue pays for its wake-up.
  const saved = stack.postgres.url;
  stack.postgres.url = () => url;
  try {
    await stack.gristmill("relay", "--install-only");
  } finally {
    stack.postgres.url = saved;
  }
  // Not by `gristmill configure`, which knows the tables of this commit only.
  const { rows: [{ settings }] } = await client.query("select to_regclass('mill.settings') is not null as settings");
  await client.query(settings
    ? `insert into mill.settings (key, value) values ('functions.base_url', '${FUNCTIONS}')`
    : `insert into public.system_configuration (config_key, config_value) values ('functions.base_url', to_jsonb('${FUNCTIONS}'::text))`);
  await client.query("select mill.set_secret('invoke', sha256('bench'))");
  await gristmill.install(client);
}

// What migrate makes before the files of the manifest. Commits before the first release have no such file.
function books(read) {
  try {
    return read("platform/parts.sql");
  } catch {
    return "create schema if not exists mill";
  }
}
