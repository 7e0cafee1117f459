// Processes whose clocks are an hour off, ahead or behind, at default settings: only the clock of Postgres counts. libfaketime gives a process its clock; the
// functions and Postgres keep the right one. A gateway that is behind refuses tokens that were issued "later", as it must, so it is only ahead;
// storage issues tokens to itself, so it goes with the gateway.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { NAMES } from "../../scripts/lib/bench/applications.mjs";
import { cacheRoot } from "../../sdk/local/stack/paths.mjs";
import { Stack } from "../../sdk/local/stack/stack.mjs";
import { watchOver } from "../../sdk/local/stack/undertaker.mjs";
import { until } from "../support.mjs";
import { openClient } from "./client.mjs";
import { openLedger, readLedger, startLedger } from "./ledger.mjs";
import { doubled, lost } from "./questions.mjs";

const LIBRARY = path.join(cacheRoot, "libfaketime.so.1");
const SEED = Number(process.env.GRISTMILL_SEED ?? Date.now() % 100_000);
const EACH = 4;
const PATIENCE_MS = 180_000;
const HOUR_MS = 3_600_000;

let folder, stack, ledgerProcess, ledger, client;
before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-clocks-"));
  stack = new Stack(`test-clocks-${process.pid}`, { parts: ["gateway", "relay", "storage", "provider", "workerd", "work"] });
  watchOver(stack, folder);
  await stack.start();
  await rows("insert into public.supported_symbols (symbol) select 'C' || n from generate_series(0, 99) n");
  ledgerProcess = await startLedger(folder);
  ledger = await openLedger(folder);
  client = openClient({ url: stack.url, anonKey: stack.anonKey, jwtSecret: stack.secrets.jwtSecret }, ledger, { poll: 250 });
});
after(async () => {
  ledger?.close();
  ledgerProcess?.kill("SIGKILL");
  await stack?.destroy();
  fs.rmSync(folder, { recursive: true, force: true });
});

const rows = async (sql, values) => (await stack.postgres.query(sql, values)).rows;
let asked = 0;

for (const [words, offset, parts] of [
  ["an hour ahead", 1, ["gateway", "storage", "relay", "work"]],
  ["an hour behind", -1, ["relay", "work"]],
]) {
  test(`${parts.join(", ")} ${words}: all that is asked for is done once, no lease ends early, and no time of theirs is kept (seed ${SEED})`, async (t) => {
    for (const part of parts) {
      stack.env[part] = { LD_PRELOAD: LIBRARY, FAKETIME: `${offset > 0 ? "+" : "-"}1h`, DONT_FAKE_MONOTONIC: "1" };
      const begun = fs.statSync(stack.parts[part].log).size;
      await stack.replace(part);
      const isOff = (time) => Math.abs((time - Date.now()) / HOUR_MS - offset) < 0.1;
      await until(() => timesIn(stack.parts[part].log, begun).some(isOff), `a line of ${part} ${words}`);
    }
    const losses = await lostLeases();
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const ends = await Promise.all(NAMES.flatMap((app) => Array.from({ length: app === "workflow" ? 1 : EACH }, async () => {
      const n = asked++;
      const key = app === "refresh" ? `C${n}` : `clocks-${SEED}-${app}-${n}`;
      return [app, key, await client.wholeWay(app, key, randomUUID(), signal)];
    })));
    assert.deepEqual(ends.filter(([, , state]) => state !== "completed"), []);
    const items = readLedger(folder);
    t.diagnostic(`${items.length} things were asked for so far`);
    assert.deepEqual(await lost(rows, items), [], "nothing that was acknowledged is lost");
    assert.deepEqual(await doubled(rows, items), [], "no effect happened twice");
    assert.equal(await lostLeases(), losses, "no lease was lost: nobody judged one by a clock of its own");
    assert.deepEqual(await rows(`select id, queue, kind, created_at, started_at, finished_at from mill.job
      where greatest(created_at, started_at, finished_at) > now() + interval '1 minute' or created_at < now() - interval '30 minutes'`), []);
    for (const part of parts) {
      stack.env[part] = {};
      await stack.replace(part);
    }
  });
}

async function lostLeases() {
  const [{ count }] = await rows("select count(*)::int from mill.event where code = 'leases_lost'");
  return count;
}

// The times of the lines that a part has written since `from`.
function timesIn(log, from) {
  const written = fs.readFileSync(log).subarray(from).toString();
  return (written.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g) ?? []).map((time) => Date.parse(time));
}
