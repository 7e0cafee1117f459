// gristmill/client against a real stack: jobs, documents, exports and workflows of a user, over a network that loses answers and cuts streams.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";

import { GristmillError, UnknownKind } from "../../sdk/typescript/dist/client/index.js";
import { root } from "../../sdk/local/stack/paths.mjs";
import { sample } from "../exports/harness.mjs";
import { all, loseAnswer, startApplications, TEXT, userOf } from "./harness.mjs";

let stack, user;
before(async () => {
  stack = await startApplications("node");
  user = await userOf(stack);
});
after(() => stack?.destroy());
const sql = async (text, values) => (await stack.postgres.query(text, values)).rows;
const isPost = (path) => (url, { method }) => method === "POST" && url.includes(path);
const isStream = (url) => url.endsWith("/events");

describe("jobs", () => {
  test("a job whose answer is lost is asked for again under the same key, and exists once", async () => {
    const who = await userOf(stack);
    who.network.push(loseAnswer(isPost("/functions/v1/enqueue")));
    const { id, status } = await who.mill.enqueue("echo", { hello: "you" }, { name: "once" });
    assert.equal(status, "new");
    assert.deepEqual(await sql("select id, name from mill.job where owner = $1", [who.sub]), [{ id, name: "once" }]);
    const keys = who.sent.filter(({ method }) => method === "POST").map(({ headers }) => headers["idempotency-key"]);
    assert.deepEqual([keys.length, new Set(keys).size], [2, 1]);
  });

  test("a kind that is unknown or closed to users is refused, and not asked for again", async () => {
    const who = await userOf(stack);
    await assert.rejects(who.mill.enqueue("nonsense", { a: 1 }), (error) => error instanceof UnknownKind && error.status === 422 && !error.retryable);
    assert.equal(who.sent.length, 1);
  });

  test("watching a job gives each state that it is seen in, and ends with its result", async () => {
    await sql("select mill.pause('default', true)");
    const { id } = await user.mill.enqueue({ kind: "echo" }, { hello: "watcher" });
    const seen = [];
    for await (const snapshot of user.mill.watch(id)) {
      seen.push(snapshot);
      if (seen.length === 1) await sql("select mill.pause('default', false)");
    }
    assert.deepEqual([seen[0].state, seen[0].ended, seen[0].result], ["pending", false, null]);
    const last = seen.at(-1);
    assert.deepEqual([last.state, last.ended, last.progress, last.error], ["completed", true, 100, null]);
    assert.deepEqual(last.result, (await user.mill.get(id)).result);
    assert.match(JSON.stringify(last.result), /watcher/);
  });

  test("an abort ends the watching with its reason, and a job of another user cannot be watched", async () => {
    const { id } = await user.mill.enqueue("echo", { later: true }, { runAt: new Date(Date.now() + 3_600_000) });
    const leaving = new AbortController();
    const reason = new Error("enough");
    await assert.rejects(async () => {
      for await (const { state } of user.mill.watch(id, { signal: leaving.signal })) {
        assert.equal(state, "deferred");
        leaving.abort(reason);
      }
    }, reason);
    const other = await userOf(stack);
    await assert.rejects(all(other.mill.watch(id)), (error) => error instanceof GristmillError && error.status === 404);
  });

  test("watching outlives answers that fail for a while", async () => {
    const who = await userOf(stack);
    const { id } = await who.mill.enqueue("echo", { patient: true });
    let failures = 7; // more than one call repeats by itself
    who.network.push((url) => {
      if (failures === 0) return undefined;
      failures -= 1;
      return new Response("<h1>Bad gateway</h1>", { status: 502 });
    });
    assert.equal((await all(who.mill.watch(id))).at(-1).state, "completed");
    assert.equal(failures, 0);
  });

  test("a function of Postgres is called with the rights of the user", async () => {
    assert.match(await user.mill.rpc("default_profile", {}), /^[0-9a-f-]{36}$/);
    await assert.rejects(user.mill.rpc("claim_jobs", { p_worker: "me", p_queues: ["default"], p_max: 1 }), { code: "42501", status: 403 });
  });
});

