// A database that has tables with our applications' names already: the engine moves in, and applications take a schema of their own.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";

import * as keys from "../../sdk/local/stack/keys.mjs";
import { Part } from "../../sdk/local/stack/part.mjs";
import { gristmill } from "../../sdk/local/stack/paths.mjs";
import { freePorts } from "../../sdk/local/stack/ports.mjs";
import { hasDebianPostgres } from "../../sdk/local/stack/postgres.mjs";
import { mark } from "../../sdk/local/stack/registry.mjs";
import { finishWorkflow, first } from "./applications.mjs";
import { USER } from "./callers.mjs";
import { assertSame, House } from "./harness.mjs";

const TAKEN = ["documents", "jobs", "user_profiles", "quotes", "audit_log"];
const GROUND = TAKEN.map((table) => `
  create table public.${table} (number int primary key, said text not null);
  insert into public.${table} select n, '${table} ' || n from generate_series(1, 3) n;`).join("\n");
// Each application that has a table of one of these names.
const COLLIDES = { exports: "documents", workflows: "jobs", documents: "user_profiles", refresh: "quotes", compat: "audit_log" };
const canDump = hasDebianPostgres();

let house;
before(async () => {
  house = await new House("taken", { postgres: canDump ? "debian" : "embedded" }).start();
  await house.database([], GROUND); // the roles exist from here on
});
after(() => house?.destroy());

/** What the user has: definition and rows of each table. */
async function users(database) {
  const tables = {};
  for (const table of TAKEN) {
    const columns = await house.server.query(database, `
      select attname, atttypid::regtype::text as type, attnotnull from pg_attribute where attrelid = 'public.${table}'::regclass and attnum > 0 order by attnum`);
    const around = await house.server.query(database, `
      select (select count(*)::int from pg_trigger where tgrelid = c.oid) as triggers, (select count(*)::int from pg_policy where polrelid = c.oid) as policies,
        c.relrowsecurity, c.relacl::text from pg_class c where c.oid = 'public.${table}'::regclass`);
    tables[table] = { columns: columns.rows, around: around.rows, rows: (await house.server.query(database, `select * from public.${table} order by 1`)).rows };
  }
  return tables;
}

/** Everything, rows included, where pg_dump is at hand; the parts that are installed elsewhere. */
async function everything(database) {
  if (!canDump) return JSON.stringify((await house.server.query(database, "select part from mill.part order by part")).rows);
  return (await house.server.dump(database)).replace(/^\\(?:un)?restrict .*$/gm, "");
}

describe("a database that has tables documents, jobs, user_profiles, quotes and audit_log of its own", { concurrency: 3 }, () => {
  test("it gets the engine, and the user's tables are untouched", async () => {
    const before = await users(await house.database(null, GROUND));
    const database = await house.database([], GROUND);
    assert.deepEqual(await users(database), before);
  });

  for (const [application, table] of Object.entries(COLLIDES)) {
    test(`--with ${application} is refused by a sentence that names public.${table} and the way out, and nothing changes`, async () => {
      const database = await house.database([], GROUND);
      const before = await everything(database);
      const { code, stderr } = await house.server.gristmill(database, "migrate", "--with", application);
      assert.notEqual(code, 0);
      assert.match(stderr, new RegExp(`public\\.${table}\\b`));
      assert.match(stderr, application === "compat" ? /rename yours/i : /--schema/);
      assert.equal(stderr.includes("42P07"), false, "it is no error of Postgres's that a user has to understand");
      assertSame(await everything(database), before, "nothing has changed");
    });
  }

  for (const application of ["documents", "refresh", "exports", "workflows"]) {
    test(`--with ${application} --schema acme works beside them`, async () => {
      const database = await house.database([], GROUND);
      const before = await users(database);
      await house.migrate(database, "--with", application, "--schema", "acme");
      await house.server.connected(database, async (client) => {
        const { id } = await first[application](client, "acme");
        if (application === "workflows") await finishWorkflow(client, "acme", id);
      });
      assert.deepEqual(await users(database), before);
      const { rows } = await house.server.query(database, "select schema from mill.part where part = $1", [application]);
      assert.deepEqual(rows, [{ schema: "acme" }]);
      await house.migrate(database); // which remembers where it is
      const again = await house.server.gristmill(database, "migrate", "--with", application, "--schema", "other");
      assert.notEqual(again.code, 0, "an installed application does not move");
      assert.match(again.stderr, /acme/);
    });
  }

  test("compat does not move to another schema, and the refusal says why", async () => {
    const database = await house.database([], GROUND);
    const { code, stderr } = await house.server.gristmill(database, "migrate", "--with", "compat", "--schema", "acme");
    assert.notEqual(code, 0);
    assert.match(stderr, /compat[\s\S]*public/);
  });

  test("removing an application from its schema leaves the user's tables and drops the schema", async () => {
    const database = await house.database([], GROUND);
    const before = await users(database);
    await house.migrate(database, "--with", "exports", "--schema", "acme");
    await house.migrate(database, "--without", "exports", "--yes");
    assert.deepEqual(await users(database), before);
    assert.deepEqual((await house.server.query(database, "select from pg_namespace where nspname = 'acme'")).rows, []);
  });
});

