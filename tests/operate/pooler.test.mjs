// pgbouncer in transaction mode between the parts and Postgres: what works through it, and what says that it needs Postgres itself.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import pg from "pg";

import { defineJob } from "../../sdk/typescript/dist/index.js";
import { enqueue } from "../../sdk/typescript/dist/adapters/pg.js";
import { Part } from "../../sdk/local/stack/part.mjs";
import { cacheRoot, gristmill, isRoot } from "../../sdk/local/stack/paths.mjs";
import { freePorts, isListening } from "../../sdk/local/stack/ports.mjs";
import { Stack } from "../../sdk/local/stack/stack.mjs";
import { signIn, until } from "../support.mjs";

const run = promisify(execFile);
const SESSIONS = 3; // that all clients of the pooler share
let stack, poolerPort;
const poolers = [];
const pooled = {}; // addresses

before(async () => {
  stack = new Stack(`test-pooler-${process.pid}`, { functions: ["enqueue", "processor"] });
  await stack.start([]);
  const { postgres } = stack;
  poolerPort = await startPooler("pgbouncer");
  Object.assign(pooled, { owner: through(poolerPort, postgres.url()), authenticator: through(poolerPort, gatewayUrl()) });
  stack.env.gateway = { GRISTMILL_DATABASE_URL: pooled.authenticator, GRISTMILL_DIRECT_DATABASE_URL: gatewayUrl() };
  await postgres.query(`
    create function public.who() returns jsonb language sql stable as $$
      select jsonb_build_object('role', current_user, 'sub', auth.uid(), 'timeout', current_setting('statement_timeout'), 'path', current_setting('search_path')) $$;
    create function public.leave_traces() returns int language plpgsql as $$
      begin create temporary table traces (n int); perform set_config('acme.trace', 'left', false), pg_advisory_lock(42); return 1; end $$;
    create function public.traces() returns text language sql stable as $$
      select concat_ws(' ', to_regclass('pg_temp.traces')::text, nullif(current_setting('acme.trace', true), ''),
        (select 'lock' from pg_locks where locktype = 'advisory' and objid = 42 and pid = pg_backend_pid())) $$;
    create function public.slow() returns int language sql as 'select 1 from pg_sleep(20)'`);
  await stack.add(["gateway", "relay", "workerd"]);
});
after(async () => {
  for (const pooler of poolers) await pooler.stop();
  await stack?.destroy();
});

const gatewayUrl = () => stack.postgres.url("authenticator", stack.secrets.authenticatorPassword);
const through = (port, url) => url.replace(`:${stack.postgres.port}/`, `:${port}/`);

/** Starts a pgbouncer; answers its port. */
async function startPooler(name, setting = "") {
  const { postgres, secrets } = stack;
  const [port] = await freePorts(1);
  const folder = path.join(stack.folder, name);
  fs.mkdirSync(folder);
  // The cache may lie below /root, and pgbouncer refuses to run as root.
  fs.copyFileSync(path.join(cacheRoot, "pgbouncer/pgbouncer"), path.join(folder, "program"));
  fs.writeFileSync(path.join(folder, "users.txt"), `"authenticator" "${secrets.authenticatorPassword}"\n"shop" "shop"\n"postgres" "${postgres.password}"\n`);
  fs.writeFileSync(path.join(folder, "pgbouncer.ini"), `[databases]
gristmill = host=127.0.0.1 port=${postgres.port}
sessions = host=127.0.0.1 port=${postgres.port} dbname=gristmill pool_mode=session
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${folder}/users.txt
pool_mode = transaction
default_pool_size = ${SESSIONS}
max_client_conn = 200
${setting}
`);
  if (isRoot) await run("chown", ["-R", `${postgres.account.uid}:${postgres.account.gid}`, folder]);
  const pooler = new Part(name, {
    command: path.join(folder, "program"), args: [path.join(folder, "pgbouncer.ini")], cwd: "/", ...postgres.account, logDir: stack.logDir,
    isReady: () => isListening(port), stopSignal: "SIGTERM",
  });
  poolers.push(pooler);
  await pooler.start();
  return port;
}

async function rpc(name, token, init = {}) {
  const answer = await fetch(`${stack.url}/rest/v1/rpc/${name}`, { method: "POST", body: "{}", headers: { "content-type": "application/json", authorization: `Bearer ${token}` }, ...init });
  return { status: answer.status, json: await answer.json() };
}

