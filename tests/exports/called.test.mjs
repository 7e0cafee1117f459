// Postgres calls the worker: one that would look by itself once an hour starts what is ordered.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { author, startExports } from "./harness.mjs";

let stack;
before(async () => {
  stack = await startExports("called", { parts: ["gateway", "storage", "relay", "work", "workerd"], functions: ["export"],
    env: { work: { WORKER_POLL: "3600", WORKER_POLL_MAX: "3600" } } });
});
after(() => stack?.destroy());

test("an order calls the worker", async () => {
  const user = await author(stack);
  const done = await user.ended((await user.order(await user.write("One"))).id, 30_000);
  assert.equal(done.status, "completed");
});

test("of orders at once all are made, though not each of them need call", async () => {
  const users = await Promise.all(Array.from({ length: 10 }, () => author(stack)));
  const done = await Promise.all(users.map(async (user) => user.ended((await user.order(await user.write("Many"))).id, 60_000)));
  assert.deepEqual(done.map(({ status }) => status), users.map(() => "completed"));
});
