// On Supabase the roles and auth functions are there before us, and its default privileges give every new table and
// function in public to everybody. What is ours must come out the same: theirs untouched, nothing granted by accident.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import pg from "pg";

import { startStack } from "../support.mjs";

const GRANTS = `
  select 'table' as sort, format('%s.%s', n.nspname, c.relname) collate "C" as name, r.role, concat_ws(' ', ${["select", "insert", "update", "references"].map((right) =>
    `case when has_any_column_privilege(r.role, c.oid, '${right}') then '${right}' end`).join(", ")},
    ${["delete", "truncate", "trigger"].map((right) => `case when has_table_privilege(r.role, c.oid, '${right}') then '${right}' end`).join(", ")}) as rights
  from pg_class c join pg_namespace n on n.oid = c.relnamespace cross join unnest(array['anon', 'authenticated', 'service_role']) r(role)
  where n.nspname in ('public', 'mill') and c.relkind in ('r', 'p', 'v')
  union all
  select 'function', p.oid::regprocedure::text, r.role, has_function_privilege(r.role, p.oid, 'execute')::text
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace cross join unnest(array['anon', 'authenticated', 'service_role']) r(role)
  where n.nspname in ('public', 'mill')
  order by 1, 2, 3`;

let stack, supabase;
before(async () => {
  stack = await startStack("supabase-ground", { parts: [] });
  await stack.postgres.query("create database supabase_ground");
  supabase = new pg.Client({ connectionString: stack.databaseUrl.replace(/gristmill$/, "supabase_ground") });
  await supabase.connect();
  await supabase.query(`
    create schema auth;
    create function auth.uid() returns uuid language sql stable as $$ select nullif(current_setting('request.jwt.claim.sub', true), '')::uuid $$;
    create function auth.jwt() returns jsonb language sql stable as $$ select nullif(current_setting('request.jwt.claims', true), '')::jsonb $$;
    comment on function auth.uid() is 'Supabase''s own';
    grant usage on schema auth, public to anon, authenticated, service_role;
    alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
    alter default privileges in schema public grant all on functions to anon, authenticated, service_role;
    alter default privileges in schema public grant all on sequences to anon, authenticated, service_role`);
  const postgres = stack.postgres.url;
  const url = stack.databaseUrl.replace(/gristmill$/, "supabase_ground");
  stack.postgres.url = () => url;
  await stack.migrate();
  stack.postgres.url = postgres;
});
after(async () => {
  await supabase?.end();
  await stack?.destroy();
});

test("Supabase's own auth functions are left alone", async () => {
  const { rows: [{ comment, source }] } = await supabase.query(
    "select obj_description('auth.uid()'::regprocedure) as comment, prosrc as source from pg_proc where oid = 'auth.uid()'::regprocedure");
  assert.equal(comment, "Supabase's own");
  assert.match(source, /request\.jwt\.claim\.sub/);
});

test("its default privileges open nothing that is not open elsewhere", async () => {
  const [{ rows: here }, { rows: elsewhere }] = await Promise.all([supabase.query(GRANTS), stack.postgres.query(GRANTS)]);
  const known = new Map(elsewhere.map((row) => [`${row.sort} ${row.name} ${row.role}`, row.rights]));
  const wider = here.filter((row) => known.get(`${row.sort} ${row.name} ${row.role}`) !== row.rights);
  assert.ok(here.length > 100);
  assert.deepEqual(wider, []);
});
