// Files in R2: the bucket that workerd has bound, and signed links of the function for everybody else.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import { after, before, describe, test } from "node:test";

import * as hostile from "../../scripts/lib/samples/hostile.mjs";
import { defaultFolder, rareSamples } from "../../scripts/lib/samples/index.mjs";
import { assemble } from "../../scripts/lib/samples/pdf.mjs";
import { compareFacts, f1 } from "../../scripts/lib/samples/score.mjs";
import { link, mismatches, objects, sweep, uploader } from "../documents.mjs";
import { startStack, until } from "../support.mjs";

const TEXT = "Patient: Ann Lee    DOB: 01/22/1970\nGlucose 142 mg/dL 70 - 99 H\n";
const PATIENCE = 120_000;

describe("documents in R2", () => {
  let stack, user;
  before(async () => {
    stack = await startStack("documents-r2", { parts: ["gateway", "workerd", "work"], storage: "r2", functions: ["documents"] });
    user = await uploader(stack);
  });
  after(() => stack?.destroy());
  const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");
  const location = async (id) => {
    const answer = await fetch(`${stack.url}/functions/v1/documents/v1/documents/${id}/file`, {
      headers: { authorization: `Bearer ${user.token}` }, redirect: "manual" });
    assert.equal(answer.status, 302);
    return answer.headers.get("location");
  };

  for (const sample of rareSamples(defaultFolder())) {
    test(`${sample.document} as ${sample.form} is uploaded, scanned, read and understood`, async () => {
      const { status, json } = await user.upload(fs.readFileSync(sample.file));
      assert.equal(status, 202);
      const document = await user.ended(json.id, PATIENCE);
      assert.equal(document.status, "completed", JSON.stringify(document.error));
      assert.equal(document.mime_type, sample.mime);
      const score = compareFacts(sample.facts, document.facts);
      assert.ok(f1(score) >= 0.9, `F1 ${f1(score)}; missed ${score.missed}; invented ${score.invented}`);
    });
  }

  test("a file of several parts arrives as it was sent, and is fetched by a link that needs no token", async () => {
    const noise = randomBytes(12_000_000);
    const body = assemble([Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"), Buffer.from("<< /Type /Pages /Count 1 /Kids [3 0 R] >>"),
      Buffer.from("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>"),
      Buffer.concat([Buffer.from(`<< /Length ${noise.length} >>\nstream\n`), noise, Buffer.from("\nendstream")])]);
    const { json: { id } } = await user.upload(body);
    await user.ended(id, PATIENCE);
    const file = await fetch(await location(id));
    assert.equal(digest(Buffer.from(await file.arrayBuffer())), digest(body));
    assert.match(file.headers.get("content-disposition"), /^attachment; filename="[^"]+"; filename\*=UTF-8''\S+$/);
    assert.equal(file.headers.get("x-content-type-options"), "nosniff");
    assert.equal((await user.ended(id, PATIENCE)).sha256, digest(body));
  });

  test("a link that was tampered with, has expired or is for something else is refused", async () => {
    const { json: { id } } = await user.upload(Buffer.from(TEXT));
    await user.ended(id, PATIENCE);
    const good = await location(id);
    const key = new URL(good).searchParams.get("key");
    assert.equal((await fetch(good)).status, 200);
    const bent = (name, value) => {
      const url = new URL(good);
      url.searchParams.set(name, value);
      return url;
    };
    for (const url of [bent("key", key.replace(/.$/, "x")), bent("expires", "99999999999"), bent("signature", "AAAA"),
      link(stack, "get", key, { expires: 1 }), link(stack, "put", key), link(stack, "delete", key), link(stack, "list", key).replace("prefix=", "key=")]) {
      assert.equal((await fetch(url)).status, 403, String(url));
    }
    assert.equal((await fetch(good, { method: "DELETE" })).status, 403, "a link to read does not remove");
    assert.equal(await (await fetch(good)).text(), TEXT);
  });

  test("an upload whose end is held back until another with its key was scanned replaces nothing", async () => {
    let end;
    const ending = new Promise((resolve) => (end = resolve));
    const body = new ReadableStream({ async start(controller) {
      controller.enqueue(Buffer.from(TEXT.repeat(40)));
      await ending;
      controller.enqueue(Buffer.from("Another end"));
      controller.close();
    } });
    const headers = { "idempotency-key": "held" };
    const held = user.api("POST", "", { body, duplex: "half", headers });
    await until(async () => (await stack.postgres.query("select from public.shell_files where idempotency_key like '%:held'")).rowCount > 0, "the first one having begun", PATIENCE);
    const { json: { id } } = await user.upload(Buffer.from(TEXT), { headers });
    assert.equal((await user.ended(id, PATIENCE)).status, "completed");
    end();
    assert.equal((await held).status, 422);
    assert.equal(await (await fetch(await location(id))).text(), TEXT, "what is given out is what was scanned");
    assert.equal((await objects(stack)).filter((key) => key.includes(id)).length, 1, "and the late body is nowhere");
  });

  test("an infected file is quarantined and no longer served, not even by a link from before", async () => {
    const { json: { id } } = await user.upload(hostile.eicar());
    const document = await user.ended(id, PATIENCE);
    assert.equal(document.status, "infected");
    const kept = (await objects(stack)).filter((key) => key.includes(id));
    assert.ok(kept.length === 1 && kept[0].startsWith("quarantine/"), `${kept}`);
    assert.equal((await user.api("GET", `/${id}/file`)).status, 404);
    assert.equal((await fetch(link(stack, "get", kept[0].replace("quarantine", document.profile_id)))).status, 404);
  });

  test("a body that breaks off leaves no object and, after a sweep, no row", async () => {
    const before = (await objects(stack)).length;
    const body = new ReadableStream({
      start(controller) { controller.enqueue(Buffer.from(TEXT.repeat(100_000))); },
      pull(controller) { controller.error(new Error("the sender is gone")); },
    });
    await assert.rejects(user.api("POST", "", { body, duplex: "half", headers: { "idempotency-key": "broken" } }));
    await until(async () => {
      await sweep(stack);
      return (await stack.postgres.query("select from public.shell_files where idempotency_key like '%:broken'")).rowCount === 0;
    }, "the row being gone", PATIENCE);
    assert.equal((await objects(stack)).length, before);
  });

  test("workerd killed with the object stored: the sweep registers it", async () => {
    const begun = await fetch(`${stack.url}/rest/v1/rpc/begin_document_upload`, { method: "POST", body: '{"p_mime_type": "text/plain"}',
      headers: { authorization: `Bearer ${user.token}`, "content-type": "application/json" } });
    const { id, place } = await begun.json();
    assert.equal((await fetch(link(stack, "put", place), { method: "POST", body: TEXT, headers: { "content-type": "text/plain" } })).status, 204);
    await stack.parts.workerd.kill();
    await stack.restart("workerd");
    await sweep(stack);
    assert.equal((await user.ended(id, PATIENCE)).status, "completed");
  });

  test("erasing leaves no object and no row, and in the end both match", async () => {
    const { json: { id } } = await user.upload(Buffer.from(TEXT));
    await user.ended(id, PATIENCE);
    assert.equal((await user.erase(id)).status, 204);
    assert.equal((await user.api("GET", `/${id}`)).status, 404);
    assert.deepEqual((await objects(stack)).filter((key) => key.includes(id)), []);
    await sweep(stack);
    assert.deepEqual(await mismatches(stack), { orphans: [], missing: [] });
  });
});

