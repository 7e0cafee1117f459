// A primary is killed under load and its streaming replica is promoted. Every part has both addresses and finds the new primary by itself.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import pg from "pg";

import { Part } from "../../sdk/local/stack/part.mjs";
import { isRoot } from "../../sdk/local/stack/paths.mjs";
import { freePorts } from "../../sdk/local/stack/ports.mjs";
import { debianTool } from "../../sdk/local/stack/postgres.mjs";
import { signIn, sleep, startStack, until } from "../support.mjs";

const run = promisify(execFile);
const WRITERS = 4;
let stack, replica, replicaPort;

before(async () => {
  [replicaPort] = await freePorts(1);
  stack = await startStack("failover", {
    postgres: "debian", functions: ["enqueue", "processor"], standby: replicaPort,
    // pg_cron of two servers would need two ports in its rows; the relay needs none.
    settings: { shared_preload_libraries: "", "cron.database_name": "elsewhere", wal_level: "replica", max_wal_senders: "5", wal_keep_size: "256MB" },
  });
  await startReplica();
});
after(async () => {
  await replica?.stop("SIGQUIT");
  await stack?.destroy();
});

/** A base backup of the primary that follows it; the primary acknowledges nothing that the replica has not written. */
async function startReplica() {
  const { postgres } = stack;
  const rules = path.join(postgres.dataDir, "pg_hba.conf");
  fs.appendFileSync(rules, "\nhost replication postgres 127.0.0.1/32 scram-sha-256\n");
  await postgres.query("select pg_reload_conf()");
  const dataDir = path.join(stack.folder, "replica");
  const address = `host=127.0.0.1 port=${postgres.port} user=postgres password=${postgres.password} application_name=replica`;
  await run(debianTool("pg_basebackup"), ["--dbname", address, "--pgdata", dataDir, "--checkpoint", "fast", "--write-recovery-conf", "--no-sync"]);
  if (isRoot) await run("chown", ["-R", `${postgres.account.uid}:${postgres.account.gid}`, dataDir]);
  fs.chmodSync(dataDir, 0o700);
  const { args } = postgres.part.options;
  replica = new Part("replica", {
    ...postgres.part.options,
    args: args.map((arg, at) => (args[at - 1] === "-D" ? dataDir : args[at - 1] === "-p" ? String(replicaPort) : arg)),
    isReady: () => atReplica("select 1").then(() => true, () => false),
  });
  await replica.start();
  await postgres.query("alter system set synchronous_standby_names = 'replica'");
  await postgres.query("select pg_reload_conf()");
  await until(async () => (await postgres.query("select from pg_stat_replication where sync_state = 'sync'")).rowCount === 1, "synchronous replication");
}

async function atReplica(text) {
  const client = new pg.Client({ host: "127.0.0.1", port: replicaPort, user: "postgres", password: stack.postgres.password, database: "gristmill" });
  client.on("error", () => {});
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

test("only the tables of net are unlogged, so nothing else is empty on a promoted replica", async () => {
  const { rows } = await stack.postgres.query("select c.oid::regclass::text as name from pg_class c where c.relpersistence = 'u' and c.relkind in ('r', 'p') order by 1");
  assert.deepEqual(rows.map(({ name }) => name), ["net._http_response", "net.http_request_queue"]);
});

test("a replica says that it is one, also where writing is switched off by default", async () => {
  for (const before of ["", "set default_transaction_read_only = on; "]) {
    await assert.rejects(atReplica(`${before}select mill.require_primary()`), { code: "GM037" });
  }
});

test("with the primary killed under load and its replica promoted, nothing acknowledged is lost, everything ends, and no part is started again", async () => {
  const pids = Object.fromEntries(["gateway", "relay", "workerd"].map((name) => [name, stack.parts[name].pid]));
  const users = await Promise.all(Array.from({ length: WRITERS }, () => signIn(stack)));
  const accepted = [];
  const unexpected = [];
  let isOver = false;
  const writing = users.map(async (user, n) => {
    for (let count = 0; !isOver; count++) {
      const answer = await user.submit({ kind: "echo", payload: { from: n, count, delay_ms: count % 10 === 0 ? 500 : 0 } }).catch((error) => ({ status: 0, text: error.message }));
      if (answer.status === 200 || answer.status === 201 || answer.status === 202) accepted.push({ user, id: answer.json.id });
      else if (![502, 503, 504].includes(answer.status)) unexpected.push(`${answer.status} ${answer.text}`);
      await sleep(answer.json?.id ? 5 : 50);
    }
  });
  await until(() => accepted.length > 200, "load");

  stack.postgres.part.process.kill("SIGKILL");
  const killedAt = Date.now();
  await sleep(1000); // somebody has to notice first
  const atKill = accepted.length;
  await atReplica("select pg_promote()");
  const promotedAt = Date.now();
  await until(() => accepted.length > atKill, "the first job that was accepted by the new primary", 30_000);
  const backAfter = Date.now() - promotedAt;
  await until(() => accepted.length > atKill + 200, "load on the new primary", 60_000);
  isOver = true;
  await Promise.all(writing);

  assert.deepEqual(unexpected, []);
  const { rows: [{ live }] } = await until(async () => {
    const answer = await atReplica("select (select count(*) from mill.job_live)::int + (select count(*) from mill.pack)::int as live");
    return answer.rows[0].live === 0 && answer;
  }, "the end of every job", 180_000);
  assert.equal(live, 0);
  const { rows: ended } = await atReplica("select id, state from mill.job");
  const states = new Map(ended.map(({ id, state }) => [id, state]));
  const wrong = accepted.filter(({ id }) => states.get(id) !== "completed").map(({ id }) => `${id} ${states.get(id) ?? "lost"}`);
  assert.deepEqual(wrong, [], "each job that was acknowledged is completed");
  for (const [name, pid] of Object.entries(pids)) assert.equal(stack.parts[name].isRunning && stack.parts[name].pid, pid, `${name} is the same process`);
  console.log(`# ${accepted.length} jobs accepted; the first one by the new primary ${backAfter} ms after its promotion, all ended ${((Date.now() - killedAt) / 1000).toFixed(1)} s after the kill`);
});
