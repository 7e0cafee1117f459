// The browser clients of the older systems in a real Chromium: exports, uploads and refresh, each as a page of another origin than the one it calls.
// Every page runs unchanged; what dies in the middle is the worker, the function runtime or the gateway.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import WebSocket from "ws";

import { author, objects, startExports } from "../exports/harness.mjs";
import { until } from "../support.mjs";
import { openTab, servePages, startBrowser } from "./browser.mjs";
import { checkAnswer } from "./contract.mjs";
import { Api, killPrograms, start } from "./refresh_programs.mjs";

// Origins: two that CORS_ORIGINS lists, and one that it does not.
const [APP, SIGNED_OUT, EVIL] = ["app.localhost", "signed-out.localhost", "evil.localhost"];
const UPLOAD_MAX_BYTES = "300000";
const TEXT = "Patient: Ann Example\nDate: 2024-05-01\nMedication: Metformin 500 mg daily\n";

let stack, user, browser, site, page, other, third, api;
before(async () => {
  site = await servePages();
  const cors = { CORS_ORIGINS: `${site.origin(APP)}, ${site.origin(SIGNED_OUT)}` };
  [stack, browser, api] = await Promise.all([
    startExports("page", { parts: ["gateway", "storage", "relay", "provider", "workerd", "work"], functions: ["export", "documents", "processor"], realtime: true,
      env: { gateway: cors, storage: { UPLOAD_MAX_BYTES }, functions: { ...cors, UPLOAD_MAX_BYTES } } }),
    startBrowser(), Api.start()]);
  user = await author(stack);
  site.env = (host) => ({ SUPABASE_URL: stack.url, SUPABASE_ANON_KEY: stack.anonKey, USER_ID: user.sub, USER_TOKEN: host === SIGNED_OUT ? "nonsense" : user.token,
    HEARTBEAT_MS: 300 });
  await sql(`
    create table public.earnings_calendar (symbol text primary key, eps numeric, fetched_at timestamptz not null);
    grant select on public.earnings_calendar to authenticated;
    grant select, insert, update, delete on public.earnings_calendar to service_role;
    insert into public.data_type_registry (data_type, table_name, timestamp_column, staleness_function, default_ttl_minutes, edge_function_name)
    values ('earnings-calendar', 'earnings_calendar', 'fetched_at', 'is_data_stale', 60, 'fetch-fmp-earnings');
    insert into public.supported_symbols (symbol) values ('AAPL'), ('MSFT'), ('NVDA') on conflict do nothing;
    update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds';
    notify pgrst, 'reload schema'`);
  page = await openTab(browser, at("export-page"));
  [other, third] = [await openTab(browser), await openTab(browser)];
});
afterEach(killPrograms);
after(async () => {
  await browser?.close();
  api?.server.close();
  site?.close();
  await stack?.destroy();
});
const sql = async (text, values) => (await stack.postgres.query(text, values)).rows;
const at = (program, host = APP) => `${site.origin(host)}/${program}`;
const pause = (paused, queue = "exports") => sql("update mill.queue set paused = $1 where queue = $2", [paused, queue]);
/** Storage takes connections and answers nothing, so that a worker stands in the middle of its job. */
async function whileStorageHangs(work) {
  stack.parts.storage.process.kill("SIGSTOP");
  try {
    await work();
  } finally {
    stack.parts.storage.process.kill("SIGCONT");
  }
}
// The time of a killed worker's leases runs out, and the pump notices at once, not in five seconds.
const expireLeases = async (...queues) => {
  const expired = await sql("update mill.job_live set lease_until = now() where state = 'processing' and queue = any ($1) returning id", [queues]);
  await sql("select mill.pump_once()");
  return expired;
};

test("K64: a page of another origin writes a document, asks for its PDF, polls, and downloads by link, by route and by part", async () => {
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
  const listener = await other.visit(at("export-page"));
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
});

test("K64: a page cancels a job, and its EventSource hears of it", async () => {
  const listener = await other.visit(at("export-page"));
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
});

