// A database of an earlier release is upgraded while its callers are in the middle of calls, and its pump in the middle of its minute.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import { service } from "../house/callers.mjs";
import { until } from "../support.mjs";
import { Releases } from "./harness.mjs";

const here = import.meta.dirname;
const releases = fs.readdirSync(here).map((file) => /^(\d+\.\d+\.\d+)\.sql$/.exec(file)?.[1]).filter(Boolean);
const THIS_CHECKOUT = null; // the files in the binary

let server;
before(async () => (server = await new Releases("calls").start()));
after(() => server?.stop());

const enqueue = (call) => call("select public.enqueue_jobs($1::jsonb)", JSON.stringify([1, 2].map((n) => ({ kind: "echo", payload: { n } }))));

async function work(call, worker) {
  const jobs = await call("select public.claim_jobs($1, array['default'], 10)", worker);
  const outcomes = jobs.map(({ id, attempt }) => ({ id, attempt, outcome: "completed" }));
  if (jobs.length > 0) await call("select public.settle_jobs($1, $2::jsonb)", worker, JSON.stringify(outcomes));
}

/** Calls without a pause over 8 connections. */
function startCalls(database) {
  const calls = { made: 0, faults: [], isOver: false };
  const over = async (n) => {
    const client = await database.connect();
    const call = service(client);
    while (!calls.isOver) {
      try {
        await (n % 2 ? enqueue(call) : work(call, `w${n}`));
        calls.made += 1;
      } catch (error) {
        calls.faults.push(`${error.code} ${error.message}`);
      }
    }
    await client.end();
  };
  calls.ended = Promise.all(Array.from({ length: 8 }, (_, n) => over(n)));
  return calls;
}

for (const version of releases) {
  describe(`release ${version}`, () => {
    let database;
    before(async () => {
      database = await server.database();
      await database.psql(fs.readFileSync(path.join(here, `${version}.sql`), "utf8"));
      await database.query("update mill.queue set paused = false");
    });

    test(`no call of release ${version} that is under way while it is upgraded fails, and its pump goes on`, async (t) => {
      const calls = startCalls(database);
      const pump = await database.connect();
      const [pid] = (await pump.query("select pg_backend_pid() as pid")).rows.map((row) => row.pid);
      // As cron does, but for longer, because a busy machine may take a minute to upgrade, and with shorter rests, so that several rounds come after the upgrade.
      const pumped = pump.query("call mill.pump(600, 0.2)").then(() => "its end", (error) => error.code);
      try {
        await until(() => calls.made > 200, "calls being made");
        const since = (await database.values("select now()"))[0];
        const { code, stdout, stderr } = await database.migrate(THIS_CHECKOUT);
        assert.equal(code, 0, stdout + stderr);
        // Otherwise nothing that a caller uses has changed its name, and this test shows nothing.
        t.diagnostic(`${[...stdout.matchAll(/removed: function mill\./g)].length} functions of mill have gone, ${calls.made} calls were made until then`);
        const soFar = calls.made;
        await until(() => calls.made > soFar + 200, "calls being made after the upgrade");
        const heard = "select at from mill.heartbeat where part = 'process-queue-batch' and at > clock_timestamp() - interval '1 second'";
        await until(async () => (await database.values(heard)).length > 0, "a round of the pump after the upgrade");
        await database.query("select pg_cancel_backend($1)", [pid]);
        assert.equal(await pumped, "57014", "the pump ran until it was cancelled");
        assert.deepEqual((await database.query("select code, detail from mill.event where at >= $1 and code in ('pump_failed', 'tick_failed')", [since])).rows, []);
      } finally {
        calls.isOver = true; // or a test that fails would never end
        await calls.ended;
        await pump.end();
      }
      assert.deepEqual(calls.faults, []);
    });
  });
}
