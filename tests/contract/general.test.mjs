// What Postgres has, held to the contract (catalog.mjs), and the contract's general rules: where compatible names are defined, which relations take an upsert, and
// what null means.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import pg from "pg";

import { root } from "../../sdk/local/stack/paths.mjs";
import { startStack } from "../support.mjs";
import { checkCatalog } from "./catalog.mjs";
import { readContract } from "./contract.mjs";

// The contract also has lines about calls of our own, for which these rules do not hold.
const OURS = ["claim_jobs", "limit_of_call", "issue_ticket", "read_with_ticket"];
const contract = readContract().filter(({ object }) => !OURS.includes(object));
const named = (...words) => [...new Set(contract.filter(({ what }) => words.includes(what)).map(({ object }) => object))];
const rpcs = named("parameter", "returns", "result", "execute");
const relations = named("column", "order", "may");

let stack, client;
before(async () => {
  stack = await startStack("contract-general", { parts: [] });
  client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
});
after(async () => {
  await client?.end();
  await stack?.destroy();
});

const rows = async (sql, values) => (await client.query(sql, values)).rows;

// Before anything here has written.
checkCatalog(rows);

/** The parts of sql/manifest.txt with their files. */
function parts() {
  const found = [];
  for (const [word, name, kind] of fs.readFileSync(path.join(root, "sql/manifest.txt"), "utf8").split("\n").map((line) => line.split(/\s+/))) {
    if (word === "part") found.push({ name, kind, files: [] });
    else if (word === "once" || word === "always") found.at(-1).files.push(name);
  }
  return found;
}

const text = (file) => fs.readFileSync(path.join(root, "sql", file), "utf8").replace(/--.*$/gm, "");

test("K1: every compatible relation and RPC is made in sql/compat or by the application that it belongs to", () => {
  const makers = parts().flatMap(({ name, kind, files }) => files.flatMap((file) =>
    [...text(file).matchAll(/create (?:or replace )?(?:function|view|table)(?: if not exists)? public\.(\w+)/g)].map(([, object]) => ({ object, name, kind, file }))));
  for (const object of [...rpcs, ...relations]) {
    const found = makers.filter((maker) => maker.object === object);
    assert.deepEqual(found.length, 1, `${object} is made by ${found.map(({ file }) => file).join(", ") || "no file"}`);
    assert.notEqual(found[0].kind, "base", `${object} is made by ${found[0].file}, which is part of the engine`);
  }
});

test("K1: no file of the engine speaks of a compatible relation or RPC", () => {
  const compatible = new RegExp(`\\bpublic\\.(${[...rpcs, ...relations].join("|")})\\b`);
  const spoken = parts().filter(({ kind }) => kind === "base").flatMap(({ files }) => files.filter((file) => compatible.test(text(file))));
  assert.deepEqual(spoken, []);
});

// 4, 8 and 16: UPDATE, INSERT and DELETE work without a trigger.
const updatable = async (name) => (await rows("select c.relkind, pg_relation_is_updatable(c.oid, false) & 28 = 28 as is_updatable from pg_class c where c.oid = to_regclass($1)", [`public.${name}`]))[0];

for (const name of ["system_configuration", "audit_log", "api_rate_limits"]) {
  test(`K1: ${name}, which the engine needs itself, is a simple updatable view over mill`, async () => {
    assert.deepEqual(await updatable(name), { relkind: "v", is_updatable: true });
  });
}

// K2 names five. export_history has triggers too: deleting a row deletes its file. No client upserts it.
const TRIGGERED = ["api_call_queue", "export_history", "export_jobs", "job_queue", "job_tasks", "jobs"];
test("K2: INSTEAD OF triggers serve job_queue, api_call_queue, export_jobs, jobs and job_tasks, and nothing that a client upserts", async () => {
  const found = await rows(`select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where t.tgtype & 64 <> 0 and not t.tgisinternal and c.relnamespace = 'public'::regnamespace order by 1`);
  assert.deepEqual(found.map(({ name }) => name), TRIGGERED);
  assert.deepEqual(Object.keys(UPSERTS).filter((name) => TRIGGERED.includes(name)), []);
});

const owner = "11111111-1111-4111-8111-111111111111";
const profile = "33333333-3333-4333-8333-333333333333";

/** Runs statements as a role, as PostgREST does, in a transaction that is rolled back. The answer is the rows, or the SQLSTATE. */
async function as(role, sub, { ground = [], statement, values = [], look }) {
  await client.query("begin");
  try {
    for (const sql of ground) await client.query(sql);
    await client.query("select set_config('request.jwt.claims', $1, true)", [JSON.stringify({ role, ...(sub && { sub }) })]);
    await client.query(`set local role ${role}`);
    const answer = [];
    for (const one of [statement].flat()) answer.push((await client.query(one, values)).rows);
    await client.query("reset role");
    return { answer, look: look && await rows(look) };
  } finally {
    await client.query("rollback");
  }
}