test("K65: a page hears that its export is tried again when the worker is killed in the middle, and then its end", async () => {
  const listener = await other.visit(at("export-page"));
  let listening;
  await whileStorageHangs(async () => {
    const { json: { jobId } } = await listener.run("request", await listener.run("writeDocument", "Tried again"));
    listening = listener.run("listen", jobId);
    await until(async () => (await listener.read("heard")).some(({ data }) => data?.progress === 90), "the first attempt uploading");
    await stack.parts.work.kill();
  });
  await stack.restart("work");
  assert.equal((await expireLeases("exports")).length, 1);
  await listening;
  const heard = (await listener.read("heard")).filter(({ event }) => event !== "open");
  for (const { event, data } of heard) checkAnswer(`event ${event}`, data);
  assert.deepEqual(heard.map(({ event, data }) => [event, data.status, data.progress]), [
    ["progress", "pending", 0], ...[25, 50, 75, 90].map((progress) => ["progress", "processing", progress]),
    ["progress", "pending", 90], ...Array(4).fill(["progress", "processing", 90]), ["completed", undefined, undefined]]);
  assert.equal((await listener.run("downloadByLink", heard.at(-1).data.resultUrl)).begins, "%PDF-");
});

/** Chooses a file on the upload page, and the way that it takes; gives the page. */
async function send(way, { name = `${way}.txt`, text = TEXT, host = APP, tab = other } = {}) {
  await tab.visit(at("upload-page.html", host));
  await tab.page.setInputFiles("#file", { name, mimeType: "text/plain", buffer: Buffer.from(text) });
  await tab.page.selectOption("#way", way);
  await tab.page.click("#send");
  return tab;
}
const says = (tab, key, what, at = 1) => until(() => tab.of(key).length >= at && tab.of(key), `${what} (${tab.complaints})`, 30_000);
const ended = async (tab) => {
  await until(() => tab.said.some((line) => "ended" in line || "error" in line), "the page seeing the end of its document", 30_000);
  assert.deepEqual(tab.of("error"), []);
  const [[row], [bytes]] = [tab.of("ended"), tab.of("bytes")];
  return { row, bytes };
};
const refusal = async (way, options) => (await says(await send(way, options), "error", `${way} being refused`))[0];
const documents = async () => (await sql("select count(*)::int as n from public.shell_files"))[0].n;

for (const [clause, way, what] of [["K30", "storage", "stores a file and upserts shell_files"], ["K31", "form", "hands a form to shell-file-processor-v3"],
  ["K31", "reference", "stores a file and hands its place to shell-file-processor-v3"]]) {
  test(`${clause}: a page of another origin ${what}, and sees the document completed`, async () => {
    const { row, bytes } = await ended(await send(way));
    assert.deepEqual([row.status, row.original_filename], ["completed", `${way}.txt`]);
    if (way !== "form") assert.equal(bytes, TEXT.length, "the page downloads what was scanned");
  });
}

test("K31: a page of another origin sends a file with a progress bar, and a repeat of it is the same document", async () => {
  const text = TEXT + " ".repeat(200_000);
  const network = await other.page.context().newCDPSession(other.page);
  const throttle = (uploadThroughput) => network.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput });
  await throttle(400_000); // bytes per second: the bar has time to move
  const tab = await send("file", { text });
  const [id] = await says(tab, "accepted", "the file being accepted");
  await throttle(-1);
  const sent = tab.of("sent");
  assert.ok(sent.length > 2 && sent[0] < text.length && sent.at(-1) === text.length, `the bar moved: ${sent}`);
  assert.equal((await ended(tab)).row.status, "completed");
  const before = await documents();
  await send("file", { text });
  assert.deepEqual(await says(tab, "accepted", "the repeat being accepted"), [id]);
  assert.deepEqual(tab.of("replayed"), ["true"], "the page can read that it was a repeat");
  assert.equal(await documents(), before);
});

