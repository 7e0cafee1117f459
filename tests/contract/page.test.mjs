// The compat export client as a page in a real Chromium, served from another origin than the one it calls.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { author, startExports } from "../exports/harness.mjs";
import { until } from "../support.mjs";
import { openPage, servePage, startBrowser } from "./browser.mjs";
import { checkAnswer } from "./contract.mjs";

let stack, user, browser, site, page;
before(async () => {
  [stack, browser] = await Promise.all([
    startExports("page", { parts: ["gateway", "storage", "work", "workerd"], functions: ["export", "upload"] }), startBrowser()]);
  user = await author(stack);
  site = await servePage("export-page.mjs", { SUPABASE_URL: stack.url, SUPABASE_ANON_KEY: stack.anonKey, USER_TOKEN: user.token });
  page = await openPage(browser, site);
});
after(async () => {
  await browser?.close();
  site?.close();
  await stack?.destroy();
});
const sql = async (text, values) => (await stack.postgres.query(text, values)).rows;
const pause = (paused) => sql("update mill.queue set paused = $1 where queue = 'exports'", [paused]);

test("K64: a page of another origin writes a document, asks for its PDF, polls, and downloads by link, by route and by part", async () => {
  assert.notEqual(new URL(site.origin).host, new URL(stack.url).host);
  const documentId = await page.run("writeDocument", "From a page: Ü");
  const key = crypto.randomUUID();
  const asked = await page.run("request", documentId, { pageSize: "Letter" }, { "idempotency-key": key });
  assert.equal(asked.status, 202);
  checkAnswer("POST pdf", asked.json);
  const again = await page.run("request", documentId, { pageSize: "Letter" }, { "idempotency-key": key });
  assert.deepEqual([again.json.jobId, again.headers["idempotent-replayed"]], [asked.json.jobId, "true"], "the page can read that it was a replay");
  const job = await page.run("poll", asked.json.jobId);
  checkAnswer("GET job", job);
  const [{ file_size, file_path }] = await page.run("history");

  const file = await page.run("downloadByLink", job.resultUrl);
  assert.deepEqual([file.status, file.begins, file.size, file.headers["content-length"]], [200, "%PDF-", file_size, String(file_size)]);
  assert.match(file.headers["content-disposition"], /filename\*=UTF-8''From%20a%20page-%20%C3%9C\.pdf/);
  const part = await page.run("downloadByLink", job.resultUrl, "bytes=0-4");
  assert.deepEqual([part.status, part.size, part.headers["content-range"]], [206, 5, `bytes 0-4/${file_size}`]);
  const routed = await page.run("downloadByRoute", job.id);
  assert.deepEqual([routed.status, routed.redirected, routed.begins], [200, true, "%PDF-"]);
  assert.equal(await page.run("downloadFromStorage", "exports", file_path), file_size, "supabase-js downloads from storage");
  assert.deepEqual((await page.run("history")).map(({ id }) => id), [job.id]);
  assert.deepEqual(await page.run("remove", job.id), [{ id: job.id }], "a user deletes an own export");
  assert.deepEqual(await page.run("history"), []);
  assert.equal((await page.run("show", job.id)).json.resultUrl, null);
});

test("K64: a page asks for a batch and downloads it as a ZIP, or sees how far it is", async () => {
  await pause(true);
  const documents = [await page.run("writeDocument", "One"), await page.run("writeDocument", "Two")];
  const { json: batch } = await page.run("requestBatch", documents);
  const early = await page.run("downloadBatch", batch.batchId);
  assert.deepEqual([early.status, early.json.completedCount, early.json.totalCount], [206, 0, 2]);
  await pause(false);
  for (const { jobId } of batch.jobs) await page.run("poll", jobId);
  const zip = await page.run("downloadBatch", batch.batchId);
  assert.deepEqual([zip.status, zip.begins], [200, "PK"]);
  assert.match(zip.headers["content-disposition"], new RegExp(`filename="resumes-${batch.batchId}\\.zip"`));
});

test("K65: EventSource hears every step of a job, and its end has a link that a browser can follow", async () => {
  const listener = await openPage(browser, site);
  await pause(true);
  const { json: { jobId } } = await listener.run("request", await listener.run("writeDocument", "Watched"));
  const listening = listener.run("listen", jobId);
  await until(async () => (await listener.read("heard")).some(({ event }) => event === "progress"), "the first event");
  await pause(false);
  await listening;
  const heard = await listener.read("heard");
  assert.deepEqual(heard.map(({ event, data }) => [event, data?.progress]), [["open", undefined], ["progress", 0], ["progress", 25], ["progress", 50], ["progress", 75],
    ["progress", 90], ["completed", undefined]]);
  const { data } = heard.at(-1);
  checkAnswer("event completed", data);
  assert.equal((await listener.run("downloadByLink", data.resultUrl)).begins, "%PDF-");
  await listener.close();
});