test("the same client runs in Deno", async () => {
  const { stdout } = await promisify(execFile)(path.join(root, "node_modules/.bin/deno"), ["run", "--no-prompt", "--allow-net", path.join(root, "tests/client/deno.mjs"),
    stack.url, stack.anonKey, user.token], { env: { ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" } });
  assert.match(stdout, /"hello":"deno"/);
});

describe("uploads", () => {
  for (const way of ["function", "storage"]) {
    test(`by ${way}: a file whose answer is lost is one document, and the bytes that left are counted`, async () => {
      const who = await userOf(stack);
      who.network.push(loseAnswer(isPost(way === "storage" ? "/storage/v1/object/" : "/documents/v1/documents")));
      const progress = [];
      const file = new File([TEXT], "letter.txt", { type: "text/plain" });
      const uploaded = await who.mill.uploads.send(file, { way, onProgress: ({ sent }) => progress.push(sent) });
      assert.ok(["uploaded", "processing", "completed"].includes(uploaded.status), uploaded.status);
      assert.deepEqual((await who.mill.uploads.list()).map(({ id, filename }) => [id, filename]), [[uploaded.id, "letter.txt"]]);
      assert.deepEqual([progress[0], progress.at(-1)], [0, TEXT.length]);

      const key = randomUUID();
      const first = await who.mill.uploads.send(file, { way, idempotencyKey: key });
      const second = await who.mill.uploads.send(file, { way, idempotencyKey: key });
      assert.deepEqual([first.replayed, second.replayed, second.id], [false, true, first.id]);
      const another = new File(["Another letter"], "letter.txt", { type: "text/plain" });
      await assert.rejects(who.mill.uploads.send(another, { way, idempotencyKey: key }), { code: "other_body", status: 422 });
    });
  }

  test("an upload that is aborted throws the reason, and what is refused says why", async () => {
    const reason = new Error("changed my mind");
    await assert.rejects(user.mill.uploads.send(new Blob([TEXT]), { signal: AbortSignal.abort(reason) }), reason);
    await assert.rejects(user.mill.uploads.send(new Blob(["<html><script>"])), { code: "unsupported_type", status: 415 });
    await assert.rejects(user.mill.uploads.send(new Blob(["GIF89a"], { type: "image/gif" }), { way: "storage" }), { code: "GM047" });
  });

  test("a document is watched to its end by its stream, and what was found in it is the result", async () => {
    const who = await userOf(stack);
    const { id } = await who.mill.uploads.send(new File([TEXT], "letter.txt"));
    const seen = await all(who.mill.uploads.watch(id));
    const percents = seen.map(({ progress }) => progress);
    assert.deepEqual(percents, [...percents].sort((a, b) => a - b));
    assert.deepEqual([seen.at(-1).state, seen.at(-1).progress, seen.at(-1).result.id], ["completed", 100, id]);
    assert.ok(seen.at(-1).result.facts.length > 0);
    assert.equal(who.sent.filter(({ url }) => isStream(url)).length >= 1, true);
    assert.equal(who.sent.filter(({ url, method }) => method === "GET" && url.endsWith(id)).length, 1, "the stream told everything but the result");
    await who.mill.uploads.erase(id);
    await assert.rejects(who.mill.uploads.get(id), { status: 404 });
  });

  test("where streams do not work a document is watched by polling", async () => {
    const who = await userOf(stack);
    who.network.push((url) => (isStream(url) ? new Response("<h1>No</h1>", { status: 200, headers: { "content-type": "text/html" } }) : undefined));
    const { id } = await who.mill.uploads.send(new File([TEXT], "letter.txt"));
    assert.equal((await all(who.mill.uploads.watch(id))).at(-1).state, "completed");
    assert.ok(who.sent.filter(({ url, method }) => method === "GET" && url.endsWith(id)).length >= 1);
  });
});

describe("exports", () => {
  test("an export is asked for once, watched over a stream that is cut, and downloaded with its name", async () => {
    const who = await userOf(stack);
    const [{ id: documentId }] = await sql("insert into public.documents (owner, title, data) values ($1, 'Résumé of Ann', $2) returning id", [who.sub, sample("resume")]);
    await sql("update mill.queue set paused = true where queue = 'exports'");
    who.network.push(loseAnswer(isPost("/export/v1/exports")));
    const ordered = await who.mill.exports.create({ documentId, template: "modern", options: { page_size: "Letter" } });
    assert.deepEqual((await who.mill.exports.list()).map(({ id }) => id), [ordered.id]);

    // The first connection ends after its first event, as if a proxy had cut it.
    who.network.push(async (url, init, send, done) => {
      if (!isStream(url)) return undefined;
      done();
      const answer = await send();
      const reader = answer.body.getReader();
      const { value } = await reader.read();
      await reader.cancel();
      return new Response(value, { headers: answer.headers });
    });
    const seen = [];
    for await (const snapshot of who.mill.exports.watch(ordered.id)) {
      if (seen.push(snapshot) === 1) await sql("update mill.queue set paused = false where queue = 'exports'");
    }
    assert.deepEqual([seen[0].state, seen.at(-1).state, seen.at(-1).progress], ["pending", "completed", 100]);
    const streams = who.sent.filter(({ url }) => isStream(url));
    assert.ok(streams.length >= 2 && streams[0].headers["last-event-id"] === undefined && Number(streams[1].headers["last-event-id"]) > 0);
    const file = await who.mill.exports.download(ordered.id);
    assert.deepEqual([file.name, file.type, file.size], ["Résumé of Ann.pdf", "application/pdf", seen.at(-1).result.size]);
    assert.equal(await file.slice(0, 5).text(), "%PDF-");
    await assert.rejects(who.mill.exports.cancel(ordered.id), { code: "already_finished", status: 409 });
  });
});

describe("workflows", () => {
  test("a workflow is started once, watched to its end, and its artifacts are the result", async () => {
    const who = await userOf(stack);
    who.network.push(loseAnswer(isPost("/workflows/v1/jobs")));
    const { id } = await who.mill.workflows.start("echo", { hello: "workflow" });
    assert.deepEqual((await who.mill.workflows.list()).map((one) => one.id), [id]);
    const seen = await all(who.mill.workflows.watch(id));
    assert.deepEqual([seen.at(-1).state, seen.at(-1).progress, seen.at(-1).result], ["completed", 100, []]);
    await assert.rejects(who.mill.workflows.cancel(id), { code: "wrong_state", status: 409 });
  });

  test("a workflow that failed is resumed, and one that runs is cancelled and its watcher told", async () => {
    const who = await userOf(stack);
    const { id } = await who.mill.workflows.start("nuclear_v2", { person1: { name: "No zone", born: "1990-01-01", time: "10:00", zone: "Mars/Olympus" } });
    const failed = (await all(who.mill.workflows.watch(id))).at(-1);
    assert.deepEqual([failed.state, failed.ended, failed.error.task], ["failed", true, "calculating"]);
    await sql("update mill.queue set paused = true where queue = 'workflows'");
    assert.equal((await who.mill.workflows.resume(id)).status, "processing");
    const seen = [];
    for await (const snapshot of who.mill.workflows.watch(id)) {
      if (seen.push(snapshot) === 1) await who.mill.workflows.cancel(id);
    }
    await sql("update mill.queue set paused = false where queue = 'workflows'");
    assert.deepEqual([seen[0].ended, seen.at(-1).state], [false, "cancelled"]);
  });
});