test("K30, K31: documents of both flows whose worker is killed in the middle are completed by the next worker, and their pages see it", async () => {
  await pause(true, "fast");
  const tabs = await Promise.all([["storage", other], ["form", third]].map(([way, tab]) => send(way, { tab, name: `killed-${way}.txt` })));
  for (const tab of tabs) await says(tab, "accepted", "the document being accepted");
  await whileStorageHangs(async () => {
    await pause(false, "fast");
    await until(async () => (await sql("select from mill.job_live where queue = 'fast' and state = 'processing'")).length === 2, "the worker reading both files");
    await stack.parts.work.kill();
  });
  await stack.restart("work");
  assert.equal((await expireLeases("fast")).length, 2);
  for (const { row } of await Promise.all(tabs.map(ended))) assert.equal(row.status, "completed", JSON.stringify(row.processing_error));
  const rows = await sql("select status, processing_error #>> '{error_history,0,heartbeat_expired}' as lost from public.shell_files where original_filename like 'killed-%'");
  assert.deepEqual(rows, Array(2).fill({ status: "completed", lost: "true" }), "one document each, which has lost its first worker");
});

test("K30, K31: a page reads why an upload is refused, whoever refuses it", async () => {
  const before = await documents();
  const tooLarge = { text: "x".repeat(400_000) };
  // More than the buffers between browser and function hold: the refusal comes while the browser is still sending.
  const muchTooLarge = { text: "x".repeat(3_000_000) };
  const answers = {
    "storage, a token that does not hold": await refusal("storage", { host: SIGNED_OUT }),
    "the function, a token that does not hold": await refusal("file", { host: SIGNED_OUT }),
    "REST, a token that does not hold": await refusal("form", { host: SIGNED_OUT }),
    "storage, a file over the limit": await refusal("storage", tooLarge),
    "the function, a file over the limit": await refusal("file", muchTooLarge),
    "the function, a form over the limit": await refusal("form", tooLarge),
  };
  await stack.parts.storage.kill();
  answers["the gateway, while storage is away"] = await refusal("storage");
  await stack.restart("storage");
  assert.deepEqual(Object.fromEntries(Object.entries(answers).map(([what, { at, status, body }]) => [what, [at, status, body.code ?? body.message]])), {
    "storage, a token that does not hold": ["storage", 403, "Invalid Compact JWS"],
    "the function, a token that does not hold": ["function", 401, "token_refused"],
    "REST, a token that does not hold": ["profile", 401, "PGRST301"],
    "storage, a file over the limit": ["storage", 413, "The object exceeded the maximum allowed size"],
    "the function, a file over the limit": ["function", 413, "too_large"],
    "the function, a form over the limit": ["function", 413, "too_large"],
    "the gateway, while storage is away": ["storage", 502, "The service behind /storage/v1 cannot be reached"],
  });
  assert.equal(await documents(), before);
});

const watch = (symbol, type, table, host) => other.visit(at(`refresh-page.html?${new URLSearchParams({ symbol, type, table })}`, host));
const subscriptions = () => sql("select symbol, last_seen_at > subscribed_at as seen from public.active_subscriptions_v2 where user_id = $1", [user.sub]);
async function leave(tab) {
  await tab.page.click("#leave");
  assert.deepEqual(await says(tab, "left", "the page having left"), [true]);
  assert.deepEqual(tab.complaints, []);
}

test("K52: a page of another origin subscribes, sends heartbeats, shows what its subscription had refreshed, and unsubscribes", async () => {
  const tab = await watch("AAPL", "quote", "quotes");
  const [first] = await says(tab, "subscription", "the page subscribing");
  checkAnswer("subscription answer", first);
  assert.deepEqual(first, { status: "new", queued: 1 });
  const [inserted] = await says(tab, "change", "the page seeing the refreshed quote");
  checkAnswer("postgres_changes payload", inserted);
  assert.deepEqual([inserted.eventType, inserted.table, inserted.new.symbol, typeof inserted.new.price], ["INSERT", "quotes", "AAPL", "number"]);
  await sql("update public.quotes set price = 12.5 where symbol = 'AAPL'");
  await tab.page.waitForFunction(() => JSON.parse(document.getElementById("row").textContent).price === 12.5);
  await says(tab, "subscription", "three heartbeats", 3);
  assert.deepEqual(await subscriptions(), [{ symbol: "AAPL", seen: true }]);
  await leave(tab);
  assert.deepEqual(await subscriptions(), []);
});