describe("through the gateway, by PostgREST's profile headers", () => {
  let gateway, url, database, userToken, serviceToken;
  before(async () => {
    database = await house.database(["--with", "documents,refresh,exports,workflows", "--schema", "acme"], GROUND);
    const [password, secret] = [randomBytes(18).toString("base64url"), randomBytes(32).toString("base64url")];
    await house.server.query(database, `alter role authenticator login password '${password}'`);
    const [port, adminPort] = await freePorts(2);
    url = `http://127.0.0.1:${port}`;
    userToken = await keys.token(secret, { role: "authenticated", sub: USER });
    serviceToken = await keys.token(secret, { role: "service_role" });
    gateway = new Part("gateway", {
      command: gristmill,
      args: ["gateway", "--listen", `127.0.0.1:${port}`, "--admin-listen", `127.0.0.1:${adminPort}`, "--anon-role", "anon", "--schemas", "public,acme"],
      env: { ...mark(house.server.folder), GRISTMILL_DATABASE_URL: house.server.url(database, "authenticator", password), GRISTMILL_JWT_SECRET: secret },
      logDir: house.server.folder,
      isReady: async () => (await fetch(`http://127.0.0.1:${adminPort}/ready`).catch(() => ({}))).ok === true,
    });
    await gateway.start();
  });
  after(() => gateway?.stop());

  async function post(path, body, { token = userToken, profile = "acme", prefer } = {}) {
    const answer = await fetch(`${url}/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`, "content-type": "application/json",
        ...(profile && { "content-profile": profile }), ...(prefer && { prefer }),
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, json: text ? JSON.parse(text) : null };
  }

  async function fine(...args) {
    const { status, json } = await post(...args);
    assert.ok(status < 300, `${status} ${JSON.stringify(json)}`);
    return json;
  }

  test("an upload of documents begins and ends", async () => {
    const { id, place } = await fine("rpc/begin_document_upload", { p_mime_type: "text/plain", p_filename: "a.txt" });
    await fine("rpc/finish_document_upload", { p_id: id, p_place: place, p_size: 5, p_sha256: "a".repeat(64) });
    assert.equal((await fine("rpc/get_document", { p_id: id })).status, "uploaded");
  });

  test("a symbol of refresh is subscribed to", async () => {
    await fine("supported_symbols", { symbol: "ACME" }, { token: serviceToken });
    assert.deepEqual(await fine("rpc/upsert_active_subscription_v2", { p_symbol: "ACME", p_data_type: "quote" }), { status: "new", queued: 1 });
  });

  test("an export is asked for", async () => {
    const [{ id }] = await fine("documents", { title: "Resume", data: {} }, { prefer: "return=representation" });
    assert.equal((await fine("rpc/request_export", { p_document_id: id })).status, "pending");
  });

  test("a workflow is started", async () => {
    assert.equal((await fine("rpc/start_workflow", { p_type: "echo", p_params: { message: "hello" } })).status, "queued");
  });

  test("without the header the applications are not there, and the engine is", async () => {
    assert.equal((await post("rpc/start_workflow", { p_type: "echo" }, { profile: null })).status, 404);
    assert.equal((await fine("rpc/submit_job", { p_kind: "echo", p_payload: { n: 1 } }, { profile: null })).status, "new");
  });
});
