// The storage stand-in as supabase-js sees it, behind the gateway.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { createClient } from "@supabase/supabase-js";
import ws from "ws";

import { signIn, startStack } from "../support.mjs";

describe("storage", () => {
  let stack, user, service;
  const client = (key, token = key) =>
    createClient(stack.url, key, { realtime: { transport: ws }, accessToken: async () => token }).storage.from("gristmill");
  before(async () => {
    stack = await startStack("storage", { parts: ["gateway", "storage"] });
    user = await signIn(stack);
    service = client(stack.serviceKey);
  });
  after(() => stack?.destroy());

  const body = new Blob(["hello"]);

  test("a user reads, signs and lists what is below its own id", async () => {
    const files = client(stack.anonKey, user.token);
    const key = `${user.sub}/doc/file.txt`;
    assert.equal((await service.upload(key, body, { contentType: "text/plain" })).error, null);
    assert.equal(await (await files.download(key)).data.text(), "hello");
    const { data } = await files.createSignedUrl(key, 60);
    const signed = await fetch(data.signedUrl);
    assert.equal(await signed.text(), "hello");
    assert.equal(signed.headers.get("x-content-type-options"), "nosniff");
    assert.equal(signed.headers.get("content-disposition"), "attachment");
    assert.deepEqual((await files.listV2({ prefix: `${user.sub}/` })).data.objects.map((object) => object.name), [key]);
  });

  test("a user stores nothing but what is being uploaded, and removes nothing that a row names", async () => {
    const files = client(stack.anonKey, user.token);
    const rpc = async (name, values) => (await fetch(`${stack.url}/rest/v1/rpc/${name}`, { method: "POST", body: JSON.stringify(values),
      headers: { authorization: `Bearer ${user.token}`, "content-type": "application/json" } })).json();
    const begun = await rpc("begin_document_upload", { p_mime_type: "text/plain" });
    assert.equal((await files.upload(begun.place, body)).error, null, "an upload that was begun");
    assert.equal((await files.remove([begun.place])).error, null, "and may be taken back");
    await files.upload(begun.place, body);
    assert.equal((await rpc("finish_document_upload", { p_id: begun.id, p_place: begun.place, p_size: 5, p_sha256: "0".repeat(64) })).status, "uploaded");

    const [job, task] = [randomUUID(), randomUUID()];
    const places = { document: begun.place, export: `${user.sub}/exports/${randomUUID()}/1.pdf`, artifact: `${user.sub}/${job}/pdf/${task}.pdf` };
    for (const [what, key] of Object.entries(places)) {
      await service.upload(key, body, { upsert: true });
      assert.notEqual((await files.upload(key, new Blob(["forged"]), { upsert: true })).error, null, `an ${what} is not overwritten`);
      assert.notEqual((await files.upload(`${key}2`, new Blob(["forged"]))).error, null, `nothing is put beside an ${what}`);
      assert.notEqual((await files.move(key, begun.place)).error, null, `an ${what} is not moved away`);
      await files.remove([key]);
      assert.equal(await (await files.download(key)).data?.text(), "hello", `an ${what} is not removed, and can be read`);
    }
  });

  test("another's object looks like one that is not there, and cannot be written, listed or removed", async () => {
    const key = `${randomUUID()}/doc/file.txt`;
    await service.upload(key, body);
    const files = client(stack.anonKey, user.token);
    const foreign = (await files.download(key)).error;
    const absent = (await files.download(`${randomUUID()}/doc/file.txt`)).error;
    assert.deepEqual([foreign.status, foreign.message], [absent.status, absent.message]);
    assert.notEqual((await files.upload(key, body, { upsert: true })).error, null);
    assert.notEqual((await files.remove([key])).error, null);
    assert.notEqual((await files.listV2({ prefix: "" })).error, null);
    assert.equal(await (await service.download(key)).data.text(), "hello");
  });

  test("a signed URL that was tampered with, or has expired, is refused", async () => {
    const key = `${user.sub}/doc/signed.txt`;
    await service.upload(key, body);
    const { data } = await service.createSignedUrl(key, 60);
    for (const url of [
      data.signedUrl.replace("signed.txt", "other.txt"), data.signedUrl.replace(/token=\d+/, "token=9999999999"),
      `${data.signedUrl}x`, data.signedUrl.split("?")[0],
    ]) {
      assert.equal((await fetch(url)).status, 403, url);
    }
    assert.equal((await fetch((await service.createSignedUrl(key, 0)).data.signedUrl.replace(/token=\d+/, "token=1"))).status, 403);
  });

  test("a key that climbs is refused before it reaches the disk", async () => {
    const { port, hostname } = new URL(stack.url);
    const http = await import("node:http");
    for (const path of [`${user.sub}/../x`, `${user.sub}/%2e%2e/x`, `${user.sub}/a%00b`, `${user.sub}//x`, `${user.sub}/a%2fb`]) {
      const status = await new Promise((resolve, reject) => http.request(
        { port, hostname, method: "POST", path: `/storage/v1/object/gristmill/${path}`,
          headers: { authorization: `Bearer ${stack.serviceKey}` } },
        (answer) => { answer.resume(); resolve(answer.statusCode); }).on("error", reject).end("x"));
      assert.equal(status, 400, path);
    }
  });

  test("no token, a forged one and the anon key get nothing", async () => {
    for (const token of ["", "nope", stack.anonKey, `${user.token}x`]) {
      const answer = await fetch(`${stack.url}/storage/v1/object/gristmill/${user.sub}/a`, { headers: { authorization: `Bearer ${token}` } });
      assert.equal(answer.status, 403);
    }
  });

  test("a body that breaks off leaves nothing to be read", async () => {
    const key = `${user.sub}/doc/broken.txt`;
    const body = new ReadableStream({
      start(controller) { controller.enqueue(new Uint8Array(1000)); },
      pull(controller) { controller.error(new Error("the sender is gone")); },
    });
    await assert.rejects(fetch(`${stack.url}/storage/v1/object/gristmill/${key}`, {
      method: "POST", duplex: "half", body, headers: { authorization: `Bearer ${stack.serviceKey}` } }));
    assert.notEqual((await service.download(key)).error, null);
  });
});
