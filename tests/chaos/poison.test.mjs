// A user's kind that traps, takes all memory or never ends, in WebAssembly, among the jobs of others and at default settings. The function is that of
// tests/conformance, whose kinds do what their payload says.
//   GRISTMILL_SOAK=1   also the kind that never ends, and waits until the poison is a dead letter: a job that was lost twice returns within a minute, at random
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { after, before, test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";
import { isSoak, signIn, startStack, until } from "../support.mjs";
import { Platform } from "./platform.mjs";

const DEAD_WITHIN_MS = 300_000;
const hostile = randomUUID(), other = randomUUID();

let stack, platform, user;
before(async () => {
  stack = await startStack("poison", { functions: ["enqueue", "processor"] });
  platform = await Platform.serve(stack, path.join(root, "build/conformance"));
  await rows("insert into mill.queue (queue, served_by, url) values ('poison', 'function', $1)", [platform.url]);
  await rows("insert into mill.kind (kind, queue) values ('conform', 'poison')");
  user = await signIn(stack);
});
after(async () => {
  await platform?.close();
  await stack?.destroy();
});

const rows = async (sql, values) => (await stack.postgres.query(sql, values)).rows;
const job = async (id) => (await rows("select state, attempt, lease_losses, error, result from mill.job where id = $1", [id]))[0];
const enqueue = async (...jobs) => (await rows("select e.id from mill.enqueue($1) e order by e.ordinal",
  [JSON.stringify(jobs.map(([owner, payload]) => ({ kind: "conform", owner, payload })))])).map(({ id }) => id);
const completed = (id) => until(async () => (await job(id)).state === "completed", `job ${id} of another`);
const harmless = (n) => [other, { do: "complete", result: { n } }];

for (const [what, poison, isEnded] of [
  ["traps", { do: "throw", message: "poison" }, false],
  ["takes all memory", { do: "grow" }, false],
  // The platform's patience is what this one costs: 14 s.
  ...(isSoak ? [["never ends", { do: "spin" }, true]] : []),
]) {
  test(`a kind that ${what} in WebAssembly: jobs of others in its function and in other functions go on${isSoak ? ", and it is dead-lettered" : ""}`, async (t) => {
    const endedBefore = platform.ended;
    const [bad, ...among] = await enqueue([hostile, poison], ...[0, 1, 2].map(harmless));
    await until(async () => (await job(bad)).lease_losses > 0, "the poison losing its worker");

    const [later] = await enqueue(harmless(4));
    const { json } = await user.submit({ kind: "echo", payload: { beside: what } });
    assert.equal((await user.settled(json.id)).state, "completed", "another function");
    await completed(later);
    assert.deepEqual((await job(later)).result, { n: 4 });
    assert.equal(platform.ended > endedBefore, isEnded, "the platform had to end the function only where it gave no answer");

    if (isSoak) {
      await until(async () => (await job(bad)).state === "failed", "the poison being dead-lettered", DEAD_WITHIN_MS);
      for (const id of among) await until(async () => (await job(id)).state === "completed", "a job that was claimed with the poison", DEAD_WITHIN_MS);
      const { lease_losses: losses, attempt, error } = await job(bad);
      const [{ max_lease_losses: most }] = await rows("select max_lease_losses from mill.queue where queue = 'poison'");
      assert.equal(losses, most, "it has had its losses and no more");
      assert.equal(attempt, most);
      t.diagnostic(`the poison is dead after ${attempt} attempts: ${error.message}`);
    } else {
      const { lease_losses: losses, error } = await job(bad);
      assert.ok(losses >= 1 && error.message, "the loss is counted, with its reason");
      await rows("select mill.cancel(array[$1::uuid])", [bad]);
    }
  });
}
