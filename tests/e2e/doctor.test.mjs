// gristmill doctor on a sound stack, and on one with each thing broken: it names it, says how to mend it, and exits 1.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startStack } from "../support.mjs";

let stack;
before(async () => {
  stack = await startStack("doctor");
  await stack.postgres.query("select mill.record_heartbeat(name) from mill.schedule");
});
after(() => stack?.destroy());

async function doctor(...args) {
  try {
    return { code: 0, output: await stack.gristmill("doctor", ...args) };
  } catch (error) {
    return { code: error.code, output: error.stdout + error.stderr };
  }
}

test("a sound deployment passes every check", async () => {
  const { code, output } = await doctor();
  assert.equal(code, 0, output);
  assert.ok(output.split("\n").filter((line) => line.startsWith("  ok ")).length >= 15, output);
});

const faults = [
  ["schema", "delete from mill.migration where path = 'engine/claim/claim.sql'",
    "insert into mill.migration select 'engine/claim/claim.sql', checksum from saved where path = 'engine/claim/claim.sql'", /sql\/engine\/claim\/claim\.sql is missing or old[\s\S]*gristmill migrate/],
  ["roles", "alter role authenticated bypassrls", "alter role authenticated nobypassrls", /role authenticated may go around row level security/],
  ["grants", "grant usage on schema mill to anon; grant execute on function mill.now() to anon", "revoke usage on schema mill from anon; revoke execute on function mill.now() from anon", /mill\.now\(\) may be called by anon/],
  ["row level security", "create table public.leak (a int); grant select on public.leak to anon", "drop table public.leak", /leak has none[\s\S]*enable row level security/],
  ["search paths", "create function public.loose() returns int language sql security definer as 'select 1'", "drop function public.loose()", /loose\(\)[\s\S]*set search_path/],
  ["restored schedules", "update cron.job set database = 'elsewhere' where jobname = 'check-stale-data'", "select mill.install_schedules()",
    /check-stale-data: the cron job is for database elsewhere[\s\S]*gristmill migrate/],
  ["schedules", "update mill.heartbeat set at = at - interval '1 hour' where part = 'check-stale-data'", "select mill.record_heartbeat('check-stale-data')", /check-stale-data last ran 36\d\d s ago/],
  ["functions address", "delete from mill.settings where key = 'functions.base_url'", null, /gristmill configure --functions-url/],
  ["functions", "update mill.settings set value = 'http://127.0.0.1:9/functions/v1' where key = 'functions.base_url'", null, /127\.0\.0\.1:9\/functions\/v1\/health cannot be reached/],
  ["signing key", "delete from mill.secret", null, /INVOKE_SECRET/],
  ["secrets", "insert into mill.settings (key, value) values ('oops', 'whsec_c2VjcmV0')", "delete from mill.settings where key = 'oops'", /oops looks like a secret/],
  ["partitions", "do $$ begin execute 'drop table mill.job_done_' || to_char((now() at time zone 'UTC')::date + 1, 'YYYYMMDD'); end $$", "select mill.maintain()", /tomorrow has no partition/],
];
for (const [name, breaking, mending, says] of faults) {
  test(`${name}: it is named, with how to mend it`, async () => {
    await stack.postgres.query("create table if not exists saved as select * from mill.migration; alter table saved enable row level security");
    await stack.postgres.query(breaking);
    const { code, output } = await doctor();
    assert.equal(code, 1, output);
    assert.match(output, new RegExp(`^  WRONG ${name}$`, "m"));
    assert.match(output, says);
    assert.ok(!output.includes("c2VjcmV0"), "it repeats no secret");
    if (mending) await stack.postgres.query(mending);
    else await stack.gristmill("configure", "--functions-url", `${stack.url}/functions/v1`);
    const mended = await doctor();
    assert.equal(mended.code, 0, mended.output);
  });
}

