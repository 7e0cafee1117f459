// sdk/local/deploy/functions.mjs says what each function is deployed with. Here it is compared with what the code reads, with the repository's own
// wrangler.toml, and with the table in docs/deploy.md: a new binding cannot be forgotten in one of them.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";
import { readFunctions } from "../../sdk/local/stack/wrangler.mjs";
import { bindingsOf, COMMON, FUNCTIONS, GENERATED, STORES, table, WORKER } from "../../sdk/local/deploy/functions.mjs";

const read = (file) => fs.readFileSync(path.join(root, file), "utf8");
const rust = (folder) => fs.readdirSync(path.join(root, folder), { recursive: true }).filter((name) => name.endsWith(".rs") && !/(^|\/)tests?(\/|\.rs$)/.test(name))
  .map((name) => read(path.join(folder, name)).replace(/#\[cfg\(test\)\]\nmod tests \{[\s\S]*$/, "")).join("\n");
const unique = (names) => [...new Set(names)].sort();
const SCHEMAS = [...rust("shared/rpc/src").matchAll(/=> "([A-Z]+_SCHEMA)"/g)].map((match) => match[1]);

// What calls of shared/edge read. Each is a way by which a function gets at bindings without spelling their names.
const READS = [
  [/./, ["SUPABASE_URL", "CORS_ORIGINS", "CORS_ORIGIN", "FUNCTION_NAME"]],
  [/\brpc_for(_reader)?\(/, ["SUPABASE_ANON_KEY"]],
  [/\bservice_rpc\(|\bopen_for_service\(|\.wakes\(/, ["SUPABASE_SERVICE_ROLE_KEY"]],
  [/\bStore::open|\bfiles_signer\(/, ["STORAGE", "FILES", "FILES_SECRET", "FILES_URL"]],
  [/\bsigned_body\(|\bCaller::Postgres\b/, ["INVOKE_SECRET"]],
  [/\bsse::reply/, ["SSE_SECONDS"]],
];
// Names that no deployment of today sets: the name of release 0.1.0, and the name of a host of one's own, which the router makes needless.
const OLDER = ["CORS_ORIGIN", "FUNCTION_NAME"];
const named = (text) => [...text.matchAll(/\b(?:optional|required|key|bucket|var|secret|holds|must_hold|Holder)\(\s*(?:config,\s*)?"([A-Z][A-Z0-9_]+)"/g)].map((match) => match[1]);

const readBy = (name) => {
  const text = rust(`functions/${name}/src`);
  const built = [...text.matchAll(/binding\("([A-Z_]+)"\)/g)].map((match) => `FMP_${match[1]}`); // by provider; fmp is the one that is built in
  return unique([...named(text), ...built, ...READS.filter(([call]) => call.test(text)).flatMap(([, names]) => names)].filter((one) => !OLDER.includes(one)));
};

test("every folder of functions/ is in the list of what functions are deployed with, and nothing else is", () => {
  assert.deepEqual(Object.keys(FUNCTIONS).sort(), fs.readdirSync(path.join(root, "functions")).sort());
});

test("every binding that shared/edge reads belongs to a call that this test knows", () => {
  const known = new Set(READS.flatMap(([, names]) => names));
  const all = unique(named(rust("shared/edge/src")));
  assert.ok(all.length >= 10, all.join(" "));
  assert.deepEqual(all.filter((name) => !known.has(name)), []);
  assert.deepEqual([...known].filter((name) => !all.includes(name)), []);
});

for (const [name, listed] of Object.entries(FUNCTIONS)) {
  test(`the function ${name} reads exactly the bindings that the list says`, () => {
    const { vars, secrets, bucket, optional } = bindingsOf(name, "r2");
    const all = [...vars, ...secrets, ...(listed.files?.supabase ?? []), ...(bucket ? [bucket] : []), ...optional.vars, ...optional.secrets].filter((one) => !SCHEMAS.includes(one));
    assert.deepEqual(unique(all), readBy(name));
  });

  test(`the further names of the function ${name} are those that its code answers by`, () => {
    const text = rust(`functions/${name}/src`);
    const constant = (word) => new RegExp(`const ${word.split("::").pop()}: &str = "([^"]+)"`).exec(text)?.[1];
    const known = [...text.matchAll(/\.also_known_as\(([^)]+)\)/g)].map(([, word]) => word.startsWith('"') ? word.slice(1, -1) : constant(word));
    assert.deepEqual((listed.names ?? []).toSorted(), known.toSorted());
  });
}

test("every variable that names a schema belongs to a function, as an optional one", () => {
  assert.equal(SCHEMAS.length, 4);
  const listed = Object.values(FUNCTIONS).flatMap(({ optional }) => optional?.vars ?? []);
  assert.deepEqual(SCHEMAS.filter((name) => !listed.includes(name)), []);
});

test("every secret is made by the command, brought by the user, or given by Supabase", () => {
  const all = unique([...Object.values(FUNCTIONS).flatMap(({ secrets, files }) => [...secrets, ...(files?.supabase ?? [])]), ...STORES.r2.secrets, ...WORKER.secrets]);
  assert.deepEqual(all.filter((name) => !(name in GENERATED) && !["SUPABASE_ANON_KEY", "SUPABASE_SERVICE_ROLE_KEY"].includes(name)), []);
  assert.deepEqual(Object.keys(GENERATED).filter((name) => !all.includes(name)), []);
});

test("the container worker reads what it is given", () => {
  const text = rust("worker/runner/src");
  for (const name of [...WORKER.vars, ...WORKER.secrets, ...WORKER.r2.vars, ...WORKER.r2.secrets]) assert.match(text, new RegExp(`"${name}"`), name);
});

test("wrangler.toml of the repository gives each function its variables, its bucket and its triggers, and no others", () => {
  for (const { name, of, vars, buckets, crons } of readFunctions().functions) {
    const { bucket, crons: listed } = bindingsOf(of, "r2");
    assert.deepEqual(Object.keys(vars).filter((one) => one !== "FUNCTION_NAME"), COMMON.vars, name);
    assert.deepEqual(Object.keys(buckets), bucket ? [bucket] : [], name);
    assert.deepEqual(crons, name === of ? listed : [], name);
  }
});

test("the comment in wrangler.toml lists each secret with the functions that need it", () => {
  const lines = [...read("wrangler.toml").matchAll(/^# {3}([A-Z_]+) +([a-z, ]+?)(?:;.*)?$/gm)].map(([, secret, functions]) => [secret, functions.split(", ").sort()]);
  const wanted = {};
  for (const name of Object.keys(FUNCTIONS)) for (const secret of bindingsOf(name, "r2").secrets) (wanted[secret] ??= []).push(name);
  assert.deepEqual(Object.fromEntries(lines.filter(([name]) => name in wanted)), Object.fromEntries(Object.entries(wanted).map(([name, functions]) => [name, functions.sort()])));
});

test("docs/deploy.md shows the list as it is", () => {
  assert.ok(read("docs/deploy.md").includes(table()), `docs/deploy.md should have:\n\n${table()}\n`);
});
