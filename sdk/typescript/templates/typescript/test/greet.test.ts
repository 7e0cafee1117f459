import assert from "node:assert/strict";
import { test } from "node:test";

import { run } from "../client.mjs";

test("a greeting has the name of the person", async () => {
  const job = await run("greet", { name: "Ada" });
  assert.equal(job.state, "completed");
  assert.deepEqual(job.result, { greeting: "Hello, Ada!" });
});

test("a greeting without a name is not tried twice", async () => {
  const job = await run("greet", { name: "" });
  assert.equal(job.state, "failed");
  assert.equal(job.attempt, 1);
  assert.equal(job.error.message, "a greeting needs a name");
});
