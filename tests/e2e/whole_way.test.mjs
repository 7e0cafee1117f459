// One job the whole way, and every kind of bad input, on both runtimes with the built artefacts.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";

import { signIn, startStack, until } from "../support.mjs";

for (const runtime of ["workerd", "deno"]) {
  describe(`in ${runtime}`, () => {
    let stack, user;
    before(async () => {
      stack = await startStack(`way-${runtime}`, { parts: ["gateway", "relay", runtime] });
      user = await signIn(stack);
    });
    after(() => stack?.destroy());

    const jobs = async () => (await stack.postgres.query("select count(*)::int as n from mill.job")).rows[0].n;

    test("a submitted job is run by the processor and its result is visible", async () => {
      const submitted = await user.submit({ kind: "echo", payload: { hello: "world", n: 1.5 } });
      assert.equal(submitted.status, 202);
      assert.equal(submitted.json.status, "new");
      const job = await user.settled(submitted.json.id);
      assert.equal(job.state, "completed");
      assert.deepEqual(job.result, { echo: { hello: "world", n: 1.5 } });
      assert.equal(job.attempt, 1);
    });

    test("digits that JavaScript would lose are kept", async () => {
      const body = '{"kind":"echo","payload":{"n":12345678901234567890123,"d":1.10}}';
      const { json } = await user.call("POST", "enqueue", { body });
      await user.settled(json.id);
      const { text } = await user.call("GET", `enqueue/${json.id}`);
      assert.match(text, /"n": ?12345678901234567890123/);
    });

    test("a correlation id is carried into the job and back", async () => {
      const answer = await user.call("POST", "enqueue", {
        body: { kind: "echo", payload: { a: 1 } }, headers: { "x-correlation-id": "trace-42" } });
      assert.equal(answer.headers.get("x-correlation-id"), "trace-42");
      assert.equal((await user.settled(answer.json.id)).correlation_id, "trace-42");
    });

    test("a batch is claimed and settled in one invocation", async () => {
      await stack.postgres.query("delete from mill.invocation");
      await stack.postgres.query(`select mill.enqueue((select jsonb_agg(jsonb_build_object(
        'kind', 'echo', 'payload', jsonb_build_object('n', n))) from generate_series(1, 50) n))`);
      await until(async () => (await stack.postgres.query(
        "select from mill.job where state <> 'completed'")).rowCount === 0, "the batch");
      const { rows } = await stack.postgres.query("select claimed from mill.invocation where claimed > 0");
      assert.deepEqual(rows, [{ claimed: 50 }]);
    });

    test("another user's job looks like one that does not exist", async () => {
      const { json } = await user.submit({ kind: "echo", payload: { secret: 1 } });
      const other = await signIn(stack);
      const foreign = await other.call("GET", `enqueue/${json.id}`);
      const absent = await other.call("GET", `enqueue/${randomUUID()}`);
      assert.equal(foreign.status, 404);
      assert.deepEqual({ ...foreign.json, correlation_id: "" }, { ...absent.json, correlation_id: "" });
    });

    const refused = [
      ["an empty body", { body: "" }, 400, "empty_body"],
      ["a body that is not JSON", { body: "{nope" }, 400, "not_json"],
      ["a body that is not UTF-8", { body: new Uint8Array([123, 255, 254]) }, 400, "not_json"],
      ["a wrong type", { body: { kind: 7, payload: { a: 1 } } }, 400, "invalid_field", "kind"],
      ["an unknown field", { body: { kind: "echo", payload: { a: 1 }, colour: "red" } }, 400, "invalid_field", "colour"],
      ["a missing field", { body: { payload: { a: 1 } } }, 400, "invalid_field", "kind"],
      ["an unknown job kind", { body: { kind: "nope", payload: { a: 1 } } }, 422, "unknown_kind", "kind"],
      ["an empty payload", { body: { kind: "echo", payload: {} } }, 422, "empty_payload", "payload"],
      ["a payload that is no object", { body: { kind: "echo", payload: [1] } }, 422, "empty_payload", "payload"],
      ["a payload over 64 KiB", { body: { kind: "echo", payload: { a: "x".repeat(70_000) } } }, 413, "too_large", "payload"],
      ["a body over 1 MiB", { body: { kind: "echo", payload: { a: "x".repeat(2 << 20) } } }, 413, "too_large"],
      ["a missing token", { headers: { authorization: "" }, body: { kind: "echo", payload: { a: 1 } } }, 401, "token_missing"],
      ["a malformed token", { headers: { authorization: "Bearer nope" }, body: { kind: "echo", payload: { a: 1 } } }, 401, "token_refused"],
    ];
    for (const [what, init, status, code, field] of refused) {
      test(`${what} gets ${status} ${code} and leaves no row`, async () => {
        const before = await jobs();
        const answer = await user.call("POST", "enqueue", init);
        assert.equal(answer.headers.get("content-type"), "application/problem+json");
        assert.deepEqual(
          { status: answer.status, code: answer.json.code, field: answer.json.field },
          { status, code, field });
        assert.equal(answer.json.correlation_id, answer.headers.get("x-correlation-id"));
        assert.equal(await jobs(), before);
      });
    }

    test("a body without announced length is refused as soon as it is too large", async () => {
      const chunk = new Uint8Array(64 << 10).fill(120);
      let sent = 0;
      const body = new ReadableStream({ pull(controller) {
        if (sent++ < 64) controller.enqueue(chunk); else controller.close();
      } });
      const answer = await user.call("POST", "enqueue", { body, duplex: "half" });
      assert.equal(answer.status, 413);
    });

    for (const [what, claims] of [
      ["an expired token", { role: "authenticated", sub: randomUUID(), expiresIn: "-2m" }],
      ["a token for a role that does not exist", { role: "nobody_knows" }],
    ]) {
      test(`${what} gets 401`, async () => {
        const token = await stack.token(claims);
        const answer = await user.call("POST", "enqueue", {
          headers: { authorization: `Bearer ${token}` }, body: { kind: "echo", payload: { a: 1 } } });
        assert.equal(answer.status, 401);
        assert.equal(answer.json.code, "token_refused");
      });
    }

    test("an unsigned, forged or replayed invocation claims nothing", async () => {
      const invoke = (headers, body) => user.call("POST", "processor", { headers, body });
      assert.equal((await invoke({}, "{}")).status, 403);
      const { json } = await user.submit({ kind: "echo", payload: { a: 1 } });
      await user.settled(json.id);

      // The last genuine request, as pg_net would have sent it, sent once more.
      await stack.postgres.query("update mill.queue set paused = true");
      const { rows: [genuine] } = await stack.postgres.query(`
        with signed as (
          select i.id, extract(epoch from now())::bigint::text as at,
            jsonb_build_object('invocation', i.id, 'queue', i.queue, 'batch', 50, 'seconds', 30) as body
          from mill.invocation i order by i.asked_at desc limit 1)
        select id, at, body::text, mill.sign('invoke', convert_to(id || '.' || at || '.' || body::text, 'UTF8')) as signature from signed`);
      await stack.postgres.query("update mill.queue set paused = false");
      const headers = { "webhook-id": genuine.id, "webhook-timestamp": genuine.at, "webhook-signature": genuine.signature };
      const replayed = await invoke(headers, genuine.body);
      assert.equal(replayed.status, 200);
      assert.deepEqual(replayed.json, { claimed: 0, accepted: 0, lost: 0 });

      const forged = await invoke(headers, genuine.body.replace("50", "51"));
      assert.equal(forged.status, 403);
      assert.equal(forged.json.code, "bad_signature");
      const stale = await invoke({ ...headers, "webhook-timestamp": String(genuine.at - 600) }, genuine.body);
      assert.equal(stale.status, 403);
    });

    test("a wrong method or path is told apart", async () => {
      assert.equal((await user.call("DELETE", "enqueue")).status, 405);
      assert.equal((await user.call("GET", "enqueue/a/b/c")).status, 404);
      assert.equal((await user.call("GET", "enqueue/not-an-id")).status, 404);
    });

    test("health answers with every check, and its details only to who holds its token", async () => {
      await stack.postgres.query("select mill.record_heartbeat(name) from mill.schedule");
      const { status, json } = await user.call("GET", "health");
      assert.equal(status, 200);
      assert.ok(json.checks.some((check) => check.name === "cron"));
    });
  });
}
