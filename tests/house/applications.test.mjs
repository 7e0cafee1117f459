// Applications by choice: each one alone, all together, one added to and one removed from a database with live jobs.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { DUMP, plain } from "../../scripts/lib/schema/dump.mjs";
import { hasDebianPostgres } from "../../sdk/local/stack/postgres.mjs";
import { finishWorkflow, first } from "./applications.mjs";
import { complete, service, stateOf, user } from "./callers.mjs";
import { APPLICATIONS, assertSame, House, optionalObjects } from "./harness.mjs";

// Debian's, because it comes with a pg_dump. Elsewhere the comparisons of schemas are left out.
const canDump = hasDebianPostgres();
let house;
before(async () => {
  house = await new House("applications", { postgres: canDump ? "debian" : "embedded" }).start();
  await house.database([]); // the roles exist from here on: migrations side by side would make them twice
});
after(() => house?.destroy());

const schemaOf = async (database) => plain(await house.server.dump(database, ...DUMP));
const connected = (database, work) => house.server.connected(database, work);
const live = async (database, queue) => (await house.server.query(database, "select count(*)::int as n from mill.job_live where queue = $1", [queue])).rows[0].n;
const installed = async (database) => (await house.server.query(database, "select part from mill.part where asked order by part")).rows.map((row) => row.part);

async function present(database, application) {
  const { rows } = await house.server.query(database, "select name from unnest($1::text[]) name where to_regclass(name) is not null",
    [optionalObjects(["table"], application)]);
  return rows.map((row) => row.name);
}

describe("each application alone", { concurrency: 3 }, () => {
  for (const application of APPLICATIONS) {
    test(`${application} alone beside the engine does its first work, and brings no other application`, async () => {
      const database = await house.database(["--with", application]);
      await connected(database, async (client) => {
        const { queue, id } = await first[application](client, "public");
        assert.ok(await live(database, queue) > 0, "a job of it waits");
        if (application === "workflows") await finishWorkflow(client, "public", id);
        if (application === "compat") assert.deepEqual(await complete(client, "default"), [id]);
      });
      assert.deepEqual(await installed(database), [application]);
      for (const other of APPLICATIONS.filter((name) => name !== application)) assert.deepEqual(await present(database, other), [], `no table of ${other}`);
    });
  }

  test("K18: the twelve job types of the older system are accepted with compat alone, after documents has come, and after it has gone", async () => {
    const TYPES = ["fast_queue_security", "fast_queue_ocr", "fast_queue_spatial", "ai_queue_pass1", "ai_queue_pass2", "ai_queue_pass3", "audit_cleanup",
      "notification_delivery", "report_generation", "backup_operation", "system_maintenance", "consent_verification"];
    const database = await house.database(["--with", "compat"]);
    const pass = () => connected(database, async (client) => {
      for (const type of TYPES) {
        const id = await service(client)("select public.enqueue_job_v3($1, 'twelve', '{\"a\": 1}')", type);
        assert.equal(await service(client)("select c.job_id from public.claim_next_job_v3('own', array[$1]) c", type), id, type);
        assert.equal(await service(client)("select public.complete_job($1, 'own')", id), true, type);
      }
      return service(client)("select count(distinct job_lane) from public.job_queue where completed_at is not null");
    });
    assert.equal(await pass(), "1", "without documents all are in one queue");
    await house.migrate(database, "--with", "documents");
    assert.equal(await pass(), "3", "with documents its stages are in the queues of documents");
    await house.migrate(database, "--without", "documents", "--yes");
    await pass();
  });

  test("all applications together each do their first work", async () => {
    const database = await house.database(["--with", "all"]);
    await connected(database, async (client) => {
      for (const application of APPLICATIONS) {
        const { queue } = await first[application](client, "public");
        assert.ok(await live(database, queue) > 0, `a job of ${application} waits`);
      }
    });
    assert.deepEqual(await installed(database), [...APPLICATIONS].sort());
  });

  test("an application that does not exist is refused with the list of those that do", async () => {
    const database = await house.database([]);
    const { code, stderr } = await house.server.gristmill(database, "migrate", "--with", "invoices");
    assert.notEqual(code, 0);
    for (const word of ["invoices", ...APPLICATIONS]) assert.match(stderr, new RegExp(word));
  });
});

