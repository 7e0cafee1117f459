// A path that names no function is answered 404 by both runtimes, and nothing is created: by way of the gateway and at the functions'
// own port.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";

import { signIn, startStack } from "../support.mjs";

const JOB = { kind: "echo", payload: { a: 1 } };
// At the gateway what is not below /functions/v1 belongs to PostgREST's paths.
const UNKNOWN = [
  "/functions/v1/nonexistent", "/functions/v1/nonexistent/", "/functions/v1/nonexistent?a=1", "/functions/v1/nonexistent/enqueue",
  "/functions/v1/enqueue2", "/functions/v1/enqueue2?a=1", "/functions/v1/enqueue-eu", "/functions/v1/enqueu", "/functions/v1/Enqueue",
  "/functions/v1/ENQUEUE?a=1", "/functions/v1/%65nqueue", "/functions/v1/enqueue%2F", "/functions/v1/enqueue%3Fa", "/functions/v1//enqueue",
  "/functions/v1/front", "/functions/v1/FUNCTIONS", "/functions/v1/constructor?a=1", "/functions/v1/", "/functions/v1",
];
const AT_THE_FUNCTIONS_PORT = ["/", "/?a=1", "/enqueue", "/enqueue/", "/functions", "/functions/v2/enqueue", "/rest/v1/functions/v1/enqueue"];

for (const runtime of ["workerd", "deno"]) {
  describe(runtime, () => {
    let stack, user;
    before(async () => {
      // enqueue is the first of wrangler.toml: the one that used to answer for all.
      stack = await startStack(`unknown-${runtime}`, { parts: ["gateway", runtime], functions: ["enqueue", "usage"] });
      user = await signIn(stack);
    });
    after(() => stack?.destroy());

    const post = async (url, headers) => {
      const answer = await fetch(url, { method: "POST", body: JSON.stringify(JOB), headers: { authorization: `Bearer ${user.token}`, ...headers } });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    };
    const jobs = async () => (await stack.postgres.query("select count(*)::int as jobs from mill.job")).rows[0].jobs;

    test(`${runtime}: a name that no function has is 404 with a problem, whatever the spelling, and enqueues nothing`, async () => {
      const before = await jobs();
      const urls = [...UNKNOWN.map((path) => stack.url + path), ...[...UNKNOWN, ...AT_THE_FUNCTIONS_PORT].map((path) => stack.functionsUrl + path)];
      for (const url of urls) {
        const { status, headers, text } = await post(url, { "x-correlation-id": "lost-1" });
        assert.equal(status, 404, `${url} answered ${status} ${text}`);
        assert.equal(headers.get("content-type"), "application/problem+json", url);
        const problem = JSON.parse(text);
        assert.deepEqual([problem.code, problem.status, problem.correlation_id], ["not_found", 404, "lost-1"], url);
        assert.equal(headers.get("x-correlation-id"), "lost-1", url);
      }
      for (const method of ["GET", "PUT", "DELETE"]) {
        const answer = await fetch(`${stack.url}/functions/v1/nonexistent`, { method, headers: { authorization: `Bearer ${user.token}` } });
        assert.equal(answer.status, 404, method);
        await answer.text();
      }
      assert.equal(await jobs(), before);
    });

    test(`${runtime}: a function that is not among those served is 404, and its name reaches no other`, async () => {
      assert.equal((await post(`${stack.url}/functions/v1/export/v1/exports`)).status, 404);
    });

    test(`${runtime}: a path that a function does not know is refused and enqueues nothing`, async () => {
      const before = await jobs();
      for (const [path, status] of [["enqueue/whatever", 405], ["enqueue/v1/jobs", 404], [`enqueue/${randomUUID()}/retry`, 404], ["enqueue/openapi.json", 405],
        ["enqueue/functions/v1/enqueue", 404], ["usage/enqueue", 404], ["usage", 405]]) {
        const answer = await post(`${stack.url}/functions/v1/${path}`);
        assert.equal(answer.status, status, `${path}: ${answer.text}`);
        assert.equal(answer.headers.get("content-type"), "application/problem+json", path);
      }
      assert.equal(await jobs(), before);
    });

    test(`${runtime}: a function is reached by its exact name, with a slash after it and with a query`, async () => {
      for (const path of ["enqueue", "enqueue/", "enqueue?a=1", "enqueue/?a=1"]) {
        const answer = await post(`${stack.url}/functions/v1/${path}`);
        assert.equal(answer.status, 202, `${path}: ${answer.text}`);
      }
      const usage = await user.call("GET", "usage?profile_id=nobody");
      assert.deepEqual([usage.status, usage.json.field], [400, "profile_id"], "a query reaches the function");
    });

    test(`${runtime}: an Idempotency-Key makes a retry safe`, async () => {
      const headers = { "idempotency-key": randomUUID() };
      const [first, again] = [await post(`${stack.url}/functions/v1/enqueue`, headers), await post(`${stack.url}/functions/v1/enqueue`, headers)];
      assert.deepEqual([again.status, again.text, again.headers.get("idempotent-replayed")], [202, first.text, "true"]);
      assert.equal((await post(`${stack.url}/functions/v1/enqueue`, { "idempotency-key": "" })).status, 400);
    });

    if (runtime === "workerd") {
      // Miniflare lets a header choose the worker: so a front that forwards a wrong name is imitated.
      test("a function that a request reaches under the name of another one refuses it", async () => {
        const before = await jobs();
        for (const path of ["nonexistent", "enqueue2", "Enqueue", "usage", ""]) {
          const answer = await post(`${stack.functionsUrl}/functions/v1/${path}`, { "mf-route-override": "enqueue" });
          assert.deepEqual([answer.status, JSON.parse(answer.text).code], [404, "not_found"], path);
        }
        assert.equal(await jobs(), before);
      });
    }

    test(`${runtime}: a large body for a name that no function has is read, so that its sender sees the answer`, async () => {
      const answer = await fetch(`${stack.url}/functions/v1/nonexistent`, { method: "POST", body: Buffer.alloc(8_000_000, "a") });
      assert.equal(answer.status, 404);
      assert.equal((await answer.json()).code, "not_found");
    });
  });
}
