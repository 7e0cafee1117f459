// docs/backup.md, walked through: a database in the middle of its work is dumped and restored into another server, with another port and another owner.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import { Server } from "../../sdk/local/stack/server.mjs";
import { isSoak, until } from "../support.mjs";
import { endEverything, jobsOf } from "../upgrade/live/ends.mjs";
import { fill } from "../upgrade/live/fill.mjs";
import { commandsOf, runIn } from "./doc.mjs";

const DATABASE = "gristmill";
const [dump] = commandsOf("backup.md", "Make a dump");
const [restore, migrate, doctor] = commandsOf("backup.md", "Restore a dump");

// Transactions that the old cluster is ahead of the new one: more than a restore and a test use.
const AHEAD = 60_000;

let folder;
const servers = [];
before(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-dump-"))));
after(async () => {
  for (const server of servers) await server.destroy();
  fs.rmSync(folder, { recursive: true, force: true });
});

async function start(name, options) {
  const server = new Server(`restore-${name}`, options);
  servers.push(server);
  return server.start();
}

async function ok(server, ...args) {
  const { code, stdout, stderr } = await server.gristmill(DATABASE, ...args);
  assert.equal(code, 0, stdout + stderr);
}

/** A server with an installation in the middle of its work, and its dump. */
async function dumped(name, options) {
  const server = await start(name, options);
  await server.query(DATABASE, `do $$
    begin
      create temporary table used (n int);
      for n in 1 .. ${AHEAD} loop
        begin
          insert into used values (1); -- a subtransaction that writes uses a number
        exception when division_by_zero then
        end;
      end loop;
    end $$`);
  await ok(server, "migrate", "--with", "all");
  await ok(server, "relay", "--install-only");
  await ok(server, "configure", "--functions-url", "http://127.0.0.1:9/functions/v1");
  await server.connected(DATABASE, fill);
  const place = path.join(folder, name);
  fs.mkdirSync(place);
  const { code, stderr } = await runIn(place, dump, { OLD_DATABASE_URL: server.url(DATABASE) });
  assert.equal(code, 0, stderr);
  return { server, place, jobs: await server.connected(DATABASE, jobsOf) };
}

/** The dump in another server, owned by a user that the old one did not have. */
async function restored(name, { place }, options) {
  const server = await start(name, options);
  await server.query(DATABASE, "create role keeper superuser login password 'keeper'");
  const env = { GRISTMILL_DATABASE_URL: server.url(DATABASE, "keeper", "keeper") };
  const { code, stdout, stderr } = await runIn(place, restore, env);
  assert.equal(code, 0, stdout + stderr);
  return { server, run: (command) => runIn(place, command, env) };
}

const values = async (server, text) => (await server.query(DATABASE, { text, rowMode: "array" })).rows.map((row) => row[0]);

/** That every job of the dump is there, and ends as it would have ended in the old server. */
async function everyJobEnds(server, before) {
  await server.connected(DATABASE, async (client) => {
    const plain = (jobs) => [...jobs].map(([id, { state, kind }]) => `${id} ${kind} ${state}`).sort();
    assert.deepEqual(plain(await jobsOf(client)), plain(before), "every job is in the state that it was in");
    const counts = await endEverything(client);
    assert.ok(counts.held > 0 && counts.lost > 0 && counts.dead > 0, JSON.stringify(counts));
    const now = await jobsOf(client);
    const wrong = [...before].map(([id, job]) => ({ ...job, id, ended: now.get(id)?.state ?? "gone" }))
      .filter(({ state, cancel_requested: isAsked, ended }) => ended !== (state === "cancelled" || isAsked ? "cancelled" : "completed"));
    assert.deepEqual(wrong, []);
  });
  assert.deepEqual(await values(server, "select distinct status from mill.workflow order by 1"), ["cancelled", "completed"]);
  assert.deepEqual(await values(server, "select public.verify_audit_log() ->> 'ok'"), ["true"]);
}

const xid = async (server) => Number((await values(server, "select pg_current_xact_id()::text"))[0]);
// Claims of fair queues go by lanes and look at no floor.
const aheadMarks = `select count(*)::int from mill.floor f join mill.queue q using (queue)
  where q.dequeue = 'priority' and q.max_running_per_group is null and f.mark_xid > pg_snapshot_xmax(pg_current_snapshot()) and f.mark < f.turn`;

describe("a dump with pg_cron, restored into another server, port and user", () => {
  let source, target;
  before(async () => {
    source = await dumped("old", { postgres: "debian" });
    target = await restored("new", source, { postgres: "debian" });
  });

  test("the new server is behind the old one in transaction numbers", async () => {
    assert.ok(await xid(target.server) + AHEAD / 2 < await xid(source.server));
    assert.ok((await values(target.server, "select count(*)::int from mill.floor where mark_xid > pg_snapshot_xmax(pg_current_snapshot())"))[0] > 0);
  });

  test("doctor names the cron jobs of the old server until gristmill migrate has been run", async () => {
    const port = source.server.postgres.port;
    const ill = await target.run(`${doctor} --offline`);
    assert.equal(ill.code, 1);
    assert.match(ill.stdout, new RegExp(`WRONG restored schedules\\n.*process-queue-batch.*: the cron job is for port ${port}`));
    assert.match(ill.stdout, /→ Run: gristmill migrate/);

    const { code, stderr } = await target.run(migrate);
    assert.equal(code, 0, stderr);
    assert.match((await target.run(`${doctor} --offline`)).stdout, /ok {4}restored schedules/);
    const places = await values(target.server, "select distinct nodeport || ' ' || nodename || ' ' || database || ' ' || username from cron.job");
    assert.deepEqual(places, [`${target.server.postgres.port} 127.0.0.1 ${DATABASE} keeper`]);
    assert.deepEqual(await values(target.server, "select jobname from cron.job order by 1"), await values(target.server, "select name from mill.schedule order by 1"), "each schedule once");
  });

  test("every job of the dump ends in the new server", async () => {
    await everyJobEnds(target.server, source.jobs);
    assert.deepEqual(await values(target.server, aheadMarks), [0], "no floor waits for a transaction number of the old server");
  });

  // In ./scripts/test soak operate alone: pg_cron knows minutes only.
  if (isSoak) test("the schedules run in the new server", async () => {
    // pg_cron logs in without a password, as docs/deploy asks of pg_hba.conf.
    const rules = path.join(target.server.postgres.dataDir, "pg_hba.conf");
    fs.writeFileSync(rules, `host ${DATABASE} keeper 127.0.0.1/32 trust\n${fs.readFileSync(rules, "utf8")}`);
    await target.server.query(DATABASE, "select pg_reload_conf()");
    await target.server.query(DATABASE, "delete from mill.heartbeat");
    await until(async () => (await values(target.server, "select at::text from mill.heartbeat where part = 'process-queue-batch'")).length > 0, "a run of the pump by pg_cron", 150_000);
  });
});

if (isSoak) describe("a dump with the relay's cron, restored into a newer Postgres", () => {
  let source, target;
  before(async () => {
    source = await dumped("relayed", { postgres: "debian", settings: { shared_preload_libraries: "", "cron.database_name": "elsewhere" } });
    target = await restored("newer", source, { postgres: "embedded" });
  });

  test("the restored Postgres is of a newer major version", async () => {
    const major = async (server) => Number((await values(server, "select current_setting('server_version_num')::int / 10000"))[0]);
    assert.ok(await major(target.server) > await major(source.server));
  });

  // Nobody has run gristmill migrate here.
  test("every job of the dump ends", () => everyJobEnds(target.server, source.jobs));

  test("the relay takes the schedules over by itself at its start, and they run", async () => {
    assert.deepEqual(await values(target.server, "select distinct username from cron.job"), ["postgres"]);
    await target.server.query(DATABASE, "delete from mill.heartbeat");
    const relay = target.server.spawnGristmill(DATABASE, "relay", "--database-url", target.server.url(DATABASE, "keeper", "keeper"));
    try {
      await until(async () => (await values(target.server, "select at::text from mill.heartbeat where part = 'process-queue-batch'")).length > 0, "a run of the pump by the relay", 150_000);
      assert.deepEqual(await values(target.server, "select distinct username from cron.job"), ["keeper"]);
    } finally {
      relay.kill();
    }
  });
});
