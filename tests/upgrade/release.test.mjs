// A database of an earlier release, in the middle of its work, is upgraded to this checkout and to the release after it.
import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

import { assertSame } from "../house/harness.mjs";
import { isSoak, until } from "../support.mjs";
import { callsOfThisCheckout, refusals, withRoles } from "./calls.mjs";
import { Releases } from "./harness.mjs";
import { nextRelease } from "./head.mjs";
import { endEverything, jobsOf } from "./live/ends.mjs";

const here = import.meta.dirname;
const releases = fs.readdirSync(here).map((file) => /^(\d+\.\d+\.\d+)\.sql$/.exec(file)?.[1]).filter(Boolean);
const KILLS = isSoak ? 60 : 10;
const THIS_CHECKOUT = null; // the files in the binary

let server, head;
const fresh = new Map();
const restored = new Map();
before(async () => {
  server = await new Releases("release").start();
  head = nextRelease();
  const install = async (files) => {
    const database = await server.database();
    await migrated(database, files, "--with", "all");
    fresh.set(files, { database, dump: await database.dump() });
  };
  const restore = async (version) => {
    const database = await server.database();
    await database.psql(fs.readFileSync(path.join(here, `${version}.sql`), "utf8"));
    restored.set(version, database);
  };
  // One at a time: roles belong to the whole server, and two installations at once would make them twice.
  await install(THIS_CHECKOUT);
  await Promise.all([install(head), ...releases.map(restore)]);
});
after(() => server?.stop());

async function migrated(database, files, ...args) {
  const { code, stdout, stderr } = await database.migrate(files, ...args);
  assert.equal(code, 0, stdout + stderr);
  return stdout;
}

/** What `migrate` must leave as it is when it does not get to its end. */
const standing = async (database) => ({
  dump: await database.dump(),
  migrations: await database.values("select path || ' ' || checksum || ' ' || applied_at from mill.migration order by 1"),
});

/** Every job of the release ends well. Those that were cancelled, or asked to be, end as cancelled. */
async function everyJobEnds(database) {
  await database.connected(async (client) => {
    const before = await jobsOf(client);
    const counts = await endEverything(client);
    assert.ok(counts.held > 0 && counts.lost > 0 && counts.dead > 0, JSON.stringify(counts));
    const now = await jobsOf(client);
    const wrong = [...before].map(([id, job]) => ({ ...job, id, ended: now.get(id)?.state ?? "gone" }))
      .filter(({ state, cancel_requested: isAsked, ended }) => ended !== (state === "cancelled" || isAsked ? "cancelled" : "completed"));
    assert.deepEqual(wrong, []);
    const ends = async (text) => (await client.query({ text, rowMode: "array" })).rows.map((row) => row[0]);
    assert.deepEqual(await ends("select distinct status from mill.workflow order by 1"), ["cancelled", "completed"], "workflows");
    assert.deepEqual(await ends("select distinct status from public.shell_files where status not in ('uploading', 'erasing') order by 1"), ["completed", "infected"], "documents");
    const [verdict] = await ends("select public.verify_audit_log()");
    assert.equal(verdict.ok, true, JSON.stringify(verdict));
  });
}

test("there is a dump of a release", () => assert.ok(releases.length > 0, "make it with: scripts/release-dump VERSION"));

