// The cleanup function as the schedule invokes it, on both runtimes' artefacts through the whole stack.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startStack, until } from "../support.mjs";

let stack;
before(async () => (stack = await startStack("cleanup")));
after(() => stack?.destroy());

test("an invocation by schedule runs every step, and a failing one stops no other", async () => {
  await stack.postgres.query("insert into mill.worker select 'gone-' || n, '{}', now() - interval '2 days', now() - interval '2 days' from generate_series(1, 2500) n");
  await stack.postgres.query("insert into mill.worker values ('here', '{}', now(), now())");
  await stack.postgres.query("insert into mill.cleanup_step (step, run, place) values ('broken', 'mill.no_such_function', 1)");
  const { rows: [{ id }] } = await stack.postgres.query("select mill.invoke_cleanup() as id");
  const answer = await until(async () => (await stack.postgres.query(
    "select status_code, content from net._http_response where id = $1", [id])).rows[0], "the cleanup's answer");
  assert.equal(answer.status_code, 200);
  const { steps } = JSON.parse(answer.content);
  assert.equal(steps.broken.ok, false);
  assert.deepEqual([steps.workers.ok, steps.workers.pieces, steps.workers.done.removed], [true, 3, 2500]);
  assert.deepEqual((await stack.postgres.query("select worker from mill.worker")).rows, [{ worker: "here" }]);
  const { rows } = await stack.postgres.query("select from mill.heartbeat where part = 'cleanup' and at > now() - interval '1 minute'");
  assert.equal(rows.length, 1, "the run is on record for health");
});

test("an unsigned request runs nothing", async () => {
  const answer = await fetch(`${stack.url}/functions/v1/cleanup`, { method: "POST", body: '{"reason":"me"}' });
  assert.equal(answer.status, 403);
});