const people = `insert into user_profiles (id, user_id, is_default) values ('${profile}', '${owner}', true)`;
// As PostgREST sends an upsert: every column that was given is set again.
const upsert = (table, conflict, row) => {
  const columns = Object.keys(row);
  return `insert into public.${table} (${columns}) values (${Object.values(row)}) on conflict (${conflict}) do update set ${columns.map((column) => `${column} = excluded.${column}`)} returning *`;
};
const UPSERTS = {
  shell_files: { role: "authenticated", sub: owner, ground: [people, `select public.note_object('medical-docs:${owner}/1_a.pdf', 3, 'application/pdf')`],
    statement: upsert("shell_files", "idempotency_key", { patient_id: `'${profile}'`, filename: "'a.pdf'", original_filename: "'a.pdf'", file_size_bytes: 3, mime_type: "'application/pdf'",
      storage_path: `'${owner}/1_a.pdf'`, idempotency_key: "'a.pdf-3'", status: "'uploaded'" }) },
  active_subscriptions_v2: { role: "service_role", ground: ["insert into supported_symbols (symbol) values ('ABC')"],
    statement: upsert("active_subscriptions_v2", "user_id, symbol, data_type", { user_id: `'${owner}'`, symbol: "'ABC'", data_type: "'quote'" }) },
  api_rate_limits: { role: "service_role", statement: upsert("api_rate_limits", "provider_name, api_endpoint", { provider_name: "'p'", api_endpoint: "'e'", requests_per_minute: 3 }) },
  system_configuration: { role: "service_role", statement: upsert("system_configuration", "config_key", { config_key: "'queue.payload_max_bytes'", config_value: "'70000'", config_type: "'system'" }) },
  subscription_plans: { role: "service_role", statement: upsert("subscription_plans", "plan_type", { plan_type: "'free'", display_name: "'Free'", monthly_price_cents: 0 }) },
  data_type_registry: { role: "service_role", statement: upsert("data_type_registry", "data_type", { data_type: "'quote'", table_name: "'quotes'", default_ttl_minutes: 2 }) },
  documents: { role: "authenticated", sub: owner, statement: upsert("documents", "id", { id: `'${profile}'`, title: "'CV'", data: "'{}'" }) },
};

for (const [name, { role, sub, statement, ...rest }] of Object.entries(UPSERTS)) {
  test(`K2: ${name} is a table or an updatable view, and ${role} upserts a row twice in SQL`, async () => {
    const { relkind, is_updatable: isUpdatable } = await updatable(name);
    assert.ok(relkind === "r" || relkind === "p" || isUpdatable, `${name} is neither a table nor an updatable view`);
    const { answer: [first, second] } = await as(role, sub, { ...rest, statement: [statement, statement] });
    assert.deepEqual([first.length, second.length], [1, 1]);
    const key = (row) => row.id ?? row.config_key ?? row.data_type ?? `${row.provider_name} ${row.api_endpoint}`;
    assert.equal(key(second[0]), key(first[0]), "the second upsert finds the row of the first");
  });
}

