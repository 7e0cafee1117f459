// `gristmill smoke` against a whole local stack, and against one with a part that is damaged: what it says, what it writes, and what it leaves behind.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startStack } from "../support.mjs";
import { Project } from "./platforms.mjs";

const ORIGIN = "https://app.example.com";
let stack, project;
before(async () => {
  stack = await startStack("smoke", { parts: ["gateway", "relay", "storage", "workerd", "work"], realtime: true, env: { functions: { CORS_ORIGINS: ORIGIN }, gateway: { CORS_ORIGINS: ORIGIN } } });
  project = new Project({ commands: [], control: "" }, { SUPABASE_ANON_KEY: stack.anonKey, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey, GRISTMILL_JWT_SECRET: stack.secrets.jwtSecret,
    HEALTH_TOKEN: stack.secrets.healthToken, GRISTMILL_DATABASE_URL: stack.databaseUrl });
});
after(async () => {
  project?.remove();
  await stack?.destroy();
});
const smoke = (...args) => project.gristmill("smoke", "--url", stack.url, ...args);
const report = (name = "gristmill-smoke") => JSON.parse(project.read(`${name}.json`));
const results = (name) => Object.fromEntries(report(name).lines.map(({ line, result }) => [line, result]));

// Whatever was written or shown has no secret of the stack, no token, no id and no address of a person.
function holdsNothingPrivate(text) {
  const secrets = { anonKey: stack.anonKey, serviceKey: stack.serviceKey, databaseUrl: stack.databaseUrl, ...stack.secrets };
  for (const [name, secret] of Object.entries(secrets)) assert.ok(!text.includes(secret), `${name} is in it`);
  assert.doesNotMatch(text, /eyJ[\w-]+\.|whsec_|postgres(ql)?:\/\/|[\w.+-]+@[\w-]+\.\w|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/i);
}

test("smoke goes every way through a whole stack, times jobs, says what the database is, and leaves nothing behind", async () => {
  const count = async () => (await stack.postgres.query(`select (select count(*) from public.shell_files)::int as files, (select count(*) from public.documents)::int as documents,
    (select count(*) from public.export_history)::int as exports`)).rows[0];
  const { code, output } = await smoke("--origin", ORIGIN, "--jobs", "5");
  assert.equal(code, 0, output);
  assert.deepEqual(new Set(Object.values(results())), new Set(["ok"]), output);
  const { latency, versions, database } = report();
  assert.ok(latency.inPostgres.p50 > 0 && latency.inPostgres.p50 <= latency.inPostgres.p95, JSON.stringify(latency));
  assert.equal(Object.keys(versions).length, 10);
  assert.deepEqual(Object.keys(database), ["Postgres", "pg_net", "pg_cron"]);
  assert.deepEqual(await count(), { files: 0, documents: 0, exports: 0 });
  for (const text of [output, project.read("gristmill-smoke.md"), project.read("gristmill-smoke.json")]) holdsNothingPrivate(text);
});

test("smoke against a stack whose worker is gone fails in exactly the lines that need one, with exit code 1, and still cleans up", async () => {
  await stack.parts.work.stop();
  const { code, output } = await smoke("--jobs", "1", "--timeout", "4", "--report", "damaged");
  assert.equal(code, 1, output);
  const failed = Object.entries(results("damaged")).filter(([, result]) => result === "FAILED").map(([line]) => line);
  assert.deepEqual(failed, ["upload → understood → download", "export → download"], output);
  assert.match(output, /is the container worker running\?/);
  holdsNothingPrivate(project.read("damaged.md"));
  holdsNothingPrivate(project.read("damaged.json"));
});

test("smoke says that an origin is not allowed, and that functions which do not answer are down", async () => {
  await stack.parts.workerd.stop();
  const { code, output } = await smoke("--origin", "https://elsewhere.example", "--jobs", "1", "--timeout", "2", "--report", "down");
  assert.equal(code, 1, output);
  const found = results("down");
  assert.deepEqual([found.functions, found.health, found.CORS], ["FAILED", "FAILED", "FAILED"], output);
  assert.equal(found.database, "ok");
});

test("smoke refuses to begin without a key, without an address or without a user, with exit code 2", async () => {
  const bare = new Project({ commands: [], control: "" });
  try {
    for (const [args, env, says] of [[["smoke"], {}, /--url/], [["smoke", "--url", stack.url], {}, /SUPABASE_ANON_KEY/], [["smoke", "--url", stack.url], { SUPABASE_ANON_KEY: stack.anonKey }, /no user can be had/],
      [["smoke", "--url", stack.url, "--jobs", "many"], {}, /--jobs is a whole number/]]) {
      bare.env = env;
      const { code, output } = await bare.gristmill(...args);
      assert.equal(code, 2, output);
      assert.match(output, says);
    }
    assert.deepEqual(bare.files(), {});
  } finally {
    bare.remove();
  }
});
