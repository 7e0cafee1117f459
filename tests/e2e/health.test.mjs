// Health on the running stack: each fault is named with 503, and 200 comes back when it is mended.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { readFunctions } from "../../sdk/local/stack/wrangler.mjs";
import { startStack, until } from "../support.mjs";

let stack;
before(async () => {
  stack = await startStack("health");
  // Cron would run the schedules at the next full minute: here the tests do it.
  await stack.postgres.query("select cron.unschedule(jobname) from cron.job");
  await stack.postgres.query("select pg_terminate_backend(pid) from pg_stat_activity where query = 'call mill.pump()'");
});
after(() => stack?.destroy());

const sql = (text) => stack.postgres.query(text);
const allRan = () => sql("select mill.record_heartbeat(name) from mill.schedule");
async function get(path = "", token) {
  const answer = await fetch(`${stack.url}/functions/v1/health${path}`, { headers: token ? { authorization: `Bearer ${token}` } : {} });
  const text = await answer.text();
  return { status: answer.status, type: answer.headers.get("content-type"), text, json: answer.headers.get("content-type")?.includes("json") && JSON.parse(text) };
}
const ailing = ({ json }) => json.checks.filter((check) => !check.ok).map((check) => check.name);
const isWell = async () => assert.deepEqual(ailing(await get()), []);

describe("health", () => {
  test("is 200 while all is well, with every check by name", async () => {
    await allRan();
    const { status, json } = await get();
    assert.equal(status, 200);
    assert.deepEqual(json.checks.map((check) => check.name).sort(),
      ["breakers", "cron", "dead_letters", "installation", "invocations", "oldest_due_job", "postgres", "quota", "storage", "workers", "writing"]);
  });

  test("names cron when it has stopped, with the schedule for who holds the token", async () => {
    await sql("update mill.heartbeat set at = at - interval '121 seconds' where part = 'process-queue-batch'");
    const open = await get();
    assert.equal(open.status, 503);
    assert.deepEqual(ailing(open), ["cron"]);
    assert.ok(!open.text.includes("process-queue-batch"), "the summary tells no details");
    const full = await get("", stack.secrets.healthToken);
    assert.match(full.json.checks.find((check) => check.name === "cron").details[0], /^process-queue-batch last ran 12\d s ago; cron does not have it$/);
    assert.ok(!(await get("", "wrong")).text.includes("details"));
    await sql("call mill.pump(0)");
    assert.equal((await get()).status, 200);
  });

  test("names an open breaker", async () => {
    await sql("select mill.set_breaker('processor', 'open', 'test')");
    const answer = await get();
    assert.equal(answer.status, 503);
    assert.deepEqual(ailing(answer), ["breakers"]);
    await sql("select mill.set_breaker('processor', 'closed', 'test')");
    assert.equal((await get()).status, 200);
  });

  test("names a due job that is too old", async () => {
    // As if the function had been called and never come: nobody is called for this job.
    await sql("insert into mill.invocation (id, queue, reason, asked_at) values (gen_random_uuid(), 'default', 'wake', now())");
    await sql(`select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]')`);
    await sql("update mill.job_live set run_at = run_at - interval '301 seconds'");
    const answer = await get();
    assert.equal(answer.status, 503);
    assert.deepEqual(ailing(answer), ["oldest_due_job"]);
    await sql("delete from mill.invocation where begun_at is null");
    await sql("call mill.pump(0)");
    await until(async () => (await get()).status === 200, "health after the job was served");
  });

  test("names Postgres when it has stopped, and is 200 again after", async () => {
    await stack.parts.postgres.stop();
    const down = await get();
    assert.equal(down.status, 503);
    assert.deepEqual(ailing(down), ["postgres"]);
    await stack.restart("postgres");
    await allRan();
    await until(async () => (await get()).status === 200, "health after Postgres is back");
    await isWell();
  });
});

describe("metrics", () => {
  test("are for holders of their own token", async () => {
    assert.equal((await get("/metrics")).status, 401);
    assert.equal((await get("/metrics", stack.secrets.healthToken)).status, 401);
  });

  test("tell depth, backlog and the workers that would clear it, in Prometheus' format", async () => {
    await sql("update mill.queue set paused = true");
    await sql(`select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}, {"kind": "echo", "payload": {"a": 2}}]')`);
    const { status, type, text } = await get("/metrics", stack.secrets.metricsToken);
    assert.equal(status, 200);
    assert.match(type, /^text\/plain; version=0\.0\.4/);
    assert.match(text, /^gristmill_queue_depth\{queue="default"\} 2$/m);
    assert.match(text, /^gristmill_queue_workers_wanted\{queue="default"\} \d+$/m);
    assert.match(text, /^gristmill_schedule_age_seconds\{schedule="process-queue-batch"\} [\d.]+$/m);
    assert.match(text, /^gristmill_alerts_firing\{rule="queue_depth",severity="P1"\} 0$/m);
    for (const line of text.trim().split("\n")) {
      assert.match(line, /^(# (HELP|TYPE) \S+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?\d+(\.\d+)?)$/);
    }
  });
});

test("wrangler.toml mirrors every schedule that Postgres declares, and no other", async () => {
  const { rows } = await sql("select distinct trigger_of, schedule from mill.schedule");
  const declared = rows.map((row) => `${row.trigger_of} ${row.schedule}`).sort();
  const mirrored = readFunctions().functions.flatMap(({ name, crons }) => crons.map((cron) => `${name} ${cron}`)).sort();
  assert.deepEqual(mirrored, declared);
});
