// The functions under their compatible names (functions.mjs), the compatible routes of exports, their streams and downloads, and what browsers of other origins
// are told: against real functions, in both runtimes where they differ, with files in storage and in R2.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import { createClient } from "@supabase/supabase-js";
import ws from "ws";

import { author, objects, readEvents, startExports } from "../exports/harness.mjs";
import { until } from "../support.mjs";
import { checkAnswer } from "./contract.mjs";
import { checkNames, checkQueuesOfOthers } from "./functions.mjs";

const SECONDS = 6; // of a stream, instead of 60
const supabase = (stack, token) => createClient(stack.url, stack.anonKey, { accessToken: async () => token, realtime: { transport: ws } });

// The compatible routes at the root of the address, as compat clients call them.
const at = (stack, user) => async (method, route, { body, headers = {}, ...init } = {}) => {
  const answer = await fetch(`${stack.url}/api/v1/export/${route}`, { method, body: body && JSON.stringify(body), redirect: "manual",
    headers: { ...(user && { authorization: `Bearer ${user.token}` }), "content-type": "application/json", ...headers }, ...init });
  const type = answer.headers.get("content-type") ?? "";
  return { status: answer.status, headers: answer.headers, answer, json: /json/.test(type) ? await answer.json() : null };
};

// What a browser or curl does with a link: whole, in parts, again where it was cut off, only looking.
async function checkDownload(url, name, size) {
  const get = async (headers = {}, method = "GET") => {
    const answer = await fetch(url, { method, headers: { origin: "https://anywhere.test", ...headers } });
    return { status: answer.status, header: (key) => answer.headers.get(key), bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  const whole = await get();
  assert.deepEqual([whole.status, whole.bytes.length, whole.header("content-length"), whole.header("accept-ranges")], [200, size, String(size), "bytes"]);
  assert.deepEqual([whole.header("content-type"), whole.header("x-content-type-options")], ["application/pdf", "nosniff"]);
  assert.equal(whole.header("content-disposition"), name);
  assert.equal(whole.header("access-control-allow-origin"), "*", "whoever has the link may read");
  const etag = whole.header("etag");
  assert.match(etag, /^"[^"]+"$/);
  const looked = await get({}, "HEAD");
  assert.deepEqual([looked.status, looked.bytes.length, looked.header("content-length"), looked.header("etag")], [200, 0, String(size), etag]);
  for (const [range, from, to] of [["bytes=0-9", 0, 9], ["bytes=10-", 10, size - 1], ["bytes=-7", size - 7, size - 1], [`bytes=5-${size * 2}`, 5, size - 1]]) {
    const part = await get({ range });
    assert.deepEqual([part.status, part.header("content-range"), part.header("content-length")], [206, `bytes ${from}-${to}/${size}`, String(to - from + 1)], range);
    assert.ok(part.bytes.equals(whole.bytes.subarray(from, to + 1)), range);
  }
  const beyond = await get({ range: `bytes=${size}-` });
  assert.deepEqual([beyond.status, beyond.header("content-range"), beyond.bytes.length], [416, `bytes */${size}`, 0]);
  assert.equal((await get({ range: "bytes=4-", "if-range": etag })).status, 206);
  assert.equal((await get({ range: "bytes=4-", "if-range": '"another"' })).status, 200);
  assert.equal((await get({ range: "bytes=1-2,5-6" })).status, 200);
}

// The stack's files lie in `storage`.
function checkLinks(storage) {
  test(`a link from ${storage} has file name, length, ETag and ranges, and answers HEAD`, async () => {
    const { file, id } = await user.ended((await user.order(await user.write('Müller "CV"; final'))).id);
    const name = `attachment; filename="M_ller -CV-_ final.pdf"; filename*=UTF-8''M%C3%BCller%20-CV-%3B%20final.pdf`;
    const redirect = await user.open(`v1/exports/${id}/download`, { redirect: "manual" });
    await checkDownload(redirect.headers.get("location"), name, file.size);
    const job = await at(stack, user)("GET", `job/${id}`);
    await checkDownload(job.json.resultUrl, name, file.size);
  });

  test(`K64: a stream under a ticket ends with a link that needs no token, files in ${storage}`, async () => {
    const { id } = await user.order(await user.write("By ticket"));
    const { json: { ticket } } = await at(stack, user)("POST", `job/${id}/stream/ticket`);
    const { events } = await readEvents(await fetch(`${stack.url}/api/v1/export/job/${id}/stream?ticket=${ticket}`));
    const { event, data } = events.at(-1);
    assert.equal(event, "completed");
    assert.equal((await fetch(data.resultUrl)).status, 200);
  });
}

let stack, user;
before(async () => {
  stack = await startExports("routes", { parts: ["gateway", "storage", "work", "relay", "workerd"], env: { functions: { SSE_SECONDS: String(SECONDS) } } });
  user = await author(stack);
});
after(() => stack?.destroy());

// First: health is green while nothing has failed yet.
checkNames("workerd", () => stack);
checkQueuesOfOthers(() => stack);

describe("workerd, files in storage", () => {
  let api;
  before(() => { api = at(stack, user); });
  const sql = async (text, values) => (await stack.postgres.query(text, values)).rows;
  const setting = (key, value) => sql("update mill.settings set value = $2 where key = $1", [key, String(value)]);
  const paused = async (work) => {
    await sql("update mill.queue set paused = true where queue = 'exports'");
    try {
      return await work();
    } finally {
      await sql("update mill.queue set paused = false where queue = 'exports'");
    }
  };
  const ended = (id) => until(async () => {
    const { json } = await api("GET", `job/${id}`);
    return ["completed", "failed", "cancelled"].includes(json.status) && json;
  }, `export ${id}`);
  const order = async (title, more = {}, by = user) => {
    const { status, json } = await at(stack, by)("POST", "pdf", { body: { documentId: await by.write(title), ...more } });
    assert.equal(status, 202, JSON.stringify(json));
    checkAnswer("POST pdf", json);
    return json.jobId;
  };
  const listen = async (id, headers = {}, by = user) => fetch(`${stack.url}/api/v1/export/job/${id}/stream`, { headers: { authorization: `Bearer ${by.token}`, ...headers } });

  test("K64: a PDF is asked for with every compatible option, polled, and downloaded by its resultUrl without a token", async () => {
    const id = await order("Ünïcode / résumé", { templateSlug: "classic",
      options: { pageSize: "Legal", margins: { top: 0, bottom: 2, left: 1, right: 0.5 }, quality: "normal", colorMode: "grayscale", anything: 1 } });
    const [{ template, options }] = await sql("select template, options from mill.export where id = $1", [id]);
    assert.deepEqual([template, options], ["classic", { page_size: "legal", quality: "standard", color_mode: "grayscale",
      margins: { top: 0, bottom: 2, left: 1, right: 0.5 } }]);
    await ended(id);
    const { json: job } = await api("GET", `job/${id}`);
    checkAnswer("GET job", job);
    assert.deepEqual([job.id, job.status, job.progress, job.error], [id, "completed", 100, null]);
    assert.deepEqual(job.data, Object.fromEntries(Object.entries(job).filter(([key]) => key !== "data")));
    const file = await fetch(job.resultUrl);
    assert.deepEqual([file.status, (await file.text()).slice(0, 5)], [200, "%PDF-"]);
    assert.match(file.headers.get("content-disposition"), /filename\*=UTF-8''%C3%9Cn%C3%AFcode%20-%20r%C3%A9sum%C3%A9\.pdf$/);
    assert.deepEqual(await sql("select download_count from mill.export_history where id = $1", [id]), [{ download_count: 0 }], "looking is no download");
  });

  for (const [what, options] of [["margins over 2 inches", { margins: { top: 2.01 } }], ["margins below 0", { margins: { left: -0.1 } }], ["other paper", { pageSize: "A3" }],
    ["an unknown quality", { quality: "best" }], ["an unknown colour mode", { colorMode: "sepia" }], ["an unknown template", { templateSlug: "gothic" }]]) {
    test(`K64: an order with ${what} is a 400`, async () => {
      const { status } = await api("POST", "pdf", { body: { documentId: await user.write("Refused"), options } });
      assert.equal(status, 400);
    });
  }

  test("K64: a batch answers its jobs in order, is a 206 while some are being made, and then a ZIP named after it; one past ten is a 400", async () => {
    const documentIds = [];
    for (let n = 0; n < 2; n += 1) documentIds.push(await user.write(`Document ${n}`));
    const batch = await paused(async () => {
      const { status, json } = await api("POST", "batch", { body: { documentIds, options: { templateSlug: "modern" } } });
      assert.equal(status, 202);
      checkAnswer("POST batch", json);
      assert.deepEqual(json.jobs.map(({ documentId }) => documentId), documentIds);
      const none = await api("GET", `batch/${json.batchId}/download`);
      assert.deepEqual([none.status, none.json.completedCount, none.json.totalCount, none.json.completedJobs], [206, 0, 2, []]);
      await sql("update mill.job_live set state = 'deferred', waits = true, run_at = now() + interval '1 hour' where id = $1", [json.jobs[1].jobId]);
      return json;
    });
    await ended(batch.jobs[0].jobId);
    const some = await api("GET", `batch/${batch.batchId}/download`);
    assert.deepEqual([some.status, some.json.completedCount, some.json.totalCount], [206, 1, 2]);
    checkAnswer("GET batch download, unfinished", some.json);
    assert.equal((await fetch(some.json.completedJobs[0].resultUrl)).status, 200);
    await sql("update mill.job_live set run_at = now() where id = $1", [batch.jobs[1].jobId]);
    await ended(batch.jobs[1].jobId);
    const whole = await api("GET", `batch/${batch.batchId}/download`);
    assert.deepEqual([whole.status, whole.headers.get("content-type"), whole.headers.get("content-disposition")], [200, "application/zip",
      `attachment; filename="resumes-${batch.batchId}.zip"; filename*=UTF-8''resumes-${batch.batchId}.zip`]);
    const zip = path.join(os.tmpdir(), `gristmill-routes-${process.pid}.zip`);
    fs.writeFileSync(zip, Buffer.from(await whole.answer.arrayBuffer()));
    try {
      assert.match(execFileSync("unzip", ["-t", zip], { encoding: "utf8" }), /Document 0\.pdf[\s\S]*Document 1\.pdf[\s\S]*No errors/);
    } finally {
      fs.rmSync(zip);
    }
    const many = await api("POST", "batch", { body: { documentIds: Array.from({ length: 11 }, () => documentIds[0]) } });
    assert.equal(many.status, 400, "past ten");
    assert.equal((await api("POST", "batch", { body: { documentIds: [] } })).status, 400, "none");
  });

  test("K64: a file that a worker of the user's own has put elsewhere is shown and redirected to where it is", async () => {
    const elsewhere = "https://files.example.com/a.pdf";
    const serve = (by) => sql("update mill.queue set served_by = $1 where queue = 'exports'", [by]);
    const service = supabase(stack, stack.serviceKey);
    await serve("external"); // our own worker leaves it alone
    const id = await (async () => {
      const id = await order("Elsewhere");
      const { data } = await service.rpc("fetch_next_export_job", { p_user_id: user.sub });
      assert.equal(data[0]?.id, id);
      const { error } = await service.from("export_jobs").update({ status: "completed", progress: 100, result_url: elsewhere, file_size: 1, page_count: 1,
        completed_at: new Date().toISOString() }).eq("id", id);
      assert.equal(error, null);
      return id;
    })().finally(() => serve("worker"));
    assert.equal((await api("GET", `job/${id}`)).json.resultUrl, elsewhere);
    const { events } = await readEvents(await listen(id));
    assert.deepEqual([events.at(-1).event, events.at(-1).data.resultUrl], ["completed", elsewhere]);
    const redirect = await api("GET", `download/${id}`);
    assert.deepEqual([redirect.status, redirect.headers.get("location")], [302, elsewhere]);
  });

  test("K64: cancelling answers a message, and a second time a 409", () => paused(async () => {
    const id = await order("Cancelled");
    const { status, json } = await api("DELETE", `job/${id}`);
    assert.equal(status, 200);
    checkAnswer("DELETE job", json);
    assert.equal((await api("GET", `job/${id}`)).json.status, "cancelled");
    assert.equal((await api("DELETE", `job/${id}`)).status, 409);
  }));

  test("K64: the stream tells progress, then the end with a link; a failure with its reason; a cancelled one as such", async () => {
    const { events } = await readEvents(await listen(await order("Watched")));
    for (const { event, data } of events) checkAnswer(`event ${event}`, data);
    assert.deepEqual(events.map(({ event, data }) => [event, data.status, data.progress]), [["progress", "pending", 0], ["progress", "processing", 25],
      ["progress", "processing", 50], ["progress", "processing", 75], ["progress", "processing", 90], ["completed", undefined, undefined]]);
    assert.equal((await fetch(events.at(-1).data.resultUrl)).status, 200);

    const poor = await author(stack);
    await setting("exports.storage_limit_bytes", 100);
    const failed = (await readEvents(await listen(await order("Too large", {}, poor), {}, poor))).events.at(-1);
    await setting("exports.storage_limit_bytes", 104857600);
    assert.equal(failed.event, "failed");
    checkAnswer("event failed", failed.data);

    await paused(async () => {
      const id = await order("Unwanted");
      const listening = listen(id).then((answer) => readEvents(answer));
      await api("DELETE", `job/${id}`);
      const { event, data } = (await listening).events.at(-1);
      assert.equal(event, "cancelled");
      checkAnswer("event cancelled", data);
    });
  });

  test("K64: a stream that nothing ends says timeout, and the next one goes on after the last event", () => paused(async () => {
    const id = await order("Waiting");
    const started = Date.now();
    const { events, retry } = await readEvents(await listen(id));
    assert.ok(Date.now() - started >= SECONDS * 1000 - 100);
    assert.deepEqual([events.map(({ event }) => event), retry], [["progress", "timeout"], 1000]);
    checkAnswer("event timeout", events[1].data);
    await api("DELETE", `job/${id}`);
    const next = await readEvents(await listen(id, { "last-event-id": String(events[0].id) }));
    assert.deepEqual(next.events.map(({ event }) => event), ["cancelled"]);
  }));

  test("K64: a stream that cannot be begun because the database is away says error, so that an EventSource comes back", () => paused(async () => {
    const id = await order("Interrupted");
    await sql("alter function public.export_events(uuid, bigint) rename to export_events_away");
    await sql("notify pgrst, 'reload schema'");
    try {
      const { events } = await until(async () => {
        const answer = await listen(id);
        const read = await readEvents(answer);
        return read.events[0]?.event === "error" && read;
      }, "an event error", 20_000);
      checkAnswer("event error", events[0].data);
    } finally {
      await sql("alter function public.export_events_away(uuid, bigint) rename to export_events");
      await sql("notify pgrst, 'reload schema'");
      await until(async () => (await readEvents(await listen(id), 1)).events[0].event === "progress", "the stream coming back", 20_000);
    }
  }));

  test("K64: a download is a redirect to a file, counts, is a 410 once expired, and cleanup for the service alone says how many it deleted", async () => {
    const id = await order("Downloaded");
    await ended(id);
    const redirect = await api("GET", `download/${id}`);
    assert.equal(redirect.status, 302);
    assert.equal((await fetch(redirect.headers.get("location"))).status, 200);
    assert.deepEqual(await sql("select download_count from mill.export_history where id = $1", [id]), [{ download_count: 1 }]);
    const refused = await api("POST", "cleanup");
    assert.equal(refused.status, 403);
    assert.equal((await at(stack, null)("POST", "cleanup")).status, 401);
    const [{ file_path }] = await sql("select file_path from mill.export_history where id = $1", [id]);
    await sql("update mill.export_history set expires_at = now() - interval '1 minute' where id = $1", [id]);
    await sql("update mill.export_file set expires_at = now() - interval '1 minute' where export_id = $1", [id]);
    assert.equal((await api("GET", `download/${id}`)).status, 410);
    const isThere = () => objects(stack).some((key) => key.endsWith(file_path.split("/").at(-1)));
    assert.ok(isThere());
    const cleaned = await at(stack, { token: stack.serviceKey })("POST", "cleanup");
    assert.deepEqual([cleaned.status, cleaned.json.deletedCount, cleaned.json.data.deletedCount], [200, 1, 1]);
    checkAnswer("POST cleanup", cleaned.json);
    assert.ok(!isThere());
    assert.equal((await api("GET", `download/${id}`)).status, 410);
  });

  test("K64: a full storage is a 507 that says used and limit in MB", async () => {
    const id = await order("Large");
    await ended(id);
    const documentId = await user.write("One more");
    await setting("exports.storage_limit_bytes", 10486);
    const { status, json } = await api("POST", "pdf", { body: { documentId } });
    await setting("exports.storage_limit_bytes", 104857600);
    assert.equal(status, 507);
    checkAnswer("507", json);
    assert.ok(json.used > 0.01 && json.used < 1 && json.limit === 0.01, JSON.stringify(json));
    assert.match(json.detail, new RegExp(`${json.used} MB of ${json.limit} MB`));
  });

  test("K64: what is another's looks like what does not exist, on every compatible route", async () => {
    const id = await order("Private");
    const other = at(stack, await author(stack));
    for (const [method, route] of [["GET", "job/ID"], ["DELETE", "job/ID"], ["GET", "job/ID/stream"], ["POST", "job/ID/stream/ticket"], ["GET", "download/ID"], ["GET", "batch/ID/download"]]) {
      const [asked, absent] = [await other(method, route.replace("ID", id)), await other(method, route.replace("ID", randomUUID()))];
      assert.deepEqual([asked.status, absent.status], [404, 404], route);
      assert.deepEqual({ ...asked.json, correlation_id: "" }, { ...absent.json, correlation_id: "" }, route);
      assert.equal((await at(stack, null)(method, route.replace("ID", id))).status, 401, route);
    }
  });

  test("K65: cron entry cleanup-expired-exports calls the function cleanup-exports, which answers how many it deleted to the service and to nobody else", async () => {
    const id = await order("Expired");
    await ended(id);
    await sql("update mill.export_history set expires_at = now() - interval '1 minute' where id = $1", [id]);
    await sql("update mill.export_file set expires_at = now() - interval '1 minute' where export_id = $1", [id]);
    for (const token of [user.token, stack.anonKey]) {
      const { error } = await supabase(stack, token).functions.invoke("cleanup-exports", { body: {} });
      assert.equal(error?.context.status, 403);
    }
    const { data, error } = await supabase(stack, stack.serviceKey).functions.invoke("cleanup-exports", { body: {} });
    assert.equal(error, null);
    checkAnswer("cleanup-exports", data);
    assert.equal(data.deleted, 1);

    const second = await order("Expired too");
    await ended(second);
    await sql("update mill.export_history set expires_at = now() - interval '1 minute' where id = $1", [second]);
    await sql("update mill.export_file set expires_at = now() - interval '1 minute' where export_id = $1", [second]);
    const [{ command }] = await sql("select command from cron.job where jobname = 'cleanup-expired-exports'");
    await sql(command); // as cron runs it
    await until(async () => (await sql("select from mill.export_file where export_id = $1", [second])).length === 0, "the cron entry deleting the file", 20_000);
  });

  test("K65: a ticket opens one stream without a token, also again, and nothing else", () => paused(async () => {
    const [id, other] = [await order("Ticketed"), await order("Another")];
    const { status, json } = await api("POST", `job/${id}/stream/ticket`);
    assert.equal(status, 200);
    checkAnswer("POST job stream ticket", json);
    const seconds = (new Date(json.expiresAt) - Date.now()) / 1000;
    assert.ok(seconds > 60 && seconds < 80, `${seconds} s`);
    assert.ok(!json.ticket.includes(user.token.split(".")[2]));
    const open = (route, ticket = json.ticket) => fetch(`${stack.url}/api/v1/export/${route}?ticket=${ticket}`);
    for (let n = 0; n < 2; n += 1) assert.equal((await readEvents(await open(`job/${id}/stream`), 1)).events[0].event, "progress");
    assert.equal((await readEvents(await fetch(`${stack.url}/functions/v1/export/v1/exports/${id}/events?ticket=${json.ticket}`), 1)).events[0].event, "progress");
    for (const route of [`job/${other}/stream`, `job/${id}`, `download/${id}`]) assert.equal((await open(route)).status, 401, route);
    for (const ticket of [`${json.ticket.slice(0, -2)}xx`, "x", user.token]) assert.equal((await open(`job/${id}/stream`, ticket)).status, 401);
    await setting("streams.ticket_seconds", 2);
    const short = (await api("POST", `job/${id}/stream/ticket`)).json.ticket;
    await setting("streams.ticket_seconds", 75);
    const { events } = await readEvents(await open(`job/${id}/stream`, short));
    assert.deepEqual(events.map(({ event }) => event), ["progress", "timeout"], "a running stream ends with its ticket");
    assert.equal((await open(`job/${id}/stream`, short)).status, 401);
  }));

  test("every stream of events has tickets: of a batch, a document, a workflow and changed data", async () => {
    const { json: batch } = await user.call("POST", "v1/exports/batch", { body: { document_ids: [await user.write("Batched")] } });
    const document = await fetch(`${stack.url}/functions/v1/upload/v1/documents`, { method: "POST", body: "Some plain words", headers: { authorization: `Bearer ${user.token}` } });
    const workflow = await fetch(`${stack.url}/functions/v1/jobs/v1/jobs`, { method: "POST", body: JSON.stringify({ type: "echo", params: { message: "once" } }),
      headers: { authorization: `Bearer ${user.token}`, "content-type": "application/json" } });
    const streams = [`export/v1/exports/batch/${batch.id}/events`, `jobs/v1/jobs/${(await workflow.json()).id}/events`, `upload/v1/documents/${(await document.json()).id}/events`, "refresh/v1/changes"];
    for (const stream of streams) {
      const asked = await fetch(`${stack.url}/functions/v1/${stream}/ticket`, { method: "POST", headers: { authorization: `Bearer ${user.token}` } });
      const { ticket } = await asked.json();
      assert.equal(asked.status, 200, stream);
      const leaving = new AbortController();
      const answer = await fetch(`${stack.url}/functions/v1/${stream}?ticket=${ticket}`, { signal: leaving.signal });
      assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "text/event-stream; charset=utf-8"], stream);
      leaving.abort();
      assert.equal((await fetch(`${stack.url}/functions/v1/${stream}`)).status, 401, stream);
    }
  });

  const preflight = (url, origin, headers = "authorization,apikey,content-type,idempotency-key,last-event-id,x-mine") => fetch(url, { method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": headers } });
  const PATHS = ["/rest/v1/documents", "/storage/v1/object/gristmill/x", "/functions/v1/export/v1/exports", "/functions/v1/none", "/api/v1/export/pdf", "/documents"];

  test("a page of an allowed origin may send what our clients send and read what they read, also refusals, on every path", async () => {
    const origin = "http://localhost:5173";
    for (const place of PATHS) {
      const asked = await preflight(`${stack.url}${place}`, origin);
      assert.ok(asked.ok, `${place}: ${asked.status}`);
      const allowed = asked.headers.get("access-control-allow-headers").split(", ");
      for (const header of ["authorization", "apikey", "content-type", "x-client-info", "idempotency-key", "prefer", "range", "accept-profile", "content-profile", "x-upsert",
        "x-retry-count", "last-event-id", "traceparent", "x-mine"]) assert.ok(allowed.includes(header), `${place}: ${header}`);
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) assert.ok(asked.headers.get("access-control-allow-methods").includes(method), `${place}: ${method}`);
      const refused = await fetch(`${stack.url}${place}`, { method: "POST", body: "{}", headers: { origin, authorization: "Bearer nonsense" } });
      assert.ok(refused.status >= 400, `${place}: ${refused.status}`);
      for (const answer of [asked, refused]) {
        assert.equal(answer.headers.get("access-control-allow-origin"), origin, place);
        assert.equal(answer.headers.get("access-control-allow-credentials"), null, place);
        assert.match(answer.headers.get("vary"), /origin/i, place);
      }
      for (const header of ["content-range", "content-length", "content-disposition", "location", "idempotent-replayed", "retry-after", "etag"]) {
        assert.ok(refused.headers.get("access-control-expose-headers").split(", ").includes(header), `${place}: ${header}`);
      }
    }
  });

  test("a page of another origin is told nothing that a browser would go by, on every path", async () => {
    for (const origin of ["https://evil.test", "null", "http://localhost.evil.test", "http://localhost:80@evil.test"]) {
      for (const place of PATHS) {
        const answers = [await preflight(`${stack.url}${place}`, origin), await fetch(`${stack.url}${place}`, { headers: { origin } })];
        for (const answer of answers) {
          const said = [...answer.headers.keys()].filter((name) => name.startsWith("access-control-"));
          assert.deepEqual(said, [], `${place} for ${origin}`);
        }
      }
    }
  });

  test("every function answers preflights by itself, as it must where no gateway stands before it", async () => {
    for (const name of ["enqueue", "processor", "health", "upload", "audit", "usage", "refresh", "cleanup", "export", "jobs"]) {
      const url = `${stack.functionsUrl}/functions/v1/${name}/v1/x`;
      const [asked, other] = [await preflight(url, "http://localhost:5173"), await preflight(url, "https://evil.test")];
      assert.deepEqual([asked.status, asked.headers.get("access-control-allow-origin")], [204, "http://localhost:5173"], name);
      assert.match(asked.headers.get("access-control-allow-headers"), /idempotency-key.*x-mine/, name);
      assert.equal(other.headers.get("access-control-allow-origin"), null, name);
    }
  });

  checkLinks("storage");

  test("a signed link of supabase-js takes the name to save under, as on Supabase, and without one the object's own", async () => {
    const { id, file } = await user.ended((await user.order(await user.write("Linked"))).id);
    const { data: { file_path } } = await supabase(stack, user.token).from("export_history").select("file_path").eq("id", id).single();
    const bucket = supabase(stack, user.token).storage.from("exports");
    const link = async (options) => fetch((await bucket.createSignedUrl(file_path, 60, options)).data.signedUrl);
    assert.match((await link({ download: "Über mich.pdf" })).headers.get("content-disposition"), /^attachment; filename="_ber mich\.pdf"; filename\*=UTF-8''%C3%9Cber%20mich\.pdf$/);
    const own = file_path.split("/").at(-1);
    for (const options of [{ download: true }, {}]) assert.match((await link(options)).headers.get("content-disposition"), new RegExp(`filename="${own}"`));
    assert.equal((await bucket.download(file_path)).data.size, file.size);
    const evil = await link({ download: 'a"\r\nset-cookie: x=1\r\n/../b.pdf' });
    assert.equal(evil.headers.get("set-cookie"), null);
    assert.equal(evil.status, 200);
  });
});

describe("workerd, files in R2", () => {
  before(async () => {
    Object.assign(stack, { storage: "r2", functions: ["export", "documents"] });
    await stack.parts.storage.stop(); // nothing can come from there
    await Promise.all([stack.replace("workerd"), stack.replace("work")]);
  });

  checkLinks("R2");
});

checkNames("deno", async () => {
  Object.assign(stack, { storage: "supabase", functions: null });
  await stack.replace("workerd", "deno");
  return stack;
});
