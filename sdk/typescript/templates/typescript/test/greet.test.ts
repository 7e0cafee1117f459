import assert from "node:assert/strict";
import { test } from "node:test";

import { gristmill, InvalidPayload } from "gristmill";

import { greet } from "../functions/greet/job.ts";

const mill = gristmill();
const run = async (name: string) => mill.wait((await mill.enqueue(greet, { name })).id);

test("a greeting has the name of the person", async () => {
  const job = await run("Ada");
  assert.equal(job.state, "completed");
  assert.deepEqual(job.result, { greeting: "Hello, Ada!" });
});

test("a greeting without a name is not tried twice", async () => {
  const job = await run("");
  assert.equal(job.state, "failed");
  assert.equal(job.attempt, 1);
  assert.equal(job.error?.message, "a greeting needs a name");
});

test("Postgres refuses a greeting whose name is no text", async () => {
  const error = await mill.rpc("enqueue_jobs", { p_jobs: [{ kind: "greet", payload: { name: 5 } }] }).catch((thrown) => thrown);
  assert.ok(error instanceof InvalidPayload);
  assert.equal(error.field, "/name");
});
