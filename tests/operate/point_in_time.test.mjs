// docs/backup.md, "Restore to a point in time": a base backup and archived WAL give the database as it was at a chosen moment, and its jobs go on.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { gristmill, isRoot } from "../../sdk/local/stack/paths.mjs";
import { Part } from "../../sdk/local/stack/part.mjs";
import { freePorts } from "../../sdk/local/stack/ports.mjs";
import { Server } from "../../sdk/local/stack/server.mjs";
import pg from "pg";
import { callerOf, complete } from "../house/callers.mjs";
import { sleep, until } from "../support.mjs";
import { commandsOf, runIn } from "./doc.mjs";

const run = promisify(execFile);
const DATABASE = "gristmill";
let folder, server, second;

before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-wal-"));
  fs.mkdirSync(path.join(folder, "wal"));
  fs.chmodSync(folder, 0o755);
  server = new Server("point", { postgres: "debian", settings: { wal_level: "replica", archive_mode: "on", archive_command: `cp %p ${folder}/wal/%f` } });
  if (isRoot) await run("chown", ["-R", "postgres", folder]);
  await server.start();
  fs.appendFileSync(path.join(server.postgres.dataDir, "pg_hba.conf"), "\nhost replication postgres 127.0.0.1/32 scram-sha-256\n");
  await server.query(DATABASE, "select pg_reload_conf()");
});
after(async () => {
  await second?.stop("SIGQUIT");
  await server?.destroy();
  fs.rmSync(folder, { recursive: true, force: true });
});

test("restored to a moment, the database has what was accepted before it and nothing after, and its jobs are claimed and settled", async () => {
  assert.equal((await server.gristmill(DATABASE, "migrate")).code, 0);
  const [backup] = commandsOf("backup.md", "Restore to a point in time");
  const { code, stderr } = await runIn(folder, backup, { OLD_DATABASE_URL: server.url(DATABASE) });
  assert.equal(code, 0, stderr);

  const submit = (say) => server.connected(DATABASE, (client) => callerOf(client, "service_role")("select public.submit_job('echo', jsonb_build_object('say', $1::text))", say));
  const early = await submit("before");
  const claimed = await server.connected(DATABASE, (client) => callerOf(client, "service_role")("select public.claim_jobs('gone', array['default'], 1)"));
  assert.equal(claimed[0].id, early.id);
  await sleep(50);
  const moment = (await server.query(DATABASE, "select clock_timestamp()::text as at")).rows[0].at;
  await sleep(50);
  const late = await submit("after");
  await server.query(DATABASE, "select pg_switch_wal()");
  await until(async () => (await server.query(DATABASE, "select last_archived_wal is not null as is_there, (select count(*) from pg_ls_archive_statusdir() where name like '%.ready') as waiting from pg_stat_archiver")).rows[0].waiting === "0", "the archive");

  const dataDir = path.join(folder, "base");
  fs.writeFileSync(path.join(dataDir, "recovery.signal"), "");
  if (isRoot) await run("chown", ["-R", `${server.postgres.account.uid}:${server.postgres.account.gid}`, dataDir]);
  fs.chmodSync(dataDir, 0o700);
  const [port] = await freePorts(1);
  const at = async (work) => {
    const client = new pg.Client({ connectionString: server.url(DATABASE).replace(/:\d+\//, `:${port}/`) });
    client.on("error", () => {});
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  const { args } = server.postgres.part.options;
  const changed = { "-D": dataDir, "-p": String(port) };
  second = new Part("restored", {
    ...server.postgres.part.options,
    args: [...args.map((arg, n) => changed[args[n - 1]] ?? arg), "-c", "archive_mode=off", "-c", `restore_command=cp ${folder}/wal/%f %p`,
      "-c", `recovery_target_time=${moment}`, "-c", "recovery_target_action=promote"],
    isReady: () => at(async (client) => (await client.query("select pg_is_in_recovery() as still")).rows[0].still === false).catch(() => false),
  });
  await second.start();

  const env = { ...process.env, GRISTMILL_DATABASE_URL: server.url(DATABASE).replace(/:\d+\//, `:${port}/`) };
  await run(gristmill, ["migrate"], { env });
  await at(async (client) => {
    const state = async (id) => (await client.query("select state from mill.job where id = $1", [id])).rows[0]?.state ?? "unknown";
    assert.deepEqual([await state(early.id), await state(late.id)], ["processing", "unknown"]);
    const { rows } = await client.query("select distinct nodeport from cron.job");
    assert.deepEqual(rows, [{ nodeport: port }], "cron jobs are those of the new server");
    // The worker that held the job is gone; its lease ends.
    await client.query("select set_config('mill.now', (clock_timestamp() + interval '1 hour')::text, false)");
    await callerOf(client, "service_role")("select public.tick()");
    await client.query("select set_config('mill.now', (clock_timestamp() + interval '2 hours')::text, false)");
    assert.deepEqual(await complete(client, "default"), [early.id]);
  });
});
