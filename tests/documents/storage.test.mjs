// The storage stand-in as supabase-js sees it, behind the gateway.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
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
  const rpc = async (name, values) => (await fetch(`${stack.url}/rest/v1/rpc/${name}`, { method: "POST", body: JSON.stringify(values),
    headers: { authorization: `Bearer ${user.token}`, "content-type": "application/json" } })).json();
  // As the user, with the path exactly as it is given: fetch would tidy it.
  const raw = (method, path, json) => new Promise((resolve, reject) => {
    const { port, hostname } = new URL(stack.url);
    const content = json ? JSON.stringify(json) : ["GET", "HEAD"].includes(method) ? "" : "forged";
    const request = http.request({ port, hostname, method, path: `/storage/v1${path}`, agent: false, headers: {
      authorization: `Bearer ${user.token}`, "content-type": json ? "application/json" : "text/plain", "content-length": Buffer.byteLength(content) } }, async (answer) => {
      let text = "";
      for await (const chunk of answer) text += chunk;
      resolve({ status: answer.statusCode, text });
    });
    request.on("error", reject).end(content);
  });

  test("a user reads, signs and lists what is below its own id", async () => {
    const files = client(stack.anonKey, user.token);
    const key = `${user.sub}/doc/file.txt`;
    assert.equal((await service.upload(key, body, { contentType: "text/plain" })).error, null);
    assert.equal(await (await files.download(key)).data.text(), "hello");
    const { data } = await files.createSignedUrl(key, 60);
    const signed = await fetch(data.signedUrl);
    assert.equal(await signed.text(), "hello");
    assert.equal(signed.headers.get("x-content-type-options"), "nosniff");
    assert.match(signed.headers.get("content-disposition"), /^attachment; filename="[^"]+"; filename\*=UTF-8''\S+$/);
    assert.deepEqual((await files.listV2({ prefix: `${user.sub}/` })).data.objects.map((object) => object.name), [key]);
  });

  test("a user stores nothing but what is being uploaded, and removes nothing that a row names", async () => {
    const files = client(stack.anonKey, user.token);
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
      assert.equal(await (await service.download(key)).data?.text(), "hello", `an ${what} is not removed`);
      // A document is read once it was scanned, and nothing scans here.
      assert.equal(await (await files.download(key)).data?.text(), what === "document" ? undefined : "hello", `an ${what} can be read`);
    }
  });

  test("what a user is uploading is not replaced, not even when asked to", async () => {
    const files = client(stack.anonKey, user.token);
    const { place } = await rpc("begin_document_upload", { p_mime_type: "text/plain" });
    assert.equal((await files.upload(place, body)).error, null);
    const again = await files.upload(place, new Blob(["forged"]), { upsert: true });
    assert.equal(again.error?.message, "The resource already exists");
    assert.equal((await files.update(place, new Blob(["forged"]))).error?.message, "The resource already exists");
    assert.equal(await (await service.download(place)).data.text(), "hello");
  });

  test("a user's own file may have 50 MiB, and not a byte more, sent in whatever way", async () => {
    const files = client(stack.anonKey, user.token);
    const LIMIT = 50 * 1024 * 1024;
    const { place } = await rpc("begin_document_upload", { p_mime_type: "text/plain" });
    const tooLarge = (await files.upload(place, new Blob([new Uint8Array(LIMIT + 1)]))).error;
    assert.equal(tooLarge?.message, "The object exceeded the maximum allowed size");
    let left = LIMIT + 1;
    const stream = new ReadableStream({ pull(controller) {
      if (left === 0) return controller.close();
      const length = Math.min(left, 1 << 20);
      left -= length;
      controller.enqueue(new Uint8Array(length));
    } });
    const streamed = await fetch(`${stack.url}/storage/v1/object/gristmill/${place}`, {
      method: "POST", duplex: "half", body: stream, headers: { authorization: `Bearer ${user.token}`, "content-type": "text/plain" } });
    assert.equal(streamed.status, 413);
    assert.notEqual((await service.download(place)).error, null, "nothing of it was stored");
    assert.equal((await files.upload(place, new Blob([new Uint8Array(LIMIT)]))).error, null, "the limit itself is allowed");
    await service.remove([place]);
  });

  test("no key, prefix or cursor that climbs or hides leads out of a user's own folder, on any route", async () => {
    const [own, other] = [user.sub, randomUUID()];
    await service.upload(`${other}/doc/file.txt`, new Blob(["a secret of another"]));
    await service.upload(`${own}x/doc/file.txt`, body);
    await service.upload(`${own}/doc/mine.txt`, body, { upsert: true });
    const disk = () => fs.readdirSync(`${stack.folder}/storage`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name} ${fs.statSync(`${entry.parentPath}/${entry.name}`).mtimeMs}`).sort();
    const before = disk();

    const hostile = [
      "..", "../", "../..", "../../..", "/", "//", "/etc/", `${own}/..`, `${own}/../`, `${own}/../../`, `${own}/../../../../../../etc/`,
      `${own}/../${other}/`, `${own}/../${other}/doc/file.txt`, `${own}/doc/../../${other}/doc/file.txt`, `${own}/./doc/mine.txt`, `${own}//doc/mine.txt`,
      `${own}/doc/..`, `${own}/.../x`, `${own}\\..\\${other}\\doc`, `${own}/..\\${other}`, `${own}/a\0b`, `${own}/../${other}\0`, `${own}/a\r\nx: y`, `${own}/a\tb`, `${own}/a\x7fb`,
      `${own}/\u2024\u2024/${other}`, `${own}/\uff0e\uff0e/x`, `${own}/%2e%2e/${other}/doc/file.txt`, `${own}/%2e%2e%2f${other}`, `${own}/..%2f${other}`, `${own}/%252e%252e/${other}`,
      `${own}/..;/${other}/doc/file.txt`, `${own}/doc/mine.txt/../../../${other}/doc/file.txt`,
    ];
    const foreign = ["", other, `${other}/`, `${other}/doc/file.txt`, `${own}x/`, `${own}x/doc/file.txt`, own.slice(0, 35), own.slice(0, 8), own.toUpperCase() + "/"];
    // In a URL: as it is where HTTP lets it be written, with every letter that is no plain one escaped, with dots and slashes escaped too, and escaped twice.
    const escaped = (key) => encodeURIComponent(key).replaceAll(".", "%2e").replaceAll("%2F", "/");
    const spellings = (key) => new Set([...(/^[!-~]*$/.test(key) ? [key] : []), encodeURI(key), escaped(key), encodeURIComponent(key), encodeURIComponent(escaped(key))]);
    const inUrl = [
      ["GET", (key) => `/object/gristmill/${key}`], ["HEAD", (key) => `/object/gristmill/${key}`], ["GET", (key) => `/object/authenticated/gristmill/${key}`],
      ["GET", (key) => `/object/public/gristmill/${key}`], ["GET", (key) => `/object/info/gristmill/${key}`], ["GET", (key) => `/object/info/authenticated/gristmill/${key}`],
      ["POST", (key) => `/object/gristmill/${key}`], ["PUT", (key) => `/object/gristmill/${key}`], ["DELETE", (key) => `/object/gristmill/${key}`],
      ["POST", (key) => `/object/sign/gristmill/${key}`, { expiresIn: 60 }], ["GET", (key) => `/object/sign/gristmill/${key}?token=9999999999.AAAA`],
      ["POST", (key) => `/object/upload/sign/gristmill/${key}`, {}], ["PUT", (key) => `/object/upload/sign/gristmill/${key}?token=9999999999.AAAA`],
      ["GET", (key) => `/render/image/authenticated/gristmill/${key}`],
    ];
    const inBody = [
      ["POST", "/object/list-v2/gristmill", (key) => ({ prefix: key, limit: 1 })], ["POST", "/object/list/gristmill", (key) => ({ prefix: key })],
      ["DELETE", "/object/gristmill", (key) => ({ prefixes: [key] })], ["POST", "/object/sign/gristmill", (key) => ({ paths: [key], expiresIn: 60 })],
      ["POST", "/object/move", (key) => ({ bucketId: "gristmill", sourceKey: key, destinationKey: `${own}/doc/new.txt` })],
      ["POST", "/object/move", (key) => ({ bucketId: "gristmill", sourceKey: `${own}/doc/mine.txt`, destinationKey: key })],
      ["POST", "/object/copy", (key) => ({ bucketId: "gristmill", sourceKey: key, destinationKey: `${own}/doc/new.txt` })],
      ["POST", "/object/copy", (key) => ({ bucketId: "gristmill", sourceKey: `${own}/doc/mine.txt`, destinationKey: key })],
    ];
    const asked = [];
    for (const key of [...hostile, ...foreign]) {
      for (const [method, path, json] of inUrl) for (const spelling of spellings(key)) asked.push([method, path(spelling), json]);
      // What lies in one's own folder may be listed without the folder's slash: see the next test.
      for (const [method, path, json] of inBody) for (const spelling of new Set([key, escaped(key), encodeURIComponent(key)])) asked.push([method, path, json(spelling)]);
    }
    for (const cursor of hostile) asked.push(["POST", "/object/list-v2/gristmill", { prefix: `${own}/`, cursor }]);
    const passed = [];
    for (let at = 0; at < asked.length; at += 50) {
      await Promise.all(asked.slice(at, at + 50).map(async ([method, path, json]) => {
        const { status, text } = await raw(method, path, json);
        // Of several paths each is answered for itself: without a link in it, 200 is a refusal.
        const isRefused = status >= 400 && status < 500 || json?.paths && status === 200 && JSON.parse(text).every(({ error, signedURL }) => error && signedURL === null);
        if (!isRefused || text.includes("secret") || text.includes("objects")) passed.push([method, path, json, status, text]);
      }));
    }
    assert.deepEqual(passed, [], "every one of them is refused, and none of them breaks anything");
    assert.deepEqual(disk(), before, "nothing on the disk has changed");
  });

  test("a user's folder is listed with and without its slash, and never one whose name begins with it", async () => {
    await service.upload(`${user.sub}x/doc/other.txt`, body, { upsert: true });
    await service.upload(`${user.sub}/doc/mine.txt`, body, { upsert: true });
    const files = client(stack.anonKey, user.token);
    for (const prefix of [user.sub, `${user.sub}/`, `${user.sub}/doc`, `${user.sub}/doc/mi`]) {
      const keys = (await files.listV2({ prefix })).data.objects.map(({ name }) => name);
      assert.ok(keys.includes(`${user.sub}/doc/mine.txt`), prefix);
      assert.deepEqual(keys.filter((key) => !key.startsWith(`${user.sub}/`)), [], prefix);
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

  test("a signed link is good for a week at the most", async () => {
    const key = `${user.sub}/doc/week.txt`;
    await service.upload(key, body);
    const WEEK = 7 * 24 * 60 * 60;
    for (const files of [service, client(stack.anonKey, user.token)]) {
      const { data } = await files.createSignedUrl(key, WEEK);
      assert.equal(await (await fetch(data.signedUrl)).text(), "hello");
      for (const seconds of [WEEK + 1, 2 ** 32 - 1]) {
        assert.equal((await files.createSignedUrl(key, seconds)).error?.message, "expiresIn is at most 604800: a link is good for a week");
      }
      assert.notEqual((await files.createSignedUrls([key], WEEK + 1)).error, null, "nor of several in one call");
      for (const seconds of [2 ** 32, -1]) assert.notEqual((await files.createSignedUrl(key, seconds)).error, null, `${seconds} s`);
    }
  });

  test("a link that a guest has signed ends when the owner takes the access back, and one of the owner does not", async () => {
    const [owner, guest] = [await signIn(stack), await signIn(stack)];
    const [profile, file] = [randomUUID(), randomUUID()];
    const key = `${profile}/${file}/file.txt`;
    const rows = (sql, values) => stack.postgres.query(sql, values);
    await rows("insert into public.user_profiles (id, user_id, is_default) values ($1, $2, true)", [profile, owner.sub]);
    await rows("insert into public.profile_access_grants (profile_id, grantee_user_id, granted_by, accepted_at) values ($1, $2, $3, now())", [profile, guest.sub, owner.sub]);
    await rows(`insert into public.shell_files (id, patient_id, filename, mime_type, status, storage_path, created_at, updated_at, scanned_at, completed_at)
      values ($1, $2, 'file.txt', 'text/plain', 'completed', $3, now(), now(), now(), now())`, [file, profile, key]);
    await service.upload(key, body);
    const link = async ({ token }) => (await client(stack.anonKey, token).createSignedUrl(key, 600)).data.signedUrl;
    const [ofMany] = (await client(stack.anonKey, guest.token).createSignedUrls([key], 600)).data.map(({ signedUrl }) => signedUrl);
    const [ofOwner, ofGuest, ofService] = [await link(owner), await link(guest), (await service.createSignedUrl(key, 600)).data.signedUrl];
    for (const url of [ofOwner, ofGuest, ofMany, ofService]) assert.equal(await (await fetch(url)).text(), "hello");

    await rows("delete from public.profile_access_grants where profile_id = $1", [profile]);
    for (const url of [ofGuest, ofMany]) assert.equal((await fetch(url)).status, 403, "the guest's");
    for (const url of [ofOwner, ofService]) assert.equal(await (await fetch(url)).text(), "hello");
    const [token] = /(?<=token=)[^&]+/.exec(ofGuest);
    for (const forged of [token.replace(guest.sub, owner.sub), token.replace(`.${guest.sub}`, ""), `${token}.${owner.sub}`]) {
      assert.equal((await fetch(ofGuest.replace(token, forged))).status, 403, "for another signer than the one whom it was signed for");
    }
  });

  test("a token whose sub is no UUID is refused on every route, and is no failure of the service", async () => {
    for (const sub of ["somebody", "", "urn:uuid:11111111-1111-4111-8111-111111111111", "{11111111-1111-4111-8111-111111111111}"]) {
      const headers = { authorization: `Bearer ${await stack.token({ role: "authenticated", sub })}`, "content-type": "application/json" };
      for (const [method, path, json] of [
        ["GET", `/object/gristmill/${user.sub}/doc/file.txt`], ["POST", `/object/gristmill/${user.sub}/doc/new.txt`, {}], ["DELETE", `/object/gristmill/${user.sub}/doc/file.txt`],
        ["POST", `/object/sign/gristmill/${user.sub}/doc/file.txt`, { expiresIn: 60 }], ["POST", "/object/list-v2/gristmill", { prefix: `${user.sub}/` }],
        ["DELETE", "/object/gristmill", { prefixes: [`${user.sub}/doc/file.txt`] }],
        ["POST", "/object/move", { bucketId: "gristmill", sourceKey: `${user.sub}/doc/file.txt`, destinationKey: `${user.sub}/doc/new.txt` }],
      ]) {
        const answer = await fetch(`${stack.url}/storage/v1${path}`, { method, headers, body: json && JSON.stringify(json) });
        assert.equal(answer.status, 403, `${method} ${path} for ${sub}: ${await answer.text()}`);
      }
    }
  });

  test("a key that climbs is refused before it reaches the disk", async () => {
    const { port, hostname } = new URL(stack.url);
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
