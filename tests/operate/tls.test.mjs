// TLS to Postgres, with certificates of an authority that is not the system's: what every part accepts and what it refuses.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import pg from "pg";

import * as keys from "../../sdk/local/stack/keys.mjs";
import { Part } from "../../sdk/local/stack/part.mjs";
import { gristmill, isRoot } from "../../sdk/local/stack/paths.mjs";
import { freePorts } from "../../sdk/local/stack/ports.mjs";
import { Server } from "../../sdk/local/stack/server.mjs";
import { until } from "../support.mjs";
import { Authority } from "./certificates.mjs";

const DATABASE = "gristmill";
const jwtSecret = "a secret of the tests of TLS, 32 characters and more".replaceAll(" ", "-");
let folder, server, authority, stranger, certificates, ports;
const parts = [];

before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-tls-"));
  authority = new Authority(folder, "authority");
  stranger = new Authority(folder, "stranger");
  certificates = {
    good: authority.issue("good", { names: ["DNS:localhost"] }),
    expired: authority.issue("expired", { names: ["DNS:localhost"], ends: -1 }),
    nameless: authority.issue("nameless"),
  };
  server = new Server("tls");
  await server.start();
  await serve("good");
  // From here on nobody comes in without TLS, but for whoever looks after the test.
  await server.query(DATABASE, "create role looker superuser login password 'looker'");
  const rules = path.join(server.postgres.dataDir, "pg_hba.conf");
  fs.writeFileSync(rules, "host all looker 127.0.0.1/32 scram-sha-256\nhostssl all all 127.0.0.1/32 scram-sha-256\n");
  await server.query(DATABASE, "select pg_reload_conf()");
  ports = await freePorts(2);
});
after(async () => {
  for (const part of parts) await part.stop();
  await server?.destroy();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Gives the running server another certificate. */
async function serve(name) {
  const { certificate, key } = certificates[name];
  for (const [from, to] of [[certificate, "server.crt"], [key, "server.key"]]) {
    const place = path.join(server.postgres.dataDir, to);
    fs.copyFileSync(from, place);
    fs.chmodSync(place, 0o600);
    if (isRoot) fs.chownSync(place, server.postgres.account.uid, server.postgres.account.gid);
  }
  await looking((client) => client.query("alter system set ssl = on"));
  await looking((client) => client.query("select pg_reload_conf()"));
  // Sessions that come now have the new certificate: the postmaster has read it once the setting is seen.
  await until(() => looking(async (client) => (await client.query("show ssl")).rows[0].ssl === "on"), "TLS at the server");
}

async function looking(work) {
  const password = server.postgres.password;
  const client = new pg.Client({ host: "127.0.0.1", port: server.postgres.port, database: DATABASE, user: "postgres", password });
  const other = new pg.Client({ host: "127.0.0.1", port: server.postgres.port, database: DATABASE, user: "looker", password: "looker" });
  const used = await client.connect().then(() => client, () => other.connect().then(() => other));
  try {
    return await work(used);
  } finally {
    await used.end();
  }
}

const url = (parameters, host = "localhost", user = "postgres", password = server.postgres.password) =>
  `postgres://${user}:${password}@${host}:${server.postgres.port}/${DATABASE}?${parameters}`;
const trusting = (mode, { file } = authority) => `sslmode=${mode}&sslrootcert=${encodeURIComponent(file)}`;
const run = (address, ...args) => server.gristmill(DATABASE, ...args, { GRISTMILL_DATABASE_URL: address });

/** That `gristmill configure` refuses an address, and says so in one line that names no password. */
async function refuses(address, sentence, env = {}) {
  const { code, stdout, stderr } = await server.gristmill(DATABASE, "configure", { GRISTMILL_DATABASE_URL: address, ...env });
  assert.equal(code, 1, stdout + stderr);
  assert.match(stderr, sentence);
  assert.doesNotMatch(stderr, new RegExp(server.postgres.password));
}

test("every command works over TLS with a verified certificate of the platform's own authority", async () => {
  const address = url(trusting("verify-full"));
  const commands = [["migrate"], ["relay", "--install-only"], ["configure", "--functions-url", "http://127.0.0.1:9/functions/v1"],
    ["maintenance", "on", "--reason", "TLS"], ["maintenance", "off"], ["top", "--once"], ["doctor", "--offline"]];
  for (const command of commands) {
    const { code, stdout, stderr } = await run(address, ...command);
    assert.equal(code, 0, `${command.join(" ")}\n${stdout}${stderr}`);
  }
});

test("a certificate of an authority that is not trusted is refused, with the way to trust it", async () => {
  await refuses(url("sslmode=verify-full"), /certificate of Postgres at localhost:\d+ is not of a certificate authority that is trusted here: name the authority's file by sslrootcert/);
  await refuses(url(trusting("verify-ca", stranger)), /GRISTMILL_DATABASE_CA/);
  await refuses(url(trusting("require", stranger)), /not of a certificate authority/);
});

test("a certificate for another host name is refused by verify-full, with the names that it is for, and accepted by verify-ca", async () => {
  await refuses(url(trusting("verify-full"), "127.0.0.1"), /is for another host name \(.*localhost.*\): connect by a name that is in it/);
  assert.equal((await run(url(trusting("verify-ca"), "127.0.0.1"), "configure")).code, 0);
  assert.equal((await run(url(trusting("require"), "127.0.0.1"), "configure")).code, 0);
});

test("require without an authority encrypts and checks nothing, as libpq does", async () => {
  assert.equal((await run(url("sslmode=require", "127.0.0.1"), "configure")).code, 0);
});

test("the default is prefer: a server that demands TLS gets it", async () => {
  assert.equal((await run(url("connect_timeout=5"), "configure")).code, 0);
});

test("a server that demands TLS refuses an unencrypted connection, and the error says what to add to the URL", async () => {
  await refuses(url("sslmode=disable"), /refuses connections without TLS.*add sslmode=verify-full/);
});

test("the authority may come as PEM text in GRISTMILL_DATABASE_CA, for platforms that have variables and no files", async () => {
  const text = { GRISTMILL_DATABASE_CA: fs.readFileSync(authority.file, "utf8") };
  const { code, stderr } = await server.gristmill(DATABASE, "configure", { GRISTMILL_DATABASE_URL: url("sslmode=verify-full"), ...text });
  assert.equal(code, 0, stderr);
  await refuses(url("connect_timeout=5"), /without sslmode nothing is checked: add sslmode=verify-full/, text);
  await refuses(url("sslmode=verify-full"), /holds no certificate|cannot be read as PEM/, { GRISTMILL_DATABASE_CA: certificates.good.key });
  await refuses(url("sslmode=verify-full"), /\/nowhere\.crt cannot be read/, { GRISTMILL_DATABASE_CA: "/nowhere.crt" });
});

test("the gateway serves requests over verified TLS, reloads its schema by LISTEN and cancels what a client leaves", async () => {
  await looking((client) => client.query(`alter role authenticator login password 'doorkeeper';
    create or replace function public.slow() returns int language sql as 'select 1 from pg_sleep(30)';
    grant execute on function public.slow() to anon`));
  const [port, admin] = ports;
  const gateway = new Part("gateway", {
    command: gristmill, args: ["gateway", "--listen", `127.0.0.1:${port}`, "--admin-listen", `127.0.0.1:${admin}`, "--anon-role", "anon"],
    env: { GRISTMILL_DATABASE_URL: url(trusting("verify-full"), "localhost", "authenticator", "doorkeeper"), GRISTMILL_JWT_SECRET: jwtSecret },
    logDir: folder, isReady: async () => (await fetch(`http://127.0.0.1:${admin}/ready`).catch(() => ({}))).ok,
  });
  parts.push(gateway);
  await gateway.start();
  const service = await keys.token(jwtSecret, { role: "service_role" });
  const rpc = (name, init) => fetch(`http://127.0.0.1:${port}/rpc/${name}`, { method: "POST", body: "{}", headers: { "content-type": "application/json", authorization: `Bearer ${service}` }, ...init });
  assert.equal((await rpc("worker_queues")).status, 200);

  const plain = await looking(async (client) => (await client.query(`select count(*)::int as n from pg_stat_activity a join pg_stat_ssl s using (pid)
    where a.usename = 'authenticator' and not s.ssl`)).rows[0].n);
  assert.equal(plain, 0, "no session of the gateway is unencrypted");

  await looking((client) => client.query("create function public.made_later() returns int language sql as 'select 7'; notify pgrst"));
  await until(async () => (await rpc("made_later", { headers: { "content-type": "application/json", authorization: `Bearer ${service}` } })).status === 200, "the new function");

  const sleepers = () => looking(async (client) => (await client.query("select count(*)::int as n from pg_stat_activity where query like '%slow%' and state = 'active' and usename = 'authenticator'")).rows[0].n);
  const hangUp = new AbortController();
  const left = rpc("slow", { signal: hangUp.signal, headers: { "content-type": "application/json" } }).catch(() => {});
  await until(async () => (await sleepers()) === 1, "the slow query");
  hangUp.abort();
  await left;
  await until(async () => (await sleepers()) === 0, "the end of the query whose client has left", 10_000);
});

test("the relay serves over verified TLS: what is queued is sent, and a cron job that is taken away while it runs is cancelled", async () => {
  const relay = new Part("relay", {
    command: gristmill, args: ["relay"], env: { GRISTMILL_DATABASE_URL: url(trusting("verify-full")) }, logDir: folder,
    isReady: () => looking(async (client) => (await client.query("select net._is_served() as is_served")).rows[0].is_served),
  });
  parts.push(relay);
  await relay.start();
  const one = (text) => looking(async (client) => (await client.query({ text, rowMode: "array" })).rows[0]?.[0]);
  const id = await one(`select net.http_get('http://127.0.0.1:${ports[1]}/live')`);
  await until(async () => (await one(`select status_code from net._http_response where id = ${id}`)) === 200, "the answer to a request");
  assert.equal(await one("select count(*)::int from pg_stat_activity a join pg_stat_ssl s using (pid) where a.application_name like 'gristmill %' and not s.ssl"), 0);

  await one("select cron.schedule_in_database('long', '1 seconds', 'select pg_sleep(60)', current_database(), 'postgres')");
  const running = () => one("select count(*)::int from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active'");
  await until(async () => (await running()) === 1, "the cron job");
  await one("delete from cron.job where jobname = 'long' returning jobid");
  await until(async () => (await running()) === 0, "the end of the cron job", 20_000);
});

test("an expired certificate is refused, and one without a host name too", async () => {
  await serve("expired");
  await until(async () => /has expired: renew it at the server/.test((await run(url(trusting("verify-full")), "configure")).stderr), "the refusal of the expired certificate", 10_000);
  await serve("nameless");
  await until(async () => /names no host|is for another host name/.test((await run(url(trusting("verify-full")), "configure")).stderr), "the refusal of the certificate without names", 10_000);
});

test("a server without TLS is refused by require, and the error says both ways out", async () => {
  await looking((client) => client.query("alter system set ssl = off"));
  await looking((client) => client.query("select pg_reload_conf()"));
  const address = url("sslmode=require", "127.0.0.1", "looker", "looker");
  await until(async () => /speaks no TLS.*set ssl = on at the server, or say sslmode=disable/.test((await run(address, "configure")).stderr), "the refusal of a server without TLS", 10_000);
});
