// What Postgres has, held to the contract: names, types, defaults and grants, as the catalog knows them.
import assert from "node:assert/strict";
import { test } from "node:test";

import { readContract } from "./contract.mjs";

const contract = readContract();
const CLAUSES = [...new Set(contract.map(({ clause }) => clause))];
const RPC = ["parameter", "returns", "result", "execute"];
const RELATION = ["column", "order", "may"];

let rows;
// The objects that a clause has lines about, with those lines.
function of(clause, words) {
  const lines = contract.filter((line) => line.clause === clause && words.includes(line.what));
  return [...new Set(lines.map(({ object }) => object))].map((object) => [object, lines.filter((line) => line.object === object)]);
}
// Types and defaults are compared as Postgres itself writes them.
const written = async (type) => (await rows("select format_type(to_regtype($1), null) as type", [type]))[0].type ?? type;

async function checkRpc(name, lines) {
  const found = await rows(
    `select p.oid, p.proretset, format_type(p.prorettype, null) as returns, p.pronargs - p.pronargdefaults as required,
       array(select coalesce(a.name, '') from unnest(p.proargnames) with ordinality a(name, n) where p.proargmodes is null or p.proargmodes[a.n] in ('i', 'b')) as names,
       array(select format_type(t.oid, null) from unnest(p.proargtypes) with ordinality t(oid, n) order by t.n) as types,
       array(select pg_get_function_arg_default(p.oid, n) from generate_series(1, p.pronargs) n) as defaults,
       coalesce(array(select a.name from unnest(p.proargnames) with ordinality a(name, n) where p.proargmodes[a.n] in ('o', 't') order by a.n), '{}') as results,
       array(select format_type(p.proallargtypes[a.n], null) from unnest(p.proargnames) with ordinality a(name, n) where p.proargmodes[a.n] in ('o', 't') order by a.n) as result_types
     from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname = $1`, [name]);
  assert.equal(found.length, 1, `public.${name} exists once (it exists ${found.length} times)`);
  const [rpc] = found;
  const parameters = lines.filter(({ what }) => what === "parameter");
  for (const [at, line] of parameters.entries()) {
    assert.deepEqual([rpc.names[at], rpc.types[at]], [line.name, await written(line.type)], `${line.place}: parameter ${at + 1} of ${name}`);
    if (line.value === "-") {
      assert.ok(at < rpc.required, `${line.place}: ${line.name} of ${name} has a default that the contract does not know: ${rpc.defaults[at]}`);
    } else {
      assert.ok(at >= rpc.required, `${line.place}: ${line.name} of ${name} has no default`);
      const [{ same }] = await rows(`select (${rpc.defaults[at]}) is not distinct from (${line.value}) as same`);
      assert.ok(same, `${line.place}: ${line.name} of ${name} has the default ${rpc.defaults[at]}, not ${line.value}`);
    }
  }
  if (parameters.length > 0) assert.ok(rpc.required <= parameters.length, `${name}: a parameter that the contract does not know has no default`);
  for (const line of lines.filter(({ what }) => what === "returns")) {
    assert.deepEqual([rpc.returns, rpc.proretset], [await written(line.type), line.value === "set"], `${line.place}: what ${name} returns`);
  }
  const results = lines.filter(({ what }) => what === "result");
  if (results.length > 0) {
    const expected = await Promise.all(results.map(async ({ name: column, type }) => [column, await written(type)]));
    assert.deepEqual(rpc.results.map((column, at) => [column, rpc.result_types[at]]), expected, `the result columns of ${name}`);
  }
  for (const line of lines.filter(({ what }) => what === "execute")) {
    const [{ may }] = await rows("select has_function_privilege($1, $2::oid, 'execute') as may", [line.name, rpc.oid]);
    assert.equal(may ? "yes" : "no", line.value, `${line.place}: whether ${line.name} may call ${name}`);
  }
}

async function checkRelation(name, lines) {
  const columns = await rows(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, pg_get_expr(d.adbin, d.adrelid) as value
     from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped order by a.attnum`, [`public.${name}`]);
  assert.notEqual(columns.length, 0, `public.${name} does not exist`);
  const known = lines.filter(({ what }) => what === "column");
  for (const line of known) {
    const column = columns.find((one) => one.name === line.name);
    const [plain, modifier] = /^([^(]*)(\(.*\))?$/.exec(line.type).slice(1);
    assert.equal(column?.type, (await written(plain)) + (modifier ?? ""), `${line.place}: ${name}.${line.name}`);
    if (line.value !== "-") {
      const [{ same }] = await rows(`select (${column.value ?? "null"}) is not distinct from (${line.value}) as same`);
      assert.ok(same, `${line.place}: ${name}.${line.name} has the default ${column.value}, not ${line.value}`);
    }
  }
  if (lines.some(({ what }) => what === "order")) {
    assert.deepEqual(columns.slice(0, known.length).map((column) => column.name), known.map((line) => line.name), `the order of the columns of ${name}`);
  }
  for (const line of lines.filter(({ what }) => what === "may")) {
    const [{ may }] = await rows(
      `select coalesce(string_agg(p, ',' order by n), 'none') as may from unnest(array['select', 'insert', 'update', 'delete']) with ordinality u(p, n)
       where has_table_privilege($1, $2, p) or (p <> 'delete' and has_any_column_privilege($1, $2, p))`, [line.name, `public.${name}`]);
    assert.equal(may, line.value, `${line.place}: what ${line.name} may do with ${name}`);
  }
}

/** Makes one test per object of the contract. They ask Postgres by `query`, which gives rows. */
export function checkCatalog(query) {
  rows = query;
  for (const clause of CLAUSES) {
    for (const [object, lines] of of(clause, RPC)) {
      test(`${clause}: ${object} has the parameters, results and grants of the contract`, () => checkRpc(object, lines));
    }
    for (const [object, lines] of of(clause, RELATION)) {
      test(`${clause}: ${object} has the columns and grants of the contract`, () => checkRelation(object, lines));
    }
  }
}
