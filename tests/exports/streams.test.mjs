// A stream of events ends by itself and goes on where it was; it costs nothing once its listener has left.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { sleep } from "../support.mjs";
import { author, countPolls, readEvents, startExports } from "./harness.mjs";

for (const runtime of ["workerd", "deno"]) {
  describe(`in ${runtime}`, () => {
    let stack, user;
    before(async () => {
      stack = await startExports(`streams-${runtime}`, { parts: ["gateway", runtime], env: { functions: { SSE_SECONDS: "14" } } });
      user = await author(stack);
    });
    after(() => stack?.destroy());

    test("a stream ends by itself with a hint when to come back, and the next one goes on", async () => {
      const { id } = await user.order(await user.write("Waiting"));
      const started = Date.now();
      const first = await readEvents(await user.open(`v1/exports/${id}/events`));
      assert.ok(Date.now() - started >= 13_900, "it lasts as long as it may");
      assert.deepEqual(first.events.map(({ event }) => event), ["progress"]);
      assert.equal(first.retry, 1000);
      await user.call("DELETE", `v1/exports/${id}`);
      const next = await readEvents(await user.open(`v1/exports/${id}/events`, { headers: { "last-event-id": String(first.events[0].id) } }));
      assert.deepEqual(next.events.map(({ event }) => event), ["cancelled"]);
    });

    test("polling stops when the listener leaves", async () => {
      const { id } = await user.order(await user.write("Left alone"));
      const polls = await countPolls(stack);
      const leaving = new AbortController();
      const answer = await user.open(`v1/exports/${id}/events`, { signal: leaving.signal });
      await readEvents(answer, 1);
      leaving.abort();
      // It is noticed by the second comment that cannot be sent. One that had stayed would be polled for every 3 seconds.
      await sleep(5_500);
      const before = await polls();
      await sleep(4_000);
      assert.ok(before > 0, "it was polled for");
      assert.equal(await polls(), before);
    });
  });
}