test("K30, K31, K52, K65: when workerd is killed under three pages, EventSource and our processor go on where they were, and an upload meanwhile is a 502 that its page reads", async () => {
  const [listener, watcher, uploader] = [page, other, third];
  await pause(true);
  const { json: { jobId } } = await listener.run("request", await listener.run("writeDocument", "Interrupted"));
  const listening = listener.run("listen", jobId);
  await until(async () => (await listener.read("heard")).some(({ event }) => event === "progress"), "the first event");
  const provider = (method, body) => fetch(`${stack.providerUrl}/control`, { method, body: JSON.stringify(body) });
  await provider("POST", { mode: "honest", symbol: "MSFT", latency_ms: 3000 });
  await watch("MSFT", "quote", "quotes");
  await until(async () => (await (await fetch(`${stack.providerUrl}/control/calls`)).json()).calls.some(({ symbol }) => symbol === "MSFT"), "our processor fetching");
  await stack.parts.workerd.kill();
  await provider("DELETE");

  for (const way of ["file", "form"]) {
    const { at, status, body } = await refusal(way, { tab: uploader, name: "away.txt" });
    assert.deepEqual([at, status, body.code], ["function", 502, "GWT502"], way);
  }
  // The browser has tried once and found nobody before workerd is there again.
  await until(async () => (await listener.read("heard")).filter(({ event }) => event === "error").length >= 2, "the browser trying again", 20_000);
  await stack.restart("workerd");
  await pause(false);

  await listening;
  const heard = await listener.read("heard");
  assert.equal(heard.at(-1).event, "completed", JSON.stringify(heard));
  const steps = heard.filter(({ event }) => event === "progress").map(({ data }) => data.progress);
  assert.deepEqual(steps, [0, 25, 50, 75, 90], "nothing is heard twice, and nothing is missed");
  const [change] = await says(watcher, "change", "the page seeing the quote that the next processor fetched");
  assert.deepEqual([change.eventType, change.new.symbol], ["INSERT", "MSFT"]);
  await leave(watcher);
});

test("K52: a page gets its change when a refresh processor is killed in the middle and a second one finishes", async () => {
  const tab = await watch("AAPL", "earnings-calendar", "earnings_calendar");
  await says(tab, "subscription", "the page subscribing");
  const release = api.hold("AAPL");
  const first = start(stack, "refresh-processor", { API_URL: api.url });
  await until(() => api.calls.includes("AAPL"), "the first processor fetching");
  first.child.kill("SIGKILL");
  assert.equal(await first.ended, "SIGKILL");
  release();
  assert.deepEqual(tab.of("change"), []);
  const second = start(stack, "refresh-processor", { API_URL: api.url, STUCK_MINUTES: "0" });
  const [change] = await says(tab, "change", "the page seeing what the second processor fetched");
  assert.deepEqual([change.eventType, change.new.symbol, change.new.eps], ["INSERT", "AAPL", 1.25]);
  assert.equal(await second.ended, 0, second.complaints);
  assert.equal(tab.of("change").length, 1);
  await leave(tab);
});