describe("a database with live jobs", { concurrency: 3 }, () => {
  test("an application is added, and the jobs that were there finish", async () => {
    const database = await house.database([]);
    await connected(database, async (client) => {
      const { id: waiting } = await user(client)("select public.submit_job('echo', '{\"n\": 1}', p_priority => 1)");
      const { id: held } = await user(client)("select public.submit_job('echo', '{\"n\": 2}')");
      const [claimed] = await service(client)("select public.claim_jobs('before', array['default'], 1)");
      await house.migrate(database, "--with", "workflows");
      assert.equal(claimed.id, held);
      const [answer] = await service(client)("select public.settle_jobs('before', $1::jsonb)", JSON.stringify([{ id: claimed.id, attempt: claimed.attempt, outcome: "completed" }]));
      assert.equal(answer.status, "accepted", "a lease from before the migration still counts");
      assert.deepEqual(await complete(client, "default"), [waiting]);
      const { id } = await first.workflows(client, "public");
      await finishWorkflow(client, "public", id);
    });
    if (canDump) assertSame(await schemaOf(database), await schemaOf(await house.database(["--with", "workflows"])), "the schema is that of a fresh installation");
  });

  test("one more application is added beside others, and the compatible names of it come with it", async () => {
    const database = await house.database(["--with", "compat"]);
    await house.migrate(database, "--with", "exports");
    await connected(database, (client) => first.exports(client, "public"));
    assert.equal((await house.server.query(database, "select to_regclass('public.export_jobs') is not null as is_there")).rows[0].is_there, true);
    if (canDump) assertSame(await schemaOf(database), await schemaOf(await house.database(["--with", "compat,exports"])));
  });

  test("an application is removed only with --yes, and its jobs and rows go while all others stay and finish", async () => {
    const database = await house.database(["--with", "all"]);
    await connected(database, async (client) => {
      const { id: echo } = await user(client)("select public.submit_job('echo', '{\"n\": 1}', p_priority => 90)");
      const begun = {};
      for (const application of APPLICATIONS) begun[application] = await first[application](client, "public");
      const before = canDump && await schemaOf(database);

      const asked = await house.server.gristmill(database, "migrate", "--without", "exports");
      assert.equal(asked.code, 3, asked.stdout + asked.stderr);
      assert.match(asked.stdout + asked.stderr, /public\.documents\D+1\b/, "it names a table with its number of rows");
      assert.match(asked.stdout + asked.stderr, /queue exports: \d+ live jobs?/, "it names the queue with live jobs");
      assert.match(asked.stdout + asked.stderr, /--yes/);
      assert.equal(await stateOf(house.server, database, begun.exports.id), "pending", "without --yes nothing has changed");
      if (canDump) assertSame(await schemaOf(database), before);

      await house.migrate(database, "--without", "exports", "--yes");
      assert.deepEqual(await present(database, "exports"), []);
      assert.equal(await live(database, "exports"), 0);
      assert.deepEqual((await client.query("select queue from mill.queue where queue = 'exports' union all select kind from mill.kind where queue = 'exports'")).rows, []);
      assert.deepEqual(await installed(database), APPLICATIONS.filter((name) => name !== "exports").sort());
      if (canDump) {
        assertSame(await schemaOf(database), await schemaOf(await house.database(["--with", "documents,refresh,workflows,compat"])),
          "the schema is that of an installation which never had it");
      }

      assert.ok((await complete(client, "default", 1)).includes(echo), "the engine's own job finishes");
      for (const { queue } of [begun.documents, begun.refresh]) assert.equal(await live(database, queue), 1, `the job in ${queue} is still there`);
      await finishWorkflow(client, "public", begun.workflows.id);
      await client.query("select mill.tick()");
      assert.deepEqual((await client.query("select detail from mill.event where code like '%failed'")).rows, [], "housekeeping misses nothing");
    });
  });

  test("what was removed can be added again", async () => {
    const database = await house.database(["--with", "workflows"]);
    await house.migrate(database, "--without", "workflows", "--yes");
    if (canDump) assertSame(await schemaOf(database), await schemaOf(await house.database([])), "nothing of it is left");
    await house.migrate(database, "--with", "workflows");
    await connected(database, async (client) => finishWorkflow(client, "public", (await first.workflows(client, "public")).id));
  });

  test("an application on which something of the user's stands is not removed, and the refusal names it", async () => {
    const database = await house.database(["--with", "exports"]);
    await house.server.query(database, "create view public.my_titles as select title from public.documents");
    const { code, stdout, stderr } = await house.server.gristmill(database, "migrate", "--without", "exports", "--yes");
    assert.notEqual(code, 0);
    assert.match(stdout + stderr, /my_titles/);
    assert.notDeepEqual(await present(database, "exports"), []);
  });
});
