// text_generation by a model behind HTTP, which misbehaves first.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { freePorts, isListening } from "../../sdk/local/stack/ports.mjs";
import { signIn, startStack, until } from "../support.mjs";

const standIn = fileURLToPath(new URL("../stand-ins/models.mjs", import.meta.url));
let stack, user, models, url;
before(async () => {
  const [port] = await freePorts(1);
  url = `http://127.0.0.1:${port}`;
  models = spawn(process.execPath, [standIn, String(port)], { stdio: "ignore" });
  await until(() => isListening(port), "the stand-in listening", 60_000);
  stack = await startStack("workflows-provider", { parts: ["gateway", "workerd", "storage", "work"],
    env: { work: { AI_PROVIDER: "openai", OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "key-1" } } });
  user = await signIn(stack);
  await stack.postgres.query("update mill.queue set backoff_base_seconds = 0.1, backoff_cap_seconds = 0.2 where queue = 'workflows'");
});
after(async () => {
  models?.kill();
  await stack?.destroy();
});

test("a text is the model's, after it had no room, failed and answered in another shape", async () => {
  await fetch(`${url}/manners`, { method: "POST", body: JSON.stringify(["429", "500", "wrong"]) });
  const documents = [{ system: "chinese", about: "person1", title: "The calendar" }];
  const { status, json: { id } } = await user.call("POST", "workflows/v1/jobs", { body: { type: "nuclear_v2", params: { documents } } });
  assert.equal(status, 202);
  const job = await until(async () => {
    await stack.postgres.query("select mill.tick()"); // promotes what waits for its backoff
    const { json } = await user.call("GET", `workflows/v1/jobs/${id}`);
    return ["completed", "failed"].includes(json.status) && json;
  }, "the workflow ending", 120_000);
  assert.equal(job.status, "completed", JSON.stringify(job.error));
  const artifact = job.artifacts.find(({ title, type }) => type === "json" && title === "The calendar");
  const text = await (await fetch(artifact.url)).json();
  assert.deepEqual(text.sections, [{ title: "Written elsewhere", text: "A model wrote this." }]);
  assert.equal(text.author, "For Ada Lovelace and Charles Babbage");
  assert.ok(job.artifacts.some(({ type }) => type === "pdf") && job.artifacts.some(({ type }) => type === "audio_mp3"), "pages and voice are of it");
  const calls = await (await fetch(`${url}/calls`)).json();
  assert.deepEqual(calls.map(({ path, key, manner }) => [path, key, manner]), [
    ["/v1/chat/completions", "Bearer key-1", "429"], ["/v1/chat/completions", "Bearer key-1", "500"],
    ["/v1/chat/completions", "Bearer key-1", "wrong"], ["/v1/chat/completions", "Bearer key-1", "ok"]]);
});
