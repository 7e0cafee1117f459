// Dead letters are retried by a bulk action of the console, while pumps run beside each other, sessions are killed in the middle, and people act on
// the same dead letters by hand. It is stopped half-way and resumed.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";

import pg from "pg";

import { connect, isSoak, startStack, until } from "../support.mjs";

const LETTERS = isSoak ? 100_000 : 3_000;
const OTHERS = LETTERS / 10; // of another cause: they are left alone
const BY_HAND = 200;
let stack, pool;
before(async () => {
  stack = await startStack("console-bulk", { parts: [] });
  pool = connect(stack, 8);
  await pool.query("insert into mill.queue (queue, served_by) values ('mail', 'external')");
  await pool.query("insert into mill.kind (kind, queue) values ('mail', 'mail')");
  if (!isSoak) await pool.query("update mill.settings set value = '50' where key = 'console.bulk_ms'"); // many rounds for few letters
});
after(async () => {
  await pool?.end();
  await stack?.destroy();
});

/** Calls an RPC as an operator of the console, through the role that PostgREST would take. */
async function call(name, values) {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("select set_config('request.jwt.claims', $1, true)", [JSON.stringify({ role: "authenticated", sub: "00000000-0000-4000-8000-00000000000a", email: "ana@example.com", gristmill_role: "operator" })]);
    await client.query("set local role authenticated");
    const { rows: [{ answer }] } = await client.query(`select public.${name}(${values.map((_, n) => `$${n + 1}`)}) as answer`, values);
    await client.query("commit");
    return answer;
  } catch (error) {
    await client.query("rollback");
    throw error;
  } finally {
    client.release();
  }
}

// Each round in a session of its own, which may be killed.
async function round(onStart = () => {}) {
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  client.on("error", () => {});
  await client.connect();
  const { rows: [{ pid }] } = await client.query("select pg_backend_pid() as pid");
  onStart(pid);
  try {
    await client.query("select mill.tick()");
    return true;
  } catch {
    return false; // killed, or another session was
  } finally {
    await client.end().catch(() => {});
  }
}

async function bury(count, error) {
  for (let left = count; left > 0; left -= 1000) {
    const size = Math.min(left, 1000);
    await pool.query("select count(*) from mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'mail', 'payload', jsonb_build_object('n', n))) from generate_series(1, $1::int) n))", [size]);
    await pool.query(`select count(*) from mill.settle('w', (select jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt, 'outcome', 'dead', 'error', ${error})) from mill.claim('w', array['mail'], 1000) c))`);
  }
}

test("a bulk action retries each dead letter of its group once, through killed rounds, a stop, a resume and people who act beside it", async () => {
  await bury(LETTERS, "jsonb_build_object('type', 'timeout', 'message', format('no answer from 10.0.0.%s for %s', c.payload ->> 'n', c.id))");
  await bury(OTHERS, "jsonb_build_object('type', 'refused', 'message', 'no such address')");

  const { groups } = await call("console_dead_groups", ["error:timeout", null, 10]);
  assert.equal(groups.length, 1);
  const [{ group }] = groups;
  const preview = await call("console_preview", ["retry", "", group]);
  assert.ok(preview.count === LETTERS || (preview.more && preview.count > 0), JSON.stringify({ ...preview, samples: [] }));
  assert.equal(preview.samples.length, 5);

  const bulk = await call("console_bulk", ["retry", "queue:mail", group, "the network is back"]);
  assert.equal(bulk.state, "running");
  const standing = async () => (await call("console_bulks", [1])).bulks[0];

  // People retry some of the same by hand, and some of the rounds are killed.
  const { rows } = await pool.query("select id from mill.job_dead where error ->> 'type' = 'timeout' order by random() limit $1", [BY_HAND]);
  const byHand = call("console_retry", [rows.map(({ id }) => id), "mine first"]);
  let kills = 0;
  for (let n = 0; (await standing()).done < LETTERS / 2 - BY_HAND; n++) {
    const isKilled = n % 2 === 0;
    const [isWhole] = await Promise.all([
      round((pid) => isKilled && setTimeout(() => pool.query("select pg_terminate_backend($1)", [pid]), n % 20)),
      n % 4 === 3 ? round() : null, // a second pump, which finds the action locked or its job taken
    ]);
    kills += Number(!isWhole);
  }
  const { changed } = await byHand;

  const half = await call("console_stop_bulk", [bulk.id, "half is enough for now"]);
  assert.equal(half.state, "stopped");
  await round();
  assert.equal((await standing()).done, half.done, "a stopped action does nothing more");
  assert.ok(half.done < LETTERS, "it was stopped before its end");

  assert.equal((await call("console_resume_bulk", [bulk.id, "the other half"])).state, "running");
  await until(async () => {
    await Promise.all([round(), round()]);
    return (await standing()).state !== "running";
  }, "the bulk action ending", 600_000);
  const end = await standing();
  assert.equal(end.state, "completed", JSON.stringify(end));
  assert.equal(end.done + changed, LETTERS, "what the action did and what people did are all of them");

  const count = async (text) => Number((await pool.query(`select count(*) from ${text}`)).rows[0].count);
  assert.equal(await count("mill.job_dead where queue = 'mail' and error ->> 'type' = 'refused'"), OTHERS, "dead letters of another cause are left alone");
  assert.equal(await count("mill.job_dead where queue = 'mail'"), OTHERS);
  assert.equal(await count("mill.job_live where queue = 'mail' and state = 'pending'"), LETTERS, "each is pending again");
  assert.equal(await count("(select job_id from mill.audit_log where action = 'retry' and table_name = 'job' group by job_id having count(*) > 1) twice"), 0, "none was retried twice");
  assert.equal(await count("mill.audit_log where action = 'retry' and table_name = 'job' and reason = 'the network is back' and new_values ->> 'email' = 'ana@example.com'"), end.done);
  assert.equal(await count("mill.event where code = 'tick_failed'"), 0, "no round has failed");
  assert.ok(kills > 0, "rounds were killed");
  const { rows: [{ job }] } = await pool.query("select result as job from mill.job where id = $1", [end.job]);
  assert.equal(job.done, end.done, "the job of the action has its result");
});

test("a round of the pump that works on a bulk action ends in its time, and jobs that are due start meanwhile", async () => {
  await pool.query("update mill.settings set value = '50' where key = 'console.bulk_ms'");
  await bury(1000, "jsonb_build_object('type', 'late', 'message', 'x')");
  const bulk = await call("console_bulk", ["discard", "error:late", null, "test"]);
  // A claim waits for nothing that the round holds.
  const urgent = randomUUID();
  let rounds = 0;
  for (let state = "running"; state === "running"; rounds++) {
    const [, { rows }] = await Promise.all([
      round(),
      pool.query("select c.id from mill.enqueue(jsonb_build_array(jsonb_build_object('kind', 'mail', 'priority', 90, 'payload', jsonb_build_object('urgent', $1::text)))) e cross join lateral mill.claim('other', array['mail'], 1) c", [urgent]),
    ]);
    assert.equal(rows.length, 1, "a claim finds its job while the round is under way");
    state = (await call("console_bulks", [1])).bulks[0].state;
  }
  assert.ok(rounds > 1, "the work was spread over rounds");
  assert.equal((await call("console_bulks", [1])).bulks[0].done, 1000);
  assert.equal((await call("console_bulks", [1])).bulks[0].id, bulk.id);
});