test("K65: a page that listens when workerd is killed is connected again by its browser and hears the end", async () => {
  const listener = await openPage(browser, site);
  await pause(true);
  const { json: { jobId } } = await listener.run("request", await listener.run("writeDocument", "Interrupted"));
  const listening = listener.run("listen", jobId);
  await until(async () => (await listener.read("heard")).some(({ event }) => event === "progress"), "the first event");
  await stack.parts.workerd.kill();
  // The browser has tried once and found nobody before it is there again.
  await until(async () => (await listener.read("heard")).filter(({ event }) => event === "error").length >= 2, "the browser trying again", 20_000);
  await stack.restart("workerd");
  await pause(false);
  await listening;
  const heard = await listener.read("heard");
  assert.equal(heard.at(-1).event, "completed", JSON.stringify(heard));
  const steps = heard.filter(({ event }) => event === "progress").map(({ data }) => data.progress);
  assert.deepEqual(steps, [0, 25, 50, 75, 90], "nothing is heard twice, and nothing is missed");
  await listener.close();
});

test("K64: a page cancels a job, and its EventSource hears of it", async () => {
  const listener = await openPage(browser, site);
  await pause(true);
  const { json: { jobId } } = await listener.run("request", await listener.run("writeDocument", "Unwanted"));
  const listening = listener.run("listen", jobId);
  await until(async () => (await listener.read("heard")).some(({ event }) => event === "progress"), "the first event");
  const { status, json } = await listener.run("cancel", jobId);
  assert.equal(status, 200);
  checkAnswer("DELETE job", json);
  await listening;
  assert.equal((await listener.read("heard")).at(-1).event, "cancelled");
  assert.equal((await listener.run("show", jobId)).json.status, "cancelled");
  await pause(false);
  await listener.close();
});

test("a page uploads a document through supabase-js, and reads why it is refused, from REST, functions and storage", async () => {
  const accepted = await page.run("upload", "notes.txt", "Some plain words");
  const [{ original_filename }] = await sql("select original_filename from public.shell_files where id = $1", [accepted.id]);
  assert.equal(original_filename, "notes.txt");
  await until(async () => (await sql("select from public.shell_files where id = $1 and scanned_at is not null", [accepted.id])).length, "the file being checked");
  const file = await page.run("attempt", `/functions/v1/upload/v1/documents/${accepted.id}/file`, { headers: { authorization: `Bearer ${user.token}` } });
  assert.deepEqual([file.status, file.text, file.disposition], [200, "Some plain words", `attachment; filename="notes.txt"; filename*=UTF-8''notes.txt`]);
  for (const place of ["/rest/v1/documents", "/functions/v1/export/v1/exports", "/functions/v1/none", "/storage/v1/object/authenticated/gristmill/x"]) {
    const { status, json } = await page.run("refusal", place);
    assert.ok(status >= 400 && typeof json === "object", place);
  }
});

test("a page of an origin that is not allowed gets nothing that it can read, and its browser sends nothing that needs asking", async () => {
  const other = await servePage("export-page.mjs", { SUPABASE_URL: stack.url, SUPABASE_ANON_KEY: stack.anonKey, USER_TOKEN: user.token }, "evil.localhost");
  const evil = await openPage(browser, other);
  const headers = { authorization: `Bearer ${user.token}`, apikey: stack.anonKey };
  const before = (await sql("select count(*)::int as n from public.documents"))[0].n;
  for (const [place, init] of [["/rest/v1/documents?select=id", { headers }], ["/rest/v1/documents", { method: "POST", body: "{}", headers }], ["/functions/v1/export/v1/exports", { headers }],
    ["/api/v1/export/cleanup", { method: "POST", headers }], ["/storage/v1/status", {}], ["/functions/v1/export/openapi.json", {}], ["/functions/v1/none", {}]]) {
    assert.deepEqual(await evil.run("attempt", place, init), { failed: "TypeError" }, place);
    assert.ok("status" in (await page.run("attempt", place, init)), `${place}: the allowed page sees it`);
  }
  assert.equal((await sql("select count(*)::int as n from public.documents"))[0].n, before);
  await evil.close();
  other.close();
});
