// An application may lie in a schema of its own, beside tables of the user's that have the names of its tables. It is reached over HTTP
// as elsewhere: functions and worker know its schema, and name it as PostgREST's profile.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { exposed, migrations, variables } from "../../sdk/local/stack/applications.mjs";
import { author, readEvents, startExports } from "../exports/harness.mjs";

test("a stack installs what goes into one schema by one command", () => {
  assert.deepEqual(migrations("all", {}), [["--with", "all"]]);
  assert.deepEqual(migrations("none", {}), [[]]);
  assert.deepEqual(migrations(["exports", "refresh"], {}), [["--with", "exports,refresh"]]);
  assert.deepEqual(migrations("all", { exports: "acme", documents: "acme" }),
    [["--with", "documents,exports", "--schema", "acme"], ["--with", "refresh,workflows,compat"]]);
  assert.throws(() => migrations(["exports"], { documents: "acme" }), /documents, which the stack does not install/);
});

test("the gateway exposes each schema once, and each application has its variable", () => {
  assert.deepEqual(exposed({}), ["public"]);
  assert.deepEqual(exposed({ exports: "acme", documents: "acme", refresh: "other" }), ["public", "acme", "other"]);
  assert.deepEqual(variables({ exports: "acme" }), { EXPORTS_SCHEMA: "acme" });
});

const USERS_OWN = `
  create table public.documents (number int primary key, body text not null);
  insert into public.documents values (1, 'the user''s own'), (2, 'and another')`;

const ways = [
  { name: "exports alone, in workerd with R2", runtime: "workerd", storage: "r2", parts: ["gateway", "work", "workerd"],
    functions: ["export", "documents"], applications: ["exports"], schemas: { exports: "acme" } },
  { name: "exports alone, in deno with Supabase Storage", runtime: "deno", parts: ["gateway", "storage", "work", "deno"],
    functions: ["export"], applications: ["exports"], schemas: { exports: "acme" } },
];

for (const { name, runtime, ...options } of ways) {
  describe(name, () => {
    let stack, user, ground;
    const sql = (text, values) => stack.postgres.query(text, values);
    const users = async () => (await sql(`
      select (select json_agg(d order by d.number) from public.documents d) as rows,
             (select json_agg(a.attname order by a.attnum) from pg_attribute a where a.attrelid = 'public.documents'::regclass and a.attnum > 0) as columns,
             (select count(*)::int from pg_trigger t where t.tgrelid = 'public.documents'::regclass) as triggers`)).rows;
    before(async () => {
      stack = await startExports(`schema-${runtime}`, { ground: USERS_OWN, ...options });
      user = await author(stack);
      ground = await users();
    });
    after(() => stack?.destroy());

    test("an export is asked for, made by the worker and downloaded", async () => {
      const { id } = await user.order(await user.write("In a schema of its own"));
      const done = await user.ended(id);
      assert.equal(done.status, "completed", JSON.stringify(done));
      const { events } = await readEvents(await user.open(`v1/exports/${id}/events`));
      assert.equal(events.at(-1).event, "completed");
      const file = await user.open(`v1/exports/${id}/download`);
      assert.equal(file.status, 200, await file.clone().text());
      assert.equal(Buffer.from(await file.arrayBuffer()).subarray(0, 5).toString(), "%PDF-");
      assert.deepEqual((await user.call("GET", "v1/exports")).json.map((one) => one.id), [id]);
    });

    test("a repeat under an idempotency key is the first answer", async () => {
      const document_id = await user.write("Asked for twice");
      const order = (template) => user.call("POST", "v1/exports", { body: { document_id, template }, headers: { "idempotency-key": "twice" } });
      const first = await order("modern");
      assert.equal(first.status, 202, first.text);
      assert.equal((await order("modern")).json.id, first.json.id);
      assert.equal((await order("classic")).json.code, "other_body");
    });

    test("nothing of the application is in public", async () => {
      const { rows } = await sql(`
        select p.proname::text as name from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname ~ 'export'
        union all
        select c.relname::text from pg_class c where c.relnamespace = 'public'::regnamespace and c.relname ~ 'export'`);
      assert.deepEqual(rows, []);
      const unnamed = await fetch(`${stack.url}/rest/v1/rpc/list_exports`, {
        method: "POST", body: "{}", headers: { authorization: `Bearer ${user.token}`, "content-type": "application/json" } });
      assert.deepEqual([unnamed.status, (await unnamed.json()).code], [404, "PGRST202"]);
    });

    test("the user's own table is as it was", async () => {
      assert.deepEqual(ground, [{
        rows: [{ number: 1, body: "the user's own" }, { number: 2, body: "and another" }], columns: ["number", "body"], triggers: 0 }]);
      assert.deepEqual(await users(), ground);
    });
  });
}