describe("documents under Deno", () => {
  let stack, user;
  before(async () => {
    stack = await startStack("documents-deno", { parts: ["gateway", "storage", "deno", "work"], functions: ["documents"] });
    user = await uploader(stack);
  });
  after(() => stack?.destroy());

  test("a document is uploaded, read, fetched and erased", async () => {
    const { status, json } = await user.upload(Buffer.from(TEXT), { headers: { "idempotency-key": "deno" } });
    assert.equal(status, 202);
    const document = await user.ended(json.id, PATIENCE);
    assert.deepEqual(document.facts.map(({ kind }) => kind).sort(), ["lab", "patient"]);
    assert.equal(document.sha256, createHash("sha256").update(TEXT).digest("hex"));
    const again = await user.upload(Buffer.from("Another text"), { headers: { "idempotency-key": "deno" } });
    assert.deepEqual([again.status, again.json.code], [422, "other_body"]);
    const answer = await fetch(`${stack.url}/functions/v1/documents/v1/documents/${json.id}/file`, {
      headers: { authorization: `Bearer ${user.token}` }, redirect: "manual" });
    assert.equal(await (await fetch(answer.headers.get("location"))).text(), TEXT);
    assert.equal((await user.erase(json.id)).status, 204);
    await sweep(stack);
    assert.deepEqual(await mismatches(stack), { orphans: [], missing: [] });
  });

  test("a file of 20 MB and one that is too large are told apart", async () => {
    const { json } = await user.upload(Buffer.alloc(20_000_000, "words "));
    const document = await user.ended(json.id, PATIENCE);
    assert.deepEqual([document.status, document.verdict.reason], ["refused", "too_many_pages"]);
    assert.equal((await user.upload(Buffer.alloc(52_500_000, "a"))).status, 413);
  });
});