// K3: how each RPC with a default is called so that the default matters, and where to look.
const job = "select public.enqueue_job_v3('report_generation', 'x', '{\"a\": 1}')";
const held = `${job}; select public.claim_next_job_v3('w', array['report_generation'])`;
const service = (scene) => ({ role: "service_role", ...scene });
const SCENES = {
  enqueue_job_v3: service({ args: { job_type: "report_generation", job_name: "x", job_payload: { a: 1 } }, look: "select job_category, priority, scheduled_at <= now() as is_due from public.job_queue" }),
  claim_next_job_v3: service({ finds: "job_types", ground: [job], args: { worker_id: "w" }, look: "select lease_until - started_at as lease from mill.job_live where worker = 'w'" }),
  update_job_heartbeat: service({ ground: [held], args: { p_job_id: "$job", p_worker_id: "w" }, look: "select lease_until - started_at as lease from mill.job_live where worker = 'w'" }),
  complete_job: service({ ground: [held], args: { p_job_id: "$job", p_worker_id: "w" }, look: "select state, result from mill.job where kind = 'report_generation'" }),
  reschedule_job: service({ ground: [held], args: { p_job_id: "$job", p_delay_seconds: 1000, p_reason: "x" },
    look: "select state, run_at - now() between interval '1000 s' and interval '1030 s' as has_jitter from mill.job_live where kind = 'report_generation'" }),
  acquire_api_capacity: service({ ground: ["insert into mill.api_rate_limits (provider_name, api_endpoint, tokens_per_minute) values ('p', 'e', 1500)"],
    args: { p_provider_name: "p", p_api_endpoint: "e" }, times: 2 }),
  release_api_capacity: service({ ground: ["insert into mill.api_rate_limits (provider_name, api_endpoint, tokens_per_minute) values ('p', 'e', 1500)", "select public.acquire_api_capacity('p', 'e')"],
    args: { p_provider_name: "p", p_api_endpoint: "e" } }),
  track_shell_file_upload_usage: { role: "authenticated", sub: owner, ground: [people], args: { p_profile_id: profile, p_shell_file_id: randomUUID(), p_file_size_bytes: 10 } },
  track_ai_processing_usage: service({ ground: [people], args: { p_profile_id: profile, p_job_id: randomUUID(), p_tokens_used: 5 } }),
  check_and_queue_stale_data_from_presence: service({ args: {} }),
  check_and_queue_stale_data_from_presence_v2: service({ args: {} }),
  get_queue_batch: service({ ground: ["insert into supported_symbols (symbol) select 'S' || n from generate_series(1, 60) n", "select public.queue_refresh_if_not_exists('S' || n, 'quote', 5, 10) from generate_series(1, 60) n"],
    args: {}, look: "select count(*)::int from mill.job_live where state = 'processing'" }),
  queue_refresh_if_not_exists: service({ ground: ["insert into supported_symbols (symbol) values ('ABC')"], args: { p_symbol: "ABC", p_data_type: "quote" },
    look: "select priority from mill.job_live" }),
  check_and_queue_stale_batch: { role: "authenticated", sub: owner,
    ground: ["insert into supported_symbols (symbol) values ('ABC')", `insert into active_subscriptions_v2 (user_id, symbol, data_type) values ('${owner}', 'ABC', 'quote')`],
    args: { p_symbol: "ABC", p_data_types: ["quote"] },
    look: "select priority from mill.job_live" },
  recover_stuck_jobs: service({ args: {} }),
  is_quota_exceeded: service({ args: {} }),
  check_cron_job_health: service({ args: {} }),
  fetch_next_export_job: service({ finds: "p_user_id", ground: [`insert into documents (id, owner, title, data) values ('${profile}', '${owner}', 'CV', '{}')`,
    `select set_config('request.jwt.claims', '{"role": "service_role"}', true); insert into public.export_jobs (user_id, document_id, format) values ('${owner}', '${profile}', 'pdf')`], args: {},
    look: "select state from mill.job_live where kind = 'export_pdf'" }),
  claim_tasks: service({ finds: "p_task_types", ground: ["insert into workflow_definition (type, tasks) values ('album', '[]')",
    `select set_config('request.jwt.claims', '{"role": "service_role"}', true); insert into public.jobs (user_id, type) values ('${owner}', 'album')`,
    "insert into public.job_tasks (job_id, task_type, sequence, input) select j.id, 'echo', n, '{}' from public.jobs j, generate_series(1, 8) n"], args: { p_worker_id: "w" },
    look: "select count(*)::int from mill.job_live where state = 'processing'" }),
};

// Ids and times differ from call to call.
const same = (value) => JSON.stringify(value).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID").replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME").replace(/"milliseconds":[\d.]+/g, '"milliseconds":0');

async function outcome(name, { args, times = 1, ground = [], role, sub, look }) {
  const argument = (value) => (value === null ? "null" : Array.isArray(value) ? `array[${value.map((one) => `'${one}'`)}]` : typeof value === "object" ? `'${JSON.stringify(value)}'`
    : value === "$job" ? "(select id from k3_job)" : typeof value === "string" ? `'${value}'` : value);
  const list = Object.entries(args).map(([parameter, value]) => `${parameter} => ${argument(value)}`).join(", ");
  return same(await as(role, sub, {
    ground: [...ground, "create temp table k3_job on commit drop as select id from mill.job where kind = 'report_generation'; grant select on k3_job to public"],
    statement: Array(times).fill(`select * from public.${name}(${list})`), look,
  }));
}

for (const name of rpcs) {
  const defaults = contract.filter(({ object, what, value }) => object === name && what === "parameter" && value !== "-");
  // Where the default is null, Postgres itself makes no difference.
  for (const { name: parameter, value } of defaults.filter((line) => !/^null\b/.test(line.value))) {
    test(`K3: null for ${parameter} of ${name} means its default, ${value}`, async () => {
      const scene = SCENES[name];
      assert.ok(scene, `SCENES does not say how ${name} is called`);
      const omitted = await outcome(name, scene);
      assert.equal(await outcome(name, { ...scene, args: { ...scene.args, [parameter]: null } }), omitted);
    });
  }
  const { finds, ...scene } = SCENES[name] ?? {};
  if (finds) {
    test(`K3: null for ${finds} of ${name} matches everything, not nothing`, async () => {
      const { answer: [found] } = JSON.parse(await outcome(name, { ...scene, args: { ...scene.args, [finds]: null } }));
      assert.notEqual(found.length, 0);
    });
  }
}
