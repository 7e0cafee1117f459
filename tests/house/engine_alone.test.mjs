// The engine without any application: it installs on an empty Postgres 15, 17 and 18, runs a job to its end, and doctor is content.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";
import { hasDebianPostgres } from "../../sdk/local/stack/postgres.mjs";
import { signIn, startStack } from "../support.mjs";
import { complete, stateOf, user } from "./callers.mjs";
import { House, optionalObjects } from "./harness.mjs";

// What callers of the engine may count on. A name that appears or goes away is a change of the contract: say it in the changelog.
const API = fs.readFileSync(path.join(root, "tests/house/engine_api.txt"), "utf8").split("\n").filter((line) => line && !line.startsWith("#"));

/** Everything in public that is no extension's. */
async function inPublic(query) {
  const { rows } = await query(`
    select format('%s(%s)', p.proname, pg_get_function_identity_arguments(p.oid)) as name from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    union all
    select format('relation %s', c.relname) from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    union all
    select format('type %s', t.typname) from pg_type t where t.typnamespace = 'public'::regnamespace and t.typrelid = 0 and t.typelem = 0
    order by 1`);
  return rows.map((row) => row.name);
}

async function leftovers(query) {
  const { rows } = await query("select name from unnest($1::text[]) name where to_regclass(name) is not null", [optionalObjects(["table", "view"])]);
  return rows.map((row) => row.name);
}

const versions = [["15", "debian"], ["17", "embedded"], ["18", "embedded-18"]].filter(([, flavour]) => flavour !== "debian" || hasDebianPostgres());

describe("the engine alone", { concurrency: versions.length }, () => {
  for (const [version, flavour] of versions) {
    describe(`on an empty Postgres ${version}`, () => {
      let house, database, query;
      before(async () => {
        house = await new House(`engine-${version}`, { postgres: flavour }).start();
        database = await house.database([]);
        query = (text, values) => house.server.query(database, text, values);
        assert.match((await query("show server_version")).rows[0].server_version, new RegExp(`^${version}`));
      });
      after(() => house?.destroy());

      test(`Postgres ${version}: public holds the engine's RPCs and nothing else`, async () => assert.deepEqual(await inPublic(query), API));

      test(`Postgres ${version}: no table or view of an application exists`, async () => assert.deepEqual(await leftovers(query), []));

      test(`Postgres ${version}: a job runs to its end`, async () => {
        const id = await house.server.connected(database, async (client) => {
          const { id } = await user(client)("select public.submit_job('echo', '{\"message\": \"hello\"}')");
          assert.deepEqual(await complete(client, "default"), [id]);
          return id;
        });
        assert.equal(await stateOf(house.server, database, id), "completed");
      });

      test(`Postgres ${version}: a round of housekeeping fails in no step`, async () => {
        await query("select mill.tick(); select mill.maintain()");
        assert.deepEqual((await query("select code, detail from mill.event where code like '%failed'")).rows, []);
      });

      test(`Postgres ${version}: migrating again changes nothing`, async () => {
        const before = (await query("select path, checksum, applied_at from mill.migration order by path")).rows;
        await house.migrate(database);
        assert.deepEqual((await query("select path, checksum, applied_at from mill.migration order by path")).rows, before);
      });

      test(`Postgres ${version}: doctor is content`, async () => {
        await house.run(database, "relay", "--install-only");
        await house.run(database, "configure", "--functions-url", "http://127.0.0.1:9/functions/v1");
        await query("select mill.record_heartbeat(name) from mill.schedule");
        const { code, stdout, stderr } = await house.server.gristmill(database, "doctor", "--offline");
        assert.equal(code, 0, stdout + stderr);
      });
    });
  }
});

for (const [version, flavour] of versions) {
  test(`Postgres ${version}: a job that is sent to the function enqueue is completed by the function processor`, async () => {
    const stack = await startStack(`engine-alone-${version}`, { applications: "none", functions: ["enqueue", "processor"], postgres: flavour });
    try {
      const { rows: [{ server_version: running }] } = await stack.postgres.query("show server_version");
      assert.match(running, new RegExp(`^${version}`));
      const caller = await signIn(stack);
      const { status, json } = await caller.submit({ kind: "echo", payload: { message: "hello" } });
      assert.equal(status, 202, JSON.stringify(json));
      const job = await caller.settled(json.id);
      assert.equal(job.state, "completed", JSON.stringify(job));
      assert.deepEqual(job.result?.echo, { message: "hello" });
    } finally {
      await stack.destroy();
    }
  });
}
