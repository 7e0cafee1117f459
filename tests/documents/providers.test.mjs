// Models behind HTTP, in their own protocols, against a stand-in that also misbehaves.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { defaultFolder, samples } from "../../scripts/lib/samples/index.mjs";
import { freePorts, isListening } from "../../sdk/local/stack/ports.mjs";
import { uploader } from "../documents.mjs";
import { startStack, until } from "../support.mjs";

const TEXT = Buffer.from("Metformin 500 mg by mouth twice daily\n");
const standIn = fileURLToPath(new URL("../stand-ins/models.mjs", import.meta.url));

for (const [provider, env, path, key] of [
  ["openai", (url) => ({ AI_PROVIDER: "openai", OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "key-1" }), "/v1/chat/completions", "Bearer key-1"],
  ["anthropic", (url) => ({ AI_PROVIDER: "anthropic", ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "key-2" }), "/v1/messages", "key-2"],
]) {
  describe(`with ${provider}`, () => {
    let stack, user, models, url;
    before(async () => {
      const [port] = await freePorts(1);
      url = `http://127.0.0.1:${port}`;
      models = spawn(process.execPath, [standIn, String(port)], { stdio: "ignore" });
      await until(() => isListening(port), "the stand-in listening");
      stack = await startStack(`documents-${provider}`, { parts: ["gateway", "storage", "workerd", "work"], functions: ["documents"],
        env: { work: { ...env(url), AI_TIMEOUT_SECONDS: "1", OCR_PROVIDER: "google", GOOGLE_VISION_URL: url, GOOGLE_API_KEY: "key-3" } } });
      user = await uploader(stack);
      await stack.postgres.query("update mill.queue set backoff_base_seconds = 0.1, backoff_cap_seconds = 0.2 where queue in ('fast', 'ai')");
    });
    after(async () => {
      models?.kill();
      await stack?.destroy();
    });
    const behave = (...manners) => fetch(`${url}/manners`, { method: "POST", body: JSON.stringify(manners) });
    const calls = async () => (await fetch(`${url}/calls`)).json();
    // The tick promotes what waits for its backoff.
    const ended = async (id) => until(async () => {
      await stack.postgres.query("select mill.tick()");
      const document = await user.document(id);
      return ["completed", "needs_review", "failed"].includes(document.status) && document;
    }, "the document ending", 120_000);

    test("three passes are asked for in its own protocol, and tokens are counted", async () => {
      const { id } = (await user.upload(TEXT)).json;
      const document = await ended(id);
      assert.equal(document.status, "completed", JSON.stringify(document.error));
      assert.deepEqual(document.facts.map(({ name, value }) => [name, value.dose]), [["metformin", 500]]);
      assert.deepEqual(document.narrative.sentences, [{ text: "Takes metformin.", facts: [1] }]);
      assert.equal(document.processing_error.api_metrics.total_tokens_used, 126);
      const asked = await calls();
      assert.ok(asked.every((call) => call.path === path && call.key === key));
      if (provider === "anthropic") assert.ok(asked.every((call) => call.version === "2023-06-01"));
    });

    test("429, 500, no answer in time and an answer of another shape are survived", async () => {
      await behave("429", "500", "hang", "wrong");
      const { id } = (await user.upload(TEXT)).json;
      const document = await ended(id);
      assert.equal(document.status, "completed", JSON.stringify(document.error));
      const types = document.processing_error.error_history.map(({ error_type: type }) => type);
      assert.ok(types.includes("network_error") && types.includes("ai_timeout"), `${types}`);
      assert.ok(document.processing_error.error_history.every(({ resolved }) => resolved));
    });

    test("what a model says and the page does not say is refused, and the document needs review", async () => {
      await behave("invents", "invents", "invents");
      const { id } = (await user.upload(Buffer.from("Metformin 500 mg by mouth twice daily\nThere is no evidence of pneumonia.\n"))).json;
      const document = await ended(id);
      assert.equal(document.status, "needs_review", JSON.stringify(document.error));
      assert.deepEqual(document.facts.map(({ name, value }) => [name, value.dose]), [["metformin", 500]]);
      assert.deepEqual(document.narrative.sentences, [{ text: "Takes metformin.", facts: [1] }]);
      const refused = document.doubts.filter(({ reason }) => reason === "refused_answer").map(({ text }) => text);
      for (const said of [/lisinopril: its name/, /metformin: dose 850/, /pneumonia: it is given as current/, /Takes metformin 850/]) {
        assert.ok(refused.some((text) => said.test(text)), `${said} in ${JSON.stringify(refused)}`);
      }
    });

    test("429 uses up no attempt", async () => {
      await behave("429", "429");
      const { id } = (await user.upload(TEXT)).json;
      await ended(id);
      const { rows } = await stack.postgres.query("select attempt from mill.job where kind = 'ai_queue_pass1' and payload ->> 'document_id' = $1", [id]);
      assert.deepEqual(rows, [{ attempt: 1 }]);
    });

    test("an answer that is twice of another shape is a dead letter", async () => {
      await behave("wrong", "html");
      const { id } = (await user.upload(TEXT)).json;
      const document = await ended(id);
      assert.equal(document.status, "failed");
      assert.match(document.error.message, /another shape/);
      assert.deepEqual(document.facts, []);
    });

    test("a page is read by Google Vision where it is chosen", async () => {
      const scan = samples(defaultFolder()).find(({ form }) => form === "scan");
      const { id } = (await user.upload(fs.readFileSync(scan.file))).json;
      assert.equal((await ended(id)).status, "completed");
      const { rows } = await stack.postgres.query("select source, text from public.document_pages where document_id = $1", [id]);
      assert.deepEqual(rows, [{ source: "google_vision", text: "Metformin 500 mg twice daily" }]);
      assert.ok((await calls()).some((call) => call.path === "/v1/images:annotate" && call.key === "key-3"));
    });
  });
}