async function tried(args, env) {
  try {
    const { stdout, stderr } = await run(gristmill, args, { env: { ...process.env, ...env }, timeout: 20_000 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    return { code: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}

test("applications enqueue in their own transactions through pgbouncer in transaction mode", async () => {
  await stack.postgres.query(`create role shop login password 'shop' in role gristmill_app; create table public.orders (n int primary key); grant insert on public.orders to shop`);
  const echo = defineJob("echo").payload();
  const pool = new pg.Pool({ connectionString: through(poolerPort, stack.postgres.url("shop", "shop")), max: 20 });
  try {
    // More clients than sessions; every second one changes its mind.
    await Promise.all(Array.from({ length: 40 }, async (_, n) => {
      const client = await pool.connect();
      try {
        await client.query("begin");
        await client.query("insert into public.orders values ($1)", [n]);
        assert.equal((await enqueue(client, echo, { order: n })).status, "new");
        await client.query(n % 2 === 0 ? "commit" : "rollback");
      } finally {
        client.release();
      }
    }));
  } finally {
    await pool.end();
  }
  const { rows } = await stack.postgres.query("select (select array_agg(n order by n) from public.orders) as orders, (select array_agg((payload ->> 'order')::int order by 1) from mill.job where payload ? 'order') as jobs");
  const even = Array.from({ length: 20 }, (_, n) => 2 * n);
  assert.deepEqual(rows[0].orders, even);
  assert.deepEqual(rows[0].jobs.sort((a, b) => a - b), even);
});

test("a job goes the whole way while every request of the gateway goes through pgbouncer in transaction mode", async () => {
  const user = await signIn(stack);
  const ids = await Promise.all(Array.from({ length: 30 }, async (_, n) => (await user.submit({ kind: "echo", payload: { n } })).json.id));
  for (const [n, id] of ids.entries()) assert.deepEqual((await user.settled(id)).result, { echo: { n } });
  const { rows } = await stack.postgres.query("select count(*)::int as n from pg_stat_activity where usename = 'authenticator' and application_name = 'gristmill gateway'");
  assert.ok(rows[0].n <= SESSIONS + 3, `${rows[0].n} sessions of the gateway: those of the pooler, and those that listen`);
});

test("in sessions that are shared, each of many requests has the role, claims, timeout and search path of its own caller", async () => {
  const callers = await Promise.all(Array.from({ length: 20 }, () => signIn(stack)));
  const answers = await Promise.all(Array.from({ length: 400 }, async (_, n) => {
    const caller = n % 4 === 0 ? null : callers[n % callers.length];
    const { status, json } = await rpc("who", caller?.token ?? stack.serviceKey);
    const expected = caller ? { role: "authenticated", sub: caller.sub, timeout: "8s" } : { role: "service_role", sub: null, timeout: "30s" };
    return status === 200 && json.role === expected.role && json.sub === expected.sub && json.timeout === expected.timeout && json.path === '"public"' ? null : JSON.stringify({ status, json, expected });
  }));
  assert.deepEqual(answers.filter(Boolean), []);
});

test("nothing that a request leaves in a shared session reaches another request", async () => {
  for (let n = 0; n < 2 * SESSIONS; n++) assert.equal((await rpc("leave_traces", stack.serviceKey)).json, 1);
  const traces = await Promise.all(Array.from({ length: 30 }, () => rpc("traces", stack.serviceKey)));
  assert.deepEqual([...new Set(traces.map(({ json }) => json))], [""]);
});

test("a client that hangs up has its query cancelled through the pooler", async () => {
  const running = async () => (await stack.postgres.query("select count(*)::int as n from pg_stat_activity where query like '%slow%' and state = 'active' and usename = 'authenticator'")).rows[0].n;
  const hangUp = new AbortController();
  const left = rpc("slow", stack.serviceKey, { signal: hangUp.signal }).catch(() => {});
  await until(async () => (await running()) === 1, "the slow query");
  hangUp.abort();
  await left;
  await until(async () => (await running()) === 0, "the end of the query whose client has left", 10_000);
});

test("the schema is followed by LISTEN over the direct address", async () => {
  await stack.postgres.query("create function public.made_later() returns int language sql as 'select 7'; notify pgrst");
  await until(async () => (await rpc("made_later", stack.serviceKey)).json === 7, "the new function");
});

test("a gateway that has the pooler's address alone does not start, and says what is missing", async () => {
  // Some are told to swallow the options that a connection is opened with.
  const swallowing = await startPooler("swallowing", "ignore_startup_parameters = options");
  for (const address of [pooled.authenticator, through(swallowing, gatewayUrl())]) {
    const [port] = await freePorts(1);
    const { code, stderr } = await tried(["gateway", "--listen", `127.0.0.1:${port}`], { GRISTMILL_DATABASE_URL: address, GRISTMILL_JWT_SECRET: stack.secrets.jwtSecret });
    assert.equal(code, 1, stderr);
    assert.match(stderr, /cannot listen through a pooler: give the address of Postgres itself as GRISTMILL_DIRECT_DATABASE_URL/);
  }
});

for (const args of [["relay"], ["migrate"], ["configure"], ["maintenance", "off"], ["doctor", "--offline"], ["top", "--once"]]) {
  test(`gristmill ${args[0]} refuses the address of a pooler in transaction mode, with what to give instead`, async () => {
    const { code, stderr } = await tried(args, { GRISTMILL_DATABASE_URL: pooled.owner });
    assert.equal(code, 1, stderr);
    assert.match(stderr, new RegExp(`127\\.0\\.0\\.1:${poolerPort} is a pooler in transaction mode.*give the address of Postgres itself`));
  });
}

test("commands work through a pooler in session mode", async () => {
  const { code, stdout, stderr } = await tried(["migrate"], { GRISTMILL_DATABASE_URL: pooled.owner.replace(/gristmill$/, "sessions") });
  assert.equal(code, 0, stdout + stderr);
});
