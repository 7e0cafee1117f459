// Beside a pg_net that rests: the function that took a job starts the processor itself, and pg_net stays the safety net. On workerd and on Deno.
import assert from "node:assert/strict";
import fs from "node:fs";
import { after, before, test } from "node:test";

import { freePorts } from "../../sdk/local/stack/ports.mjs";
import { PgNet } from "../stand-ins/pg_net.mjs";
import { signIn, startStack, until } from "../support.mjs";

let stack;
let pgNet;
let user;
before(async () => {
  // No relay: the stand-in serves schema net. No pump either, which would start what the wake-up did not.
  stack = await startStack("wake-by-function", { parts: ["gateway", "workerd"], functions: ["enqueue", "processor"], applications: "none" });
  pgNet = await new PgNet(stack.databaseUrl).start();
  user = await signIn(stack);
});
after(async () => {
  await pgNet?.stop();
  await stack?.destroy();
});

const one = async (sql, values) => (await stack.postgres.query(sql, values)).rows[0];
const submit = async (payload, options) => {
  const { status, json } = await user.submit({ kind: "echo", payload, ...options });
  assert.equal(status, 202, JSON.stringify(json));
  return json.id;
};
const setting = (value) => stack.postgres.query("update mill.settings set value = $1 where key = 'wake.by_function'", [value]);
const isIdle = () => until(async () => (await one("select count(*)::int as n from net.http_request_queue")).n === 0
  && (await one("select count(*)::int as n from mill.invocation where ended_at is null")).n === 0, "an idle queue");

for (const runtime of ["workerd", "deno"]) {
  test(`on ${runtime} a job is done although pg_net has sent nothing`, async () => {
    if (runtime === "deno") await stack.replace("workerd", "deno");
    pgNet.hold();
    const before = pgNet.sent.length;
    const id = await submit({ on: runtime });
    assert.equal((await user.settled(id)).state, "completed");
    assert.equal(pgNet.sent.length, before);
    const invocation = await one("select reason, handed_at is not null as handed, claimed, failure from mill.invocation order by asked_at desc limit 1");
    assert.deepEqual(invocation, { reason: "wake", handed: true, claimed: 1, failure: null });
  });

  test(`on ${runtime} the request that pg_net sends afterwards does nothing`, async () => {
    const before = pgNet.sent.length;
    const [{ runs }, waiting] = [await one("select count(*)::int as runs from mill.job where state = 'completed'"), await one("select count(*)::int as n from net.http_request_queue")];
    assert.ok(waiting.n > 0, "the request of the job before still waits");
    pgNet.release();
    await isIdle();
    const late = pgNet.sent.slice(before);
    assert.equal(late.length, waiting.n);
    for (const { status, content } of late) assert.deepEqual([status, JSON.parse(content)], [200, { claimed: 0, accepted: 0, lost: 0 }]);
    assert.equal((await one("select count(*)::int as runs from mill.job where state = 'completed'")).runs, runs);
    assert.equal((await one("select count(*)::int as n from mill.invocation where failure is not null")).n, 0);
  });
}

test("of many jobs that are submitted at once the first are done without pg_net, and all are done in one attempt", async () => {
  pgNet.hold();
  const before = pgNet.sent.length;
  const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => submit({ n })));
  // What arrives while an invocation claims is started when that one has settled, by pg_net at the latest.
  const done = () => Promise.all(ids.map((id) => user.job(id))).then((jobs) => jobs.filter(({ state }) => state === "completed").length);
  await until(async () => (await done()) > 0, "the first of many jobs");
  assert.equal(pgNet.sent.length, before);
  pgNet.release();
  await until(async () => (await done()) === ids.length, "all of many jobs");
  assert.equal((await one("select coalesce(max(attempt), 0)::int as n from mill.job where id = any ($1)", [ids])).n, 1);
  await isIdle();
});

test("a job that is due later is not woken for", async () => {
  const before = await one("select count(*)::int as n from mill.invocation");
  const id = await submit({ later: true }, { run_at: new Date(Date.now() + 3_600_000).toISOString() });
  assert.equal((await user.job(id)).state, "deferred");
  assert.equal((await one("select count(*)::int as n from mill.invocation")).n, before.n);
});

test("while the setting wake.by_function is off, pg_net alone starts the job", async () => {
  await setting("false");
  pgNet.hold();
  const before = pgNet.sent.length;
  const id = await submit({ off: true });
  await until(async () => (await one("select count(*)::int as n from net.http_request_queue")).n > 0, "a request");
  pgNet.release();
  assert.equal((await user.settled(id)).state, "completed");
  assert.ok(pgNet.sent.length > before);
  assert.equal((await one("select handed_at from mill.invocation order by asked_at desc limit 1")).handed_at, null);
  await setting("true");
  await isIdle();
});

test("a wake-up that fails loses nothing: the answer is 202, and pg_net starts the same invocation", async () => {
  pgNet.hold();
  const [port] = await freePorts(1);
  const nowhere = `http://127.0.0.1:${port}/functions/v1`;
  await stack.postgres.query("update mill.settings set value = $1 where key = 'functions.base_url'", [nowhere]);
  const id = await submit({ refused: true });
  const { id: invocation } = await until(() => one("select id from mill.invocation where handed_at is not null and begun_at is null"), "a hand-out");
  await until(() => /"wake_up":"failed"/.test(fs.readFileSync(stack.parts.deno.log, "utf8")), "a line in the log");
  assert.equal((await user.job(id)).state, "pending");
  const there = `${stack.url}/functions/v1`;
  await stack.postgres.query("update mill.settings set value = $1 where key = 'functions.base_url'", [there]);
  await stack.postgres.query("update net.http_request_queue set url = replace(url, $1, $2)", [nowhere, there]);
  pgNet.release();
  const job = await user.settled(id);
  assert.deepEqual([job.state, job.attempt], ["completed", 1]);
  assert.equal((await one("select claimed from mill.invocation where id = $1", [invocation])).claimed, 1);
});

test("a signed-in user and an anonymous caller cannot take a wake-up", async () => {
  const id = await submit({ mine: true });
  await user.settled(id);
  for (const token of [user.token, stack.anonKey]) {
    const answer = await fetch(`${stack.url}/rest/v1/rpc/claim_wake_up`, { method: "POST",
      headers: { apikey: stack.anonKey, authorization: `Bearer ${token}`, "content-type": "application/json" }, body: JSON.stringify({ p_job: id }) });
    assert.ok([401, 403].includes(answer.status), `${answer.status}`);
  }
});