test("K52: when the gateway is killed and started again, a page's channel joins again by itself and gets the next change", async () => {
  const tab = await watch("NVDA", "earnings-calendar", "earnings_calendar");
  await says(tab, "subscription", "the page subscribing");
  await stack.parts.gateway.kill();
  await until(() => tab.of("status").at(-1) !== "SUBSCRIBED", "the page noticing");
  await sql("insert into public.earnings_calendar values ('NVDA', 2, now())");
  await stack.restart("gateway");
  await until(() => tab.of("status").at(-1) === "SUBSCRIBED", "the page's channel being joined again", 30_000);
  await sql("update public.earnings_calendar set eps = 2.5 where symbol = 'NVDA'");
  const changes = await says(tab, "change", "the page seeing the next change");
  assert.deepEqual(changes.map(({ eventType, new: { eps } }) => [eventType, eps]), [["UPDATE", 2.5]], "what was committed while no channel was joined is not delivered");
  const heartbeats = tab.of("subscription").length;
  await says(tab, "subscription", "heartbeats going on", heartbeats + 1);
  await leave(tab);
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

// The browser sends no request of theirs that needs asking, so nothing has changed; and whatever was asked is answered without a word about origins.
async function toldNothing(requests) {
  assert.ok(requests.length > 0, "the page has tried");
  for (const { url, method } of requests) {
    const headers = { origin: site.origin(EVIL) };
    const preflight = await fetch(url, { method: "OPTIONS", headers: { ...headers, "access-control-request-method": method, "access-control-request-headers": "authorization,apikey" } });
    for (const answer of [preflight, await fetch(url, { method: "GET", headers })]) {
      assert.deepEqual([...answer.headers.keys()].filter((name) => name.startsWith("access-control-")), [], `${method} ${url}`);
    }
  }
}

test("an export page of an origin that CORS_ORIGINS does not list sees network errors and changes nothing", async () => {
  const evil = await other.visit(at("export-page", EVIL));
  const headers = { authorization: `Bearer ${user.token}`, apikey: stack.anonKey };
  const count = async () => (await sql("select (select count(*) from public.documents)::int as documents, (select count(*) from mill.export)::int as exports"))[0];
  const before = await count();
  for (const [place, init] of [["/rest/v1/documents?select=id", { headers }], ["/rest/v1/documents", { method: "POST", body: "{}", headers }], ["/functions/v1/export/v1/exports", { headers }],
    ["/api/v1/export/pdf", { method: "POST", body: "{}", headers }], ["/api/v1/export/cleanup", { method: "POST", headers }], ["/storage/v1/status", {}],
    ["/functions/v1/export/openapi.json", {}], ["/functions/v1/none", {}]]) {
    assert.deepEqual(await evil.run("attempt", place, init), { failed: "TypeError" }, place);
    assert.ok("status" in (await page.run("attempt", place, init)), `${place}: the allowed page sees it`);
  }
  await assert.rejects(evil.run("writeDocument", "Not mine"), /Failed to fetch/);
  await assert.rejects(evil.run("listen", "00000000-0000-4000-8000-000000000000"), /Failed to fetch/);
  await toldNothing(evil.requests);
  assert.deepEqual(await count(), before);
});

test("an upload page of an origin that CORS_ORIGINS does not list sees network errors in both flows and stores nothing", async () => {
  const before = [await documents(), objects(stack).length];
  for (const [way, at] of [["storage", "storage"], ["file", "function"], ["form", "profile"]]) {
    const tab = await send(way, { host: EVIL });
    const [error] = await says(tab, "error", "the upload failing");
    assert.deepEqual([error.at, error.status || null], [at, null], `${way}: ${JSON.stringify(error)}`); // an answer would have a status
    assert.match(error.body?.message ?? "Failed to fetch", /Failed to fetch/);
    await toldNothing(tab.requests);
  }
  assert.deepEqual([await documents(), objects(stack).length], before);
});

test("a refresh page of an origin that CORS_ORIGINS does not list opens no WebSocket, hears nothing, and has no subscription", async () => {
  const tab = await watch("AAPL", "quote", "quotes", EVIL);
  const [status] = await says(tab, "status", "the channel failing");
  assert.equal(status, "CHANNEL_ERROR");
  assert.deepEqual([tab.of("change"), tab.of("subscription")], [[], []]);
  assert.deepEqual(await subscriptions(), []);
});

test("a WebSocket is opened for programs, which send no origin, and for pages of origins that CORS_ORIGINS lists, and for no others", async () => {
  const url = `${stack.url.replace("http", "ws")}/realtime/v1/websocket?vsn=1.0.0&apikey=${stack.anonKey}`;
  const answer = (origin) => new Promise((resolve) => {
    const socket = new WebSocket(url, { headers: origin === null ? {} : { origin } });
    socket.on("open", () => resolve(socket.terminate() ?? 101)).on("unexpected-response", (_, { statusCode }) => resolve(statusCode));
  });
  for (const [origin, status] of [[null, 101], [site.origin(APP), 101], [site.origin(EVIL), 403], ["null", 403], ["", 403]]) assert.equal(await answer(origin), status, `origin ${origin}`);
});