for (const version of releases) {
  describe(`release ${version}`, () => {
    const targets = { "this checkout": () => THIS_CHECKOUT, "a release that changes functions, views, triggers and tables": () => head };
    for (const [name, files] of Object.entries(targets)) {
      test(`upgraded to ${name}, release ${version} has the schema of a fresh installation, and every job ends`, async () => {
        const database = await server.database(restored.get(version));
        const before = await database.connected(jobsOf);
        await migrated(database, files());
        assertSame(await database.dump(), fresh.get(files()).dump, "the upgraded schema is that of a fresh installation");
        assert.match(await migrated(database, files()), /up to date/);
        // Whether a lease is over is said by the clock, and a busy machine takes its time.
        const rows = (jobs) => [...jobs].map(([id, { is_lost: _, ...job }]) => [id, job]);
        assert.deepEqual(rows(await database.connected(jobsOf)), rows(before), "no job has changed");
        const { stdout } = await database.doctor(files());
        assert.match(stdout, /^ {2}ok {4}schema$/m);
        await everyJobEnds(database);
      });
    }

    test(`killed at ${KILLS} moments, the upgrade of release ${version} leaves it as it was, and then succeeds`, async () => {
      const take = () => server.database(restored.get(version));
      const measured = await take();
      const begun = Date.now();
      await migrated(measured, head);
      let took = Date.now() - begun;

      let database = await take();
      const before = await standing(database);
      for (let n = 0, tries = 1; n < KILLS; tries++) {
        assert.ok(tries <= 3 * KILLS, `${n} of ${KILLS} were interrupted in ${tries} tries, the last within ${took} ms`);
        const child = database.startMigrating(head);
        const started = Date.now();
        const ended = once(child, "exit").then(() => Date.now() - started);
        await Promise.race([sleep((took * (n + 0.5)) / KILLS), ended]);
        child.kill("SIGKILL");
        const lasted = await ended;
        await gone(database);
        const now = await standing(database);
        if (!isDeepStrictEqual(now.migrations, before.migrations)) {
          // This one had committed: functions that nobody calls any more may be left, and the next run removes them.
          await migrated(database, head);
          assertSame(await database.dump(), fresh.get(head).dump, "the schema after an upgrade that was killed behind its commit, and the next run");
          took = Math.min(took, lasted); // the same moment again, earlier
          database = await take();
          continue;
        }
        assertSame(now.dump, before.dump, "the schema is as it was");
        n += 1;
      }
      await migrated(database, head);
      assertSame(await database.dump(), fresh.get(head).dump);
    });

    test(`with its connection ended in the middle, the upgrade of release ${version} leaves it as it was, and then succeeds`, async () => {
      const database = await server.database(restored.get(version));
      const before = await standing(database);
      const holder = await database.connect();
      await holder.query("begin; lock table public.documents in row exclusive mode"); // so that it surely is in the middle
      const child = database.startMigrating(head);
      const ended = once(child, "exit");
      const [pid] = await until(async () => {
        const waiting = await database.values(`${MIGRATING} and wait_event_type = 'Lock'`);
        return waiting.length > 0 && waiting;
      }, "migrate waiting for a table");
      await database.query("select pg_terminate_backend($1)", [pid]);
      const [code] = await ended;
      await holder.end();
      assert.notEqual(code, 0);
      assert.deepEqual(await standing(database), before);
      await migrated(database, head);
      assertSame(await database.dump(), fresh.get(head).dump);
    });

    describe("calls", () => {
      const calls = JSON.parse(fs.readFileSync(path.join(here, `${version}.calls.json`), "utf8"));

      test(`every call that functions and workers of release ${version} make is accepted by this checkout`, async () => {
        assert.ok(calls.length > 50);
        assert.deepEqual(await fresh.get(THIS_CHECKOUT).database.connected((client) => refusals(client, calls)), []);
      });

      test(`a change that a caller of release ${version} would notice is found`, async () => {
        const database = await server.database(fresh.get(THIS_CHECKOUT).database);
        const found = (change) => database.connected(async (client) => {
          await client.query(`begin; ${change}`);
          return refusals(client, calls); // the end of the connection takes the change back
        });
        const settle = "drop function public.settle_jobs; create function public.settle_jobs";
        const granted = "returns jsonb language sql as 'select null::jsonb'; grant execute on function public.settle_jobs to service_role";
        assert.deepEqual(await found(`${settle}(p_worker text, p_outcomes jsonb) ${granted}`),
          ["settle_jobs(p_invocation, p_outcomes, p_worker): it takes no p_invocation"]);
        assert.deepEqual(await found(`${settle}(p_worker text, p_outcomes jsonb, p_invocation uuid, p_more int) ${granted}`),
          ["settle_jobs(p_invocation, p_outcomes, p_worker): it needs p_more"]);
        assert.deepEqual(await found("revoke execute on function public.settle_jobs from service_role"),
          ["settle_jobs(p_invocation, p_outcomes, p_worker): service_role may not call it"]);
        assert.deepEqual(await found("drop function public.worker_queues"), ["worker_queues(): there is no such function"]);
        assert.deepEqual(await found("create function public.worker_queues(p_more int) returns int language sql as 'select 1'"),
          ["worker_queues(): there are several functions of this name"]);
      });
    });
  });
}

test("every call that functions and workers of this checkout make is accepted by its own schema", async () => {
  const { database } = fresh.get(THIS_CHECKOUT);
  assert.deepEqual(await database.connected(async (client) => refusals(client, await withRoles(client, callsOfThisCheckout()))), []);
});

const MIGRATING = "select pid from pg_stat_activity where application_name = 'gristmill migrate' and datname = current_database()";
const gone = (database) => until(async () => (await database.values(MIGRATING)).length === 0, "the backend of migrate being gone");
