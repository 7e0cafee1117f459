// Documents that are made to hurt: each is set in a child of the worker, under limits, and delays nobody but its owner.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";

import { gristmill } from "../../sdk/local/stack/paths.mjs";
import { endless, gone, isRunning, niceness, press, presses, read, resident } from "../processes.mjs";
import { author, sample, startExports } from "./harness.mjs";

let stack;
before(async () => (stack = await startExports("hostile", { parts: ["gateway", "storage", "workerd"], functions: ["export"] })));
after(() => stack?.destroy());
const sql = async (text, values) => (await stack.postgres.query(text, values)).rows;

// A minute and a half of computing.
const expensive = () => ({ work: Array.from({ length: 5 }, () => ({ position: "Slow", summary: endless })) });
// Within all bounds: 33,000 paragraphs of one letter take 300 MB in two seconds.
const large = () => ({ basics: { name: "Large", summary: "a\n\n".repeat(33_000) } });

/** A worker at its default settings, or with others that are documented; its process is gone afterwards. */
async function withWorker(env, work) {
  const worker = spawn(gristmill, ["work", "--poll", "0.05", "--poll-max", "0.1"], {
    env: { ...process.env, SUPABASE_URL: stack.url, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey, GRISTMILL_LOG: "error", ...env }, stdio: "ignore" });
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  try {
    return await work(worker, ended);
  } finally {
    worker.kill("SIGKILL");
    await ended;
  }
}

test("a field of 340,000 marks, soft hyphens or direction controls is exported like any other", () => withWorker({}, async () => {
  const user = await author(stack);
  for (const [title, letter] of [["Marks", "\u0301"], ["Soft hyphens", "\u00ad"], ["Directions", "\u202e"]]) {
    const resume = sample("resume");
    resume.basics.summary = `Before a${letter.repeat(340_000)}b after`;
    const done = await user.ended((await user.order(await user.write(title, resume))).id, 60_000);
    assert.deepEqual([done.status, done.file?.pages], ["completed", 1], JSON.stringify(done));
  }
}));

test("two documents that take all the time they get leave a press for another user, and cancelling them ends their children", (t) => withWorker({}, async (worker) => {
  const [hostile, other] = [await author(stack), await author(stack)];
  assert.equal((await other.ended((await other.order(await other.write("First"))).id, 60_000)).status, "completed");
  const before = resident(worker.pid);

  const slow = [await hostile.order(await hostile.write("Slow one", expensive())), await hostile.order(await hostile.write("Slow two", expensive()))];
  const first = await press(worker.pid);
  const begun = performance.now();
  const done = await other.ended((await other.order(await other.write("Second"))).id, 25_000);
  assert.equal(done.status, "completed", JSON.stringify(done));
  t.diagnostic(`the other user's export took ${Math.round(performance.now() - begun)} ms`);
  assert.ok(isRunning(first), "the first hostile document was being set all the while");
  assert.deepEqual(presses(worker.pid), [first], "one user's documents take one of two presses");

  const environment = read(`/proc/${first}/environ`);
  assert.ok(environment && !environment.includes(stack.serviceKey) && !environment.includes("SUPABASE"), "a child knows no secret");
  assert.ok(niceness(first) > niceness(worker.pid), "a child gives way to the worker");

  for (const { id } of slow) assert.equal((await hostile.call("DELETE", `v1/exports/${id}`)).status, 200);
  const asked = performance.now();
  await gone(first);
  t.diagnostic(`the child was gone ${Math.round(performance.now() - asked)} ms after the export was cancelled`);
  for (const { id } of slow) assert.equal((await hostile.ended(id, 30_000)).status, "cancelled");
  assert.deepEqual(presses(worker.pid), []);
  const grown = resident(worker.pid) - before;
  t.diagnostic(`the worker grew by ${grown.toFixed(1)} MB`);
  assert.ok(grown < 32, `the worker grew by ${grown.toFixed(1)} MB`);
}));

test("a document that needs more time than there is fails at its first attempt and says what to do", () => withWorker({ WORKER_RENDER_SECONDS: "1" }, async (worker) => {
  const user = await author(stack);
  const failed = await user.ended((await user.order(await user.write("Slow", expensive()))).id, 60_000);
  assert.equal(failed.status, "failed");
  assert.match(failed.message, /could not be set within 1 seconds of computing time\. Shorten it/);
  const [{ attempt }] = await sql("select attempt from mill.job where id = $1", [failed.id]);
  assert.equal(attempt, 1);
  assert.equal((await user.ended((await user.order(await user.write("Next"))).id, 60_000)).status, "completed", "the worker lives");
  assert.ok(isRunning(worker.pid));
}));

test("a document that needs more memory than there is fails at its first attempt, and the worker lives", () => withWorker({ WORKER_RENDER_MEMORY: "192" }, async (worker) => {
  const user = await author(stack);
  const failed = await user.ended((await user.order(await user.write("Large", large()))).id, 60_000);
  assert.equal(failed.status, "failed");
  assert.match(failed.message, /could not be set within 192 MB of memory\. Shorten it/);
  const [{ attempt }] = await sql("select attempt from mill.job where id = $1", [failed.id]);
  assert.equal(attempt, 1);
  assert.equal((await user.ended((await user.order(await user.write("Next"))).id, 60_000)).status, "completed");
  assert.ok(isRunning(worker.pid));
}));

test("a document with more than can be set is refused with the name of the field", () => withWorker({}, async () => {
  const user = await author(stack);
  const resume = sample("resume");
  resume.work[0].highlights = Array.from({ length: 501 }, () => "x");
  const failed = await user.ended((await user.order(await user.write("Many", resume))).id, 60_000);
  assert.equal(failed.status, "failed");
  assert.match(failed.message, /the list work\[0\]\.highlights has 501 entries, at most 500 can be set/);
}));

for (const signal of ["SIGTERM", "SIGKILL"]) {
  test(`${signal} to the worker leaves no child behind`, () => withWorker({ WORKER_DRAIN_SECONDS: "1" }, async (worker, ended) => {
    const user = await author(stack);
    const { id } = await user.order(await user.write("Slow", expensive()));
    const pid = await press(worker.pid);
    worker.kill(signal);
    await ended;
    await gone(pid);
    assert.equal((await user.call("DELETE", `v1/exports/${id}`)).status, 200);
  }));
}
