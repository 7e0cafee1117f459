// A document the whole way, and everything that may be wrong with one, on the built artefacts.
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import { after, before, describe, test } from "node:test";
import { createClient } from "@supabase/supabase-js";
import ws from "ws";

import * as hostile from "../../scripts/lib/samples/hostile.mjs";
import { defaultFolder, samples } from "../../scripts/lib/samples/index.mjs";
import { compareFacts, f1 } from "../../scripts/lib/samples/score.mjs";
import { mismatches, objects, sweep, uploader } from "../documents.mjs";
import { isSoak, startStack, until } from "../support.mjs";

const TEXT = "Patient: Ann Lee    DOB: 01/22/1970\nGlucose 142 mg/dL 70 - 99 H\nMetformin 500 mg by mouth twice daily\n";

describe("documents", () => {
  let stack, user;
  before(async () => {
    stack = await startStack("documents", { parts: ["gateway", "relay", "storage", "workerd", "work"], functions: ["documents", "shell-file-processor-v3"],
      env: { functions: { UPLOAD_MAX_BYTES: "6000000" } } });
    user = await uploader(stack);
  });
  after(() => stack?.destroy());
  const query = async (sql, values) => (await stack.postgres.query(sql, values)).rows;
  const client = (key, token = key) => createClient(stack.url, key, { realtime: { transport: ws }, accessToken: async () => token });
  const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
  const file = async (id) => {
    const answer = await fetch(`${stack.url}/functions/v1/documents/v1/documents/${id}/file`, {
      headers: { authorization: `Bearer ${user.token}` }, redirect: "manual" });
    return answer.status === 302 ? (await fetch(answer.headers.get("location"))).text() : answer.status;
  };

  const chosen = samples(defaultFolder()).filter(({ document, form }) =>
    ["prescription-born", "lab-report-scan", "discharge-summary-tiff"].includes(`${document}-${form}`));
  for (const sample of chosen) {
    test(`${sample.document} as ${sample.form} is read, and its facts are those that are true`, async () => {
      const { status, json } = await user.upload(fs.readFileSync(sample.file), { query: "?filename=%2e%2e%2fscan.pdf" });
      assert.equal(status, 202);
      const document = await user.ended(json.id, 120_000);
      assert.equal(document.status, "completed", JSON.stringify(document.error));
      assert.equal(document.percent, 100);
      assert.equal(document.filename, "../scan.pdf");
      const score = compareFacts(sample.facts, document.facts);
      assert.ok(f1(score) >= 0.9, `F1 ${f1(score)}; missed ${score.missed}; invented ${score.invented}`);
      assert.ok(document.facts.every(({ box, page }) => box.length === 4 && page >= 1), "every fact has its place");
      const numbers = new Set(document.facts.map(({ number }) => number));
      for (const { facts } of [...document.narrative.sentences, ...document.narrative.timeline]) {
        assert.ok(facts.length > 0 && facts.every((number) => numbers.has(number)), "every sentence cites facts that are there");
      }
      const [{ path }] = await query("select storage_path as path from public.shell_files where id = $1", [json.id]);
      assert.match(path, /^[0-9a-f-]{36}\/[0-9a-f-]{36}\/[0-9a-f-]{36}\.[a-z]+$/);
      const audited = await query("select table_name from mill.audit_log where patient_id = $1 and (record_id = $2 or record_id like $2 || '/%')", [document.profile_id, json.id]);
      for (const table of ["shell_files", "document_pages", "documents.pass1", "documents.pass2", "documents.pass3"]) {
        assert.ok(audited.some(({ table_name }) => table_name === table), `${table} is audited`);
      }
    });
  }

  test("usage is counted", async () => {
    const { id } = (await user.upload(Buffer.from(TEXT))).json;
    await user.ended(id);
    assert.deepEqual(await query("select code from mill.event where code = 'usage_not_counted'"), []);
    const events = await query("select event_type, count(*)::int from public.usage_events where shell_file_id = $1 group by 1", [id]);
    assert.deepEqual(Object.fromEntries(events.map(({ event_type, count }) => [event_type, count])), {
      shell_file_uploaded: 1, page_extracted: 1, shell_file_processed: 1, ai_processing_started: 3, ai_processing_completed: 3,
    });
  });

  test("past the plan an upload gets 402 while billing is on, before and after its body is read, and leaves nothing", async () => {
    const poor = await uploader(stack);
    const { json: { id } } = await poor.upload(Buffer.from(TEXT));
    await poor.ended(id);
    const billing = (value) => query("update mill.settings set value = $1 where key = 'features.billing_enabled'", [value]);
    const limit = (files, megabytes) => query("update public.subscription_plans set shell_files_limit = $1, storage_limit_mb = $2 where plan_type = 'free'", [files, megabytes]);
    await billing("true");
    try {
      const before = (await objects(stack)).length;
      await limit(1, 100);
      const full = await poor.upload(Buffer.from(TEXT));
      assert.deepEqual([full.status, full.json.code, full.json.over], [402, "plan_limit", ["files"]]);
      await limit(10, 1);
      const large = await poor.upload(Buffer.alloc(2_000_000, "words\n"));
      assert.deepEqual([large.status, large.json.over], [402, ["storage_mb"]]);
      assert.equal((await poor.upload(Buffer.from(TEXT))).status, 202, "what fits is taken");
      assert.equal((await poor.list()).length, 2);
      for (const document of await poor.list()) await poor.ended(document.id);
      // While a file is scanned there are two of it: the upload, and what was scanned.
      await until(async () => (await objects(stack)).length === before + 1, "one object more");
    } finally {
      await billing("false");
      await limit(10, 100);
    }
  });

  test("a form is as good as a raw body, under the older name too", async () => {
    const form = new FormData();
    form.append("note", "hello");
    form.append("file", new Blob([TEXT], { type: "application/x-nonsense" }), "notes.exe");
    const answer = await fetch(`${stack.url}/functions/v1/shell-file-processor-v3/v1/documents`, {
      method: "POST", headers: { authorization: `Bearer ${user.token}` }, body: form });
    assert.equal(answer.status, 202);
    const document = await user.ended((await answer.json()).id);
    assert.equal(document.mime_type, "text/plain");
    assert.equal(document.filename, "notes.exe");
    assert.deepEqual(document.facts.map(({ kind }) => kind).sort(), ["lab", "medication", "patient"]);
  });

  test("the same key from 50 callers is one document; another tenant's same key is its own; another body is refused", async () => {
    const headers = { "idempotency-key": "once" };
    const answers = await Promise.all(Array.from({ length: 50 }, () => user.upload(Buffer.from(TEXT), { headers })));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
    assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1);
    assert.equal((await query("select from public.shell_files where idempotency_key like '%:once'")).length, 1);
    const other = await uploader(stack);
    const theirs = await other.upload(Buffer.from("Their own words entirely"), { headers });
    assert.equal(theirs.status, 202);
    assert.notEqual(theirs.json.id, answers[0].json.id);
    const refused = await user.upload(Buffer.from("Something else"), { headers });
    assert.deepEqual([refused.status, refused.json.code], [422, "other_body"]);
    await Promise.all([user.ended(answers[0].json.id), other.ended(theirs.json.id)]);
  });

  for (const [what, body, status, code] of [
    ["HTML named .pdf", hostile.html(), 415, "unsupported_type"],
    ["a program", Buffer.from("\x7fELF\x02\x01\x01\0\0\0\0\0"), 415, "unsupported_type"],
    ["an empty body", Buffer.alloc(0), 400, "empty_body"],
    ["more than the limit", Buffer.alloc(6_500_000, "a"), 413, "too_large"],
  ]) {
    test(`${what} gets ${status} ${code} and leaves neither row nor object`, async () => {
      const before = [(await query("select from public.shell_files")).length, (await objects(stack)).length];
      const answer = await user.upload(body, { query: "?filename=a.pdf", headers: { "content-type": "application/pdf" } });
      assert.deepEqual([answer.status, answer.json.code], [status, code]);
      assert.deepEqual([(await query("select from public.shell_files")).length, (await objects(stack)).length], before);
    });
  }

  test("a body without announced length is refused when it becomes too large, and nothing is left", async () => {
    let sent = 0;
    const body = new ReadableStream({ pull: (controller) => (sent++ < 120 ? controller.enqueue(new Uint8Array(65_536).fill(97)) : controller.close()) });
    const answer = await user.api("POST", "", { body, duplex: "half" });
    assert.equal(answer.status, 413);
    assert.deepEqual(await query("select from public.shell_files where status = 'uploading'"), []);
  });

  for (const [what, body, status, reason] of [
    ["EICAR", hostile.eicar(), "infected", "infected"],
    ["an encrypted PDF", hostile.encryptedPdf(), "refused", "encrypted"],
    ["a PDF with JavaScript", hostile.scriptedPdf(), "refused", "scripted"],
    ["a PDF with JavaScript that is spelled with escapes", hostile.escapedScriptPdf(), "refused", "scripted"],
    ["a PDF that starts a program, said in a compressed object", hostile.hiddenLaunchPdf(), "refused", "scripted"],
    ["a PNG of 64k x 64k", hostile.hugePng(), "refused", "too_many_pixels"],
    ["a chained Flate bomb", hostile.bombPdf(), "refused", "bomb"],
    ["a text of a million lines", Buffer.alloc(5_000_000, "a b\n"), "refused", "too_many_pages"],
  ]) {
    test(`${what} ends as ${status}, because ${reason}; its object is quarantined and the worker lives`, async () => {
      const { json } = await user.upload(body);
      const document = await user.ended(json.id);
      assert.deepEqual([document.status, document.verdict.reason], [status, reason]);
      const kept = (await objects(stack)).filter((key) => key.includes(json.id));
      assert.ok(kept.length === 1 && kept[0].startsWith("quarantine/"), `${kept}`);
      assert.equal((await user.api("GET", `/${json.id}/file`)).status, 404);
      assert.ok(stack.parts.work.isRunning);
    });
  }

  test("a PDF that only its owner may change is read, because everybody may open it", async () => {
    const { json } = await user.upload(hostile.lockedPdf("Metformin 500 mg by mouth twice daily"));
    const document = await user.ended(json.id);
    assert.equal(document.status, "completed", JSON.stringify(document.error));
    assert.deepEqual(document.facts.map(({ name, value }) => [name, value.dose]), [["metformin", 500]]);
  });

  test("progress comes as events, and ends", async () => {
    const { id } = (await user.upload(Buffer.from(TEXT))).json;
    const answer = await fetch(`${stack.url}/functions/v1/documents/v1/documents/${id}/events`, { headers: { authorization: `Bearer ${user.token}` } });
    assert.match(answer.headers.get("content-type"), /^text\/event-stream/);
    const text = await answer.text();
    const last = JSON.parse(text.trim().split("\n").filter((line) => line.startsWith("data:")).at(-1).slice(5));
    assert.equal(last.status, "completed");
  });

  test("a file is fetched by a link that needs no token, and never as a page", async () => {
    const { id } = (await user.upload(Buffer.from(TEXT))).json;
    await user.ended(id);
    const answer = await fetch(`${stack.url}/functions/v1/documents/v1/documents/${id}/file`, {
      headers: { authorization: `Bearer ${user.token}` }, redirect: "manual" });
    assert.equal(answer.status, 302);
    const file = await fetch(answer.headers.get("location"));
    assert.equal(await file.text(), TEXT);
    assert.match(file.headers.get("content-disposition"), /^attachment; filename="[^"]+"; filename\*=UTF-8''\S+$/);
  });

  test("a file is not given out before it was scanned", async () => {
    await query("update mill.queue set paused = true where queue = 'fast'");
    try {
      const { id } = (await user.upload(Buffer.from(TEXT))).json;
      const early = await user.api("GET", `/${id}/file`);
      assert.deepEqual([early.status, early.json.code], [409, "not_finished"]);
      const [{ path }] = await query("select storage_path as path from public.shell_files where id = $1", [id]);
      const direct = await client(stack.anonKey, user.token).storage.from("gristmill").download(path);
      assert.equal(direct.data, null, "nor by the Storage API");
      await query("update mill.queue set paused = false where queue = 'fast'");
      await user.ended(id);
      assert.equal(await file(id), TEXT);
    } finally {
      await query("update mill.queue set paused = false where queue = 'fast'");
    }
  });

  test("an upload whose end is held back until another was scanned at its place replaces nothing", async () => {
    const { storage } = client(stack.anonKey, user.token);
    const call = (name, values) => client(stack.anonKey, user.token).rpc(name, values);
    const { data: { id, place } } = await call("begin_document_upload", { p_mime_type: "text/plain" });
    const forged = Buffer.from(hostile.eicar());
    const { port } = new URL(stack.url);
    const socket = net.connect(Number(port), "127.0.0.1");
    let heard = "";
    socket.setEncoding("latin1").on("data", (text) => (heard += text)).on("error", () => {});
    const unfinished = () => fs.readdirSync(`${stack.folder}/storage/unfinished`).length;
    try {
      socket.write(`PUT /storage/v1/object/gristmill/${place} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${user.token}\r\n`
        + `content-type: text/plain\r\nx-upsert: true\r\ncontent-length: ${forged.length}\r\n\r\n`);
      socket.write(forged.subarray(0, -5));
      await until(() => unfinished() > 0, "the first upload being under way");
      assert.equal((await storage.from("gristmill").upload(place, new Blob([TEXT]))).error, null, "a second one is stored at its place");
      const finished = await call("finish_document_upload", { p_id: id, p_place: place, p_size: TEXT.length, p_sha256: sha256(TEXT) });
      assert.equal(finished.data?.status, "uploaded", JSON.stringify(finished.error));
      const document = await user.ended(id);
      assert.deepEqual([document.status, document.verdict.safe, document.sha256], ["completed", true, sha256(TEXT)]);
      socket.write(forged.subarray(-5));
      await until(() => heard.includes("\r\n\r\n"), "the first upload being answered");
      assert.match(heard, /^HTTP\/1\.1 4\d\d/, "it is told no");
    } finally {
      socket.destroy();
    }
    assert.equal(await file(id), TEXT, "what is given out is what was scanned");
    const [{ path }] = await query("select storage_path as path from public.shell_files where id = $1", [id]);
    assert.equal(await (await storage.from("gristmill").download(path)).data.text(), TEXT, "by the Storage API too");
    await until(() => unfinished() === 0, "the late body being dropped");
    assert.deepEqual((await objects(stack)).filter((key) => key.includes(id)), [path], "and the late body is nowhere");
  });

  test("an object that was changed behind our back after it was scanned is not read", async () => {
    const { id } = (await user.upload(Buffer.from(TEXT))).json;
    await user.ended(id);
    const [{ path }] = await query("select storage_path as path from public.shell_files where id = $1", [id]);
    // Only the service's key could do this.
    assert.equal((await client(stack.serviceKey).storage.from("gristmill").upload(path, new Blob(["Glucose 1 mg/dL"]), { upsert: true })).error, null);
    await user.api("POST", `/${id}/reprocess`);
    const document = await until(async () => {
      const { json } = await user.api("GET", `/${id}`);
      return json.status === "failed" && json;
    }, "the document failing");
    assert.equal(document.error.type, "file_changed");
    assert.equal((await user.erase(id)).status, 204);
  });

  test("size, digest and type that an uploader made up are measured before the file is read, and usage has the real ones", async () => {
    const liar = await uploader(stack);
    const { storage } = client(stack.anonKey, liar.token);
    const call = (name, values) => client(stack.anonKey, liar.token).rpc(name, values);
    const { data: { id, place } } = await call("begin_document_upload", { p_mime_type: "application/pdf" });
    assert.equal((await storage.from("gristmill").upload(place, new Blob([TEXT]), { contentType: "text/html" })).error, null);
    const claim = (size, digest) => call("finish_document_upload", { p_id: id, p_place: place, p_size: size, p_sha256: digest });
    for (const size of [-5_000_000, 0, "9223372036854775807", "9223372036854775808", 52_428_801]) {
      assert.notEqual((await claim(size, "0".repeat(64))).error, null, `a size of ${size}`);
    }
    const { data: profile } = await call("default_profile", {});
    const early = await call("track_shell_file_upload_usage", { p_profile_id: profile, p_shell_file_id: id, p_file_size_bytes: 1 });
    assert.equal(early.data?.shell_files_used, 0, JSON.stringify(early));
    assert.equal((await claim(1, "0".repeat(64))).data?.status, "uploaded");
    const document = await liar.ended(id);
    assert.equal(document.status, "completed", JSON.stringify(document));
    assert.deepEqual([document.size, document.sha256, document.mime_type], [TEXT.length, sha256(TEXT), "text/plain"]);
    const events = await query("select metrics as counts from public.usage_events where shell_file_id = $1 and event_type = 'shell_file_uploaded'", [id]);
    assert.deepEqual(events.map(({ counts }) => [counts.files, counts.bytes]), [[1, TEXT.length]]);
    const served = await fetch((await liar.api("GET", `/${id}/file`, { redirect: "manual" })).headers.get("location"));
    assert.equal(served.headers.get("content-type"), "text/plain", "it is given out as what it is");
  });

  test("an upload that is said to have ended, with nothing stored, is refused and takes up no storage", async () => {
    const liar = await uploader(stack);
    const call = (name, values) => client(stack.anonKey, liar.token).rpc(name, values);
    const { data: { id, place } } = await call("begin_document_upload", { p_mime_type: "text/plain" });
    await call("finish_document_upload", { p_id: id, p_place: place, p_size: 50_000_000, p_sha256: "0".repeat(64) });
    const document = await liar.ended(id);
    assert.deepEqual([document.status, document.verdict.reason, document.size], ["refused", "missing", 0]);
    assert.deepEqual(await query("select bytes::int from mill.stored_bytes where profile_id = $1", [document.profile_id]), [{ bytes: 0 }]);
    assert.equal((await liar.erase(id)).status, 204);
  });

  test("a file past documents.max_bytes is refused at the end of its upload, and by the worker where it was accepted before", async () => {
    const limit = (bytes) => query("update mill.settings set value = $1::bigint where key = 'documents.max_bytes'", [bytes]);
    const pause = (paused) => query("update mill.queue set paused = $1 where queue = 'fast'", [paused]);
    const before = [(await query("select from public.shell_files")).length, (await objects(stack)).length];
    try {
      await limit(10);
      const late = await user.upload(Buffer.from(TEXT));
      assert.deepEqual([late.status, late.json.code], [413, "too_large"]);
      assert.deepEqual([(await query("select from public.shell_files")).length, (await objects(stack)).length], before, "neither row nor object is left");
      await limit(52_428_800);
      await pause(true);
      const { id } = (await user.upload(Buffer.from(TEXT))).json;
      await limit(10);
      await pause(false);
      const document = await user.ended(id);
      assert.deepEqual([document.status, document.verdict.reason, document.size], ["refused", "too_large", TEXT.length]);
      assert.equal((await user.api("GET", `/${id}/file`)).status, 404);
      assert.equal((await user.erase(id)).status, 204);
    } finally {
      await limit(52_428_800);
      await pause(false);
    }
  });

  test("K16: a job of enqueue_job_v3 that names a document does its stage, or ends with the reason", async () => {
    const service = client(stack.serviceKey);
    const enqueue = async (type, payload) => {
      const { data, error } = await service.rpc("enqueue_job_v3", { job_type: type, job_name: "theirs", job_payload: payload });
      assert.equal(error, null, JSON.stringify(error));
      return data;
    };
    const ended = (id) => until(async () => (await query(
      "select state, result, error from mill.job where id = $1 and state in ('completed', 'failed')", [id]))[0], `job ${id} ending`);
    const { id } = (await user.upload(Buffer.from(TEXT))).json;
    const document = await user.ended(id);
    const [{ path, by }] = await query("select storage_path as path, stage_jobs ->> 'ocr' as by from public.shell_files where id = $1", [id]);
    const payload = { shell_file_id: id, storage_path: path };

    const done = await ended(await enqueue("fast_queue_ocr", payload));
    assert.equal(done.state, "completed");
    assert.deepEqual(done.result, { already_done: true, stage: "ocr", by_job: by }, "a stage that was done says so, and by which job");

    for (const [what, wrong, type] of [
      ["a document that does not exist", { shell_file_id: randomUUID(), storage_path: path }, "unknown_document"],
      ["another file", { shell_file_id: id, storage_path: "elsewhere/file.txt" }, "other_file"],
      ["no document", { nothing: true }, "unknown_document"],
    ]) {
      const job = await ended(await enqueue("fast_queue_ocr", wrong));
      assert.deepEqual([job.state, job.error.type], ["failed", type], what);
      assert.ok(job.error.message.length > 10, `${what} is said in a sentence`);
    }

    await query("update public.shell_files set status = 'failed', stage = 'ocr', completed_at = null where id = $1", [id]);
    await query("delete from public.document_facts where document_id = $1", [id]);
    const job = await enqueue("fast_queue_ocr", payload);
    assert.equal((await ended(job)).result.pages, 1, "the stage of a failed document is done");
    const again = await until(async () => {
      const now = await user.document(id);
      return now.status === "completed" && now;
    }, "the document being completed");
    assert.deepEqual(again.facts, document.facts, "and its later stages follow");
    assert.equal((await query("select stage_jobs ->> 'ocr' as by from public.shell_files where id = $1", [id]))[0].by, job);
  });

  test("processing again replaces what was found and duplicates nothing", async () => {
    const { id } = (await user.upload(Buffer.from(TEXT))).json;
    const first = await user.ended(id);
    assert.equal((await user.api("POST", `/${id}/reprocess`)).status, 202);
    const second = await until(async () => {
      const document = await user.document(id);
      return document.status === "completed" && document.completed_at !== first.completed_at && document;
    }, "the second run");
    assert.deepEqual(second.facts, first.facts);
  });

  test("erasing leaves no object, no row and no word, and says so in the audit log", async () => {
    const { id } = (await user.upload(Buffer.from(TEXT))).json;
    await user.ended(id);
    assert.equal((await user.erase(id)).status, 204);
    assert.equal((await user.api("GET", `/${id}`)).status, 404);
    assert.deepEqual((await objects(stack)).filter((key) => key.includes(id)), []);
    for (const table of ["shell_files where id", "document_pages where document_id", "document_words where document_id", "document_facts where document_id", "document_narratives where document_id"]) {
      assert.deepEqual(await query(`select from public.${table} = $1`, [id]), [], table);
    }
    assert.equal((await query("select from mill.audit_log where record_id = $1 and action = 'DELETE'", [id])).length, 2);
  });

  test("another user's document looks like one that does not exist, to every call", async () => {
    const { id } = (await user.upload(Buffer.from(TEXT))).json;
    await user.ended(id);
    const other = await uploader(stack);
    for (const [method, rest] of [["GET", ""], ["GET", "/events"], ["GET", "/file"], ["POST", "/reprocess"], ["DELETE", ""]]) {
      const foreign = await other.api(method, `/${id}${rest}`);
      const absent = await other.api(method, `/${randomUUID()}${rest}`);
      assert.equal(foreign.status, 404, `${method} ${rest}`);
      assert.deepEqual({ ...foreign.json, correlation_id: "" }, { ...absent.json, correlation_id: "" });
    }
    assert.deepEqual(await other.list(), []);
  });

  test("with storage away an upload gets 503 and leaves no row", async () => {
    const before = (await query("select from public.shell_files")).length;
    await stack.parts.storage.kill();
    const answer = await user.upload(Buffer.from(TEXT));
    assert.deepEqual([answer.status, answer.json.code], [503, "storage_unavailable"]);
    assert.ok(Number(answer.headers.get("retry-after")) > 0);
    assert.equal((await query("select from public.shell_files")).length, before);
    await stack.restart("storage");
  });

  const MANY = isSoak ? 1000 : 50;
  test(`of ${MANY} uploads of 200 KB at once each is accepted and registered`, async () => {
    // What is tried is the front door: nothing is read meanwhile, nor afterwards.
    await query("update mill.queue set paused = true where queue = 'fast'");
    const crowd = await uploader(stack);
    const answers = await Promise.all(Array.from({ length: MANY }, (_, at) => crowd.upload(Buffer.alloc(200 * 1024, `Number ${at} of many.\n`))));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
    assert.equal(new Set(answers.map(({ json }) => json.id)).size, MANY);
    const registered = await query("select from public.shell_files where uploaded_by = $1 and status = 'uploaded' and file_size_bytes = 204800", [crowd.sub]);
    assert.equal(registered.length, MANY);
    assert.deepEqual(await mismatches(stack), { orphans: [], missing: [] });
  });

  test("in the end objects and rows match, both ways", async () => {
    await sweep(stack);
    assert.deepEqual(await mismatches(stack), { orphans: [], missing: [] });
  });
});