// What the installed release has made: each is named, and the SQL below the arrow mends it as it is printed.
const damages = [
  ["a grant on a function is revoked", "revoke execute on function public.claim_jobs(text, text[], int, text[], uuid, boolean) from service_role",
    "grant of execute on function public.claim_jobs(text,text[],integer,text[],uuid,boolean) to service_role is missing"],
  ["a grant on a table is revoked", "revoke select on public.documents from authenticated", "grant of select on table public.documents to authenticated is missing"],
  ["an index is dropped", "drop index mill.alert_resolved", "index mill.alert_resolved is missing"],
  ["a unique index is dropped", "drop index mill.one_open_alert_a_subject", "index mill.one_open_alert_a_subject is missing"],
  ["the pump is unscheduled", "select cron.unschedule('process-queue-batch')", "schedule process-queue-batch is not in cron.job"],
  ["the pump is inactive", "update cron.job set active = false where jobname = 'process-queue-batch'", "schedule process-queue-batch is inactive in cron.job"],
  ["a function is missing", "drop function mill.settle(text, jsonb)", "function mill.settle(text,jsonb) is missing"],
  ["triggers are disabled", "alter table mill.queue disable trigger user", "trigger open_line_on_new_queue on mill.queue is disabled"],
  ["row level security is off", "alter table public.quotes disable row level security", "row level security of public.quotes is off"],
];
for (const [what, breaking, finding] of damages) {
  test(`damage: ${what}: it is named, and the SQL that is printed mends it`, async () => {
    await stack.postgres.query(breaking);
    const { code, output } = await doctor("--offline");
    assert.equal(code, 1, output);
    assert.ok(output.includes(`  WRONG damage\n`) && output.includes(`          ${finding}\n`), output);
    for (const sql of printedMends(output)) await stack.postgres.query(sql);
    const mended = await doctor("--offline");
    assert.equal(mended.code, 0, mended.output);
  });
}

/** What stands behind the arrows below "damage": a statement goes on in lines that are indented further than findings. */
function printedMends(output) {
  const [section] = /^ {2}WRONG damage\n(?: {8,}.*\n| *\n)*/m.exec(output);
  return [...section.matchAll(/^ {8}→ (.*(?:\n {12}.*)*)$/gm)].map(([, text]) => text.replaceAll("\n            ", "\n"));
}

test("damage from before a migration is still named after it", async () => {
  await stack.postgres.query(`drop index mill.alert_resolved; create table if not exists saved as select * from mill.migration; alter table saved enable row level security;
    delete from mill.migration where path = 'engine/claim/claim.sql'`);
  await stack.gristmill("migrate");
  const { output } = await doctor("--offline");
  assert.match(output, /index mill\.alert_resolved is missing/);
  for (const sql of printedMends(output)) await stack.postgres.query(sql);
  const mended = await doctor("--offline");
  assert.equal(mended.code, 0, mended.output);
});

test("a key that the functions do not have is named as such, and configure mends it", async () => {
  await stack.gristmill("configure", "--invoke-secret", `whsec_${Buffer.from("another key than that of the functions").toString("base64")}`);
  const { code, output } = await doctor();
  assert.equal(code, 1, output);
  assert.match(output, /^ {2}WRONG invocations believed\n {10}processor refuses what Postgres signs.*\n {8}→ Run: gristmill configure --invoke-secret/m);
  await stack.gristmill("configure", "--invoke-secret", stack.secrets.invokeSecret);
  const mended = await doctor();
  assert.equal(mended.code, 0, mended.output);
});

test("an address at which something else answers is named, and configure mends it", async () => {
  await stack.gristmill("configure", "--functions-url", `${stack.url}/rest/v1`);
  const { code, output } = await doctor();
  assert.equal(code, 1, output);
  assert.match(output, /^ {2}WRONG functions\n.*health[\s\S]*gristmill configure --functions-url/m);
  await stack.gristmill("configure", "--functions-url", `${stack.url}/functions/v1`);
  const mended = await doctor();
  assert.equal(mended.code, 0, mended.output);
});

test("a database in which nothing can be written is named as such, and no migration is asked for", async () => {
  await stack.postgres.query("alter database gristmill set default_transaction_read_only = on");
  const { code, output } = await doctor("--offline");
  assert.equal(code, 1, output);
  assert.match(output, /^ {2}WRONG writing\n {10}the database is read-only/m);
  assert.doesNotMatch(output, /gristmill migrate/);
  await stack.postgres.query("begin read write; alter database gristmill reset default_transaction_read_only; commit");
  const mended = await doctor("--offline");
  assert.equal(mended.code, 0, mended.output);
});

test("without a database it says so in a sentence", async () => {
  const { code, output } = await doctor("--database-url", "postgres://nobody:canary@127.0.0.1:9/none");
  assert.equal(code, 1);
  assert.match(output, /cannot connect to Postgres at 127\.0\.0\.1:9/);
  assert.ok(!output.includes("canary"));
});
