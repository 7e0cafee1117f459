// A real clamd, with signatures of our own: the official ones cannot be downloaded everywhere, and the protocol and the
// pipeline around it do not care whose they are.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";

import * as hostile from "../../scripts/lib/samples/hostile.mjs";
import { assemble } from "../../scripts/lib/samples/pdf.mjs";
import { Part } from "../../sdk/local/stack/part.mjs";
import { gristmill } from "../../sdk/local/stack/paths.mjs";
import { objects, uploader } from "../documents.mjs";
import { startStack, until } from "../support.mjs";

const TEXT = Buffer.from("Metformin 500 mg by mouth twice daily\n");
const MARK = "gristmill signature of a virus that is none";
const PATIENCE = 120_000;
const LIMIT = 12_000_000;

// A PDF of `size` bytes of noise, with something at its very end: all of it has to be sent for that to be found.
const large = (size, end) => assemble([
  Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"), Buffer.from("<< /Type /Pages /Count 1 /Kids [3 0 R] >>"),
  Buffer.from("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>"),
  Buffer.concat([Buffer.from(`<< /Length ${size} >>\nstream\n`), randomBytes(size), Buffer.from(`\nendstream\n% ${end}`)])]);

describe("with clamd", () => {
  let stack, user, clamd, socket;
  before(async () => {
    const folder = fs.mkdtempSync("/tmp/gristmill-clamd-");
    socket = path.join(folder, "clamd.sock");
    const hex = (text) => Buffer.from(text).toString("hex");
    fs.mkdirSync(path.join(folder, "signatures"));
    fs.writeFileSync(path.join(folder, "signatures/own.ndb"), `Gristmill.Eicar:0:0:${hex(hostile.eicar())}\nGristmill.Mark:0:*:${hex(MARK)}\n`);
    fs.writeFileSync(path.join(folder, "clamd.conf"), [
      "Foreground yes", `LocalSocket ${socket}`, `DatabaseDirectory ${folder}/signatures`, `TemporaryDirectory ${folder}`,
      `StreamMaxLength ${LIMIT}`, `MaxFileSize ${LIMIT}`, `MaxScanSize ${LIMIT}`, "AlertExceedsMax yes", ""].join("\n"));
    clamd = new Part("clamd", { command: "clamd", args: ["--config-file", path.join(folder, "clamd.conf")], logDir: folder,
      env: { PATH: `${process.env.PATH}:/usr/sbin` }, patience: 60_000, isReady: async () => fs.existsSync(socket) });
    clamd.folder = folder;
    await clamd.start();
    stack = await startStack("clamd", { parts: ["gateway", "storage", "workerd", "work"], functions: ["documents"],
      env: { work: { WORKER_CLAMD: socket } } });
    user = await uploader(stack);
  });
  after(async () => {
    await stack?.destroy();
    await clamd?.kill();
    if (clamd) fs.rmSync(clamd.folder, { recursive: true, force: true });
  });

  test("a clean file is scanned by it and goes on", async () => {
    const document = await user.ended((await user.upload(TEXT)).json.id, PATIENCE);
    assert.deepEqual([document.status, document.verdict], ["completed", { safe: true, scanner: "clamd" }]);
  });

  for (const [what, body, name] of [
    ["EICAR", () => hostile.eicar(), "Gristmill.Eicar.UNOFFICIAL"],
    ["what stands at the end of 10 MB", () => large(10_000_000, MARK), "Gristmill.Mark.UNOFFICIAL"],
  ]) {
    test(`${what} is found by clamd itself, and quarantined`, async () => {
      const { json } = await user.upload(body());
      const document = await user.ended(json.id, PATIENCE);
      assert.equal(document.status, "infected");
      assert.equal(document.verdict.message, `clamd found ${name}`);
      const kept = (await objects(stack)).filter((key) => key.includes(json.id));
      assert.ok(kept.length === 1 && kept[0].startsWith("quarantine/"), `${kept}`);
    });
  }

  test("a file that is larger than it scans is refused and not let through", async () => {
    const document = await user.ended((await user.upload(large(LIMIT + 1_000_000, ""))).json.id, PATIENCE);
    assert.deepEqual([document.status, document.verdict?.reason], ["refused", "unscannable"]);
    assert.match(document.verdict.message, /StreamMaxLength/);
  });

  test("while clamd is down a file waits; it is scanned when clamd is back", async () => {
    await clamd.kill();
    fs.rmSync(socket, { force: true });
    const { json: { id } } = await user.upload(TEXT);
    const waiting = await until(async () => {
      const document = await user.document(id);
      return document.error && document;
    }, "the failure being noted", PATIENCE);
    assert.equal(waiting.status, "processing");
    assert.equal(waiting.verdict, null);
    assert.ok(Date.parse(waiting.error.next_retry_at) > 0, "it says when it is tried again");
    assert.match(waiting.error.message, /clamd could not scan it/);
    await clamd.start();
    const document = await until(async () => {
      await stack.postgres.query("select mill.tick()");
      const found = await user.document(id);
      return found.status === "completed" && found;
    }, "the document being completed", PATIENCE);
    assert.equal(document.verdict.scanner, "clamd");
  });

  test("doctor says what is wrong with the scanner, and when there is none", async () => {
    const doctor = async (address) => {
      const env = { ...process.env, GRISTMILL_DATABASE_URL: stack.databaseUrl, WORKER_CLAMD: address };
      return promisify(execFile)(gristmill, ["doctor", "--offline", "--worker"], { env }).catch((error) => error).then(({ stdout }) => stdout);
    };
    assert.match(await doctor(socket), /WRONG virus scanner\n +clamd has no dated signatures/);
    assert.match(await doctor(`${socket}.gone`), /WRONG virus scanner\n +clamd at .* does not answer, so documents wait/);
    assert.match(await doctor(""), /WRONG virus scanner\n +WORKER_CLAMD is not set: files are not scanned for viruses/);
    assert.match(await doctor("none"), /ok +virus scanner/);
  });
});
