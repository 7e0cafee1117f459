// A document the whole way, and everything that may be wrong with one, on the built artefacts.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { after, before, describe, test } from "node:test";

import * as hostile from "../../scripts/lib/samples/hostile.mjs";
import { defaultFolder, samples } from "../../scripts/lib/samples/index.mjs";
import { compareFacts, f1 } from "../../scripts/lib/samples/score.mjs";
import { mismatches, objects, sweep, uploader } from "../documents.mjs";
import { isSoak, startStack, until } from "../support.mjs";

const TEXT = "Patient: Ann Lee    DOB: 01/02/1970\nGlucose 142 mg/dL 70 - 99 H\nMetformin 500 mg by mouth twice daily\n";

describe("documents", () => {
  let stack, user;
  before(async () => {
    stack = await startStack("documents", { parts: ["gateway", "relay", "storage", "workerd", "work"], functions: ["upload", "shell-file-processor-v3"],
      env: { functions: { UPLOAD_MAX_BYTES: "6000000" } } });
    user = await uploader(stack);
  });
  after(() => stack?.destroy());
  const query = async (sql, values) => (await stack.postgres.query(sql, values)).rows;

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
      const audited = await query("select table_name from public.audit_log where patient_id = $1 and (record_id = $2 or record_id like $2 || '/%')", [document.profile_id, json.id]);
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
    const billing = (value) => query("update public.system_configuration set config_value = $1 where config_key = 'features.billing_enabled'", [value]);
    const limit = (files, megabytes) => query("update public.subscription_plans set files_per_month = $1, storage_mb = $2 where plan = 'free'", [files, megabytes]);
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
      assert.equal((await objects(stack)).length, before + 1);
    } finally {
      await billing("false");
      await limit(10, 100);
    }
    for (const document of await poor.list()) await poor.ended(document.id);
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
    assert.equal((await query("select from public.shell_files where idempotency_key = 'once'")).length, 1);
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

  test("progress comes as events, and ends", async () => {
    const { id } = (await user.upload(Buffer.from(TEXT))).json;
    const answer = await fetch(`${stack.url}/functions/v1/upload/v1/documents/${id}/events`, { headers: { authorization: `Bearer ${user.token}` } });
    assert.match(answer.headers.get("content-type"), /^text\/event-stream/);
    const text = await answer.text();
    const last = JSON.parse(text.trim().split("\n").filter((line) => line.startsWith("data:")).at(-1).slice(5));
    assert.equal(last.status, "completed");
  });

  test("a file is fetched by a link that needs no token, and never as a page", async () => {
    const { id } = (await user.upload(Buffer.from(TEXT))).json;
    const answer = await fetch(`${stack.url}/functions/v1/upload/v1/documents/${id}/file`, {
      headers: { authorization: `Bearer ${user.token}` }, redirect: "manual" });
    assert.equal(answer.status, 302);
    const file = await fetch(answer.headers.get("location"));
    assert.equal(await file.text(), TEXT);
    assert.equal(file.headers.get("content-disposition"), "attachment");
    await user.ended(id);
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
    assert.equal((await query("select from public.audit_log where record_id = $1 and action = 'DELETE'", [id])).length, 2);
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
