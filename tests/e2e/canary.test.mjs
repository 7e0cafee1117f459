// Canaries: secrets and a patient's name placed in every field that takes text. Afterwards they are in no log, in no error,
// in no bundle, in no metric, and in no webhook.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";

import { functionsDir } from "../../sdk/local/stack/paths.mjs";
import { readFunctions } from "../../sdk/local/stack/wrangler.mjs";
import { signIn, startStack, until } from "../support.mjs";

const NAME = "Zyxwina Canaryfeather";
const SECRET = "canary-secret-5f1c9e";
const CANARIES = [NAME, "Canaryfeather", SECRET];
const dirty = `${NAME} ${SECRET}`;

let stack, user, listener;
const webhooks = [];
const answers = []; // of every request that was refused, and of every route that shows no content by design

before(async () => {
  stack = await startStack("canary");
  user = await signIn(stack);
  listener = http.createServer(async (request, response) => {
    for await (const chunk of request) webhooks.push(chunk.toString());
    webhooks.push(JSON.stringify(request.headers));
    response.writeHead(204).end();
  });
  await new Promise((ready) => listener.listen(0, "127.0.0.1", ready));
  await stack.postgres.query("insert into mill.alert_endpoint (name, url) values ('test', $1)", [`http://127.0.0.1:${listener.address().port}/`]);
});
after(async () => {
  listener?.close();
  await stack?.destroy();
});

const found = (text) => CANARIES.filter((canary) => text.includes(canary));

// Every string of a schema becomes the canary; what has another type gets something that fits.
function filled(schema, depth = 0) {
  if (!schema || depth > 4) return dirty;
  const types = [schema.type].flat();
  if (schema.enum) return schema.enum[0];
  if (types.includes("object")) {
    const fields = Object.entries(schema.properties ?? { note: { type: "string" } });
    return Object.fromEntries(fields.map(([name, field]) => [name, filled(field, depth + 1)]));
  }
  if (types.includes("array")) return [filled(schema.items, depth + 1)];
  if (types.includes("integer") || types.includes("number")) return 5;
  if (types.includes("boolean")) return true;
  if (schema.format === "uuid") return randomUUID();
  return dirty;
}

async function send(method, url, { body, headers } = {}) {
  const answer = await fetch(url, { method, headers, body, redirect: "manual" });
  const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
  const text = isStream ? await answer.body.cancel() ?? "" : await answer.text();
  answers.push({ what: `${method} ${new URL(url).pathname}`, status: answer.status, text });
  return { status: answer.status, text };
}

test("every route of every function is sent canaries in its body, its query, its headers and its token", async () => {
  let routes = 0;
  for (const { name } of readFunctions().functions) {
    const base = `${stack.url}/functions/v1/${name}`;
    const api = await (await fetch(`${base}/openapi.json`)).json();
    for (const [at, methods] of Object.entries(api.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        routes += 1;
        const verb = method.toUpperCase();
        const url = `${base}${at.replace(/\{[^}]+\}/g, encodeURIComponent(dirty))}`;
        const media = Object.keys(operation.requestBody?.content ?? {})[0];
        const good = media === "application/json" ? filled(operation.requestBody.content[media].schema) : dirty;
        const body = verb === "GET" || verb === "DELETE" ? undefined : media === "application/json" ? JSON.stringify(good) : dirty;
        const own = { authorization: `Bearer ${user.token}`, "content-type": media ?? "application/json" };
        await send(verb, url, { body, headers: own });
        await send(verb, `${url}?q=${encodeURIComponent(dirty)}`, { body: body && `{"note": "${dirty}"`, headers: own });
        await send(verb, url, { body: body && JSON.stringify({ unknown_field: dirty }), headers: { ...own, "x-correlation-id": dirty, "user-agent": dirty, "idempotency-key": dirty } });
        await send(verb, url, { body, headers: { ...own, authorization: `Bearer ${dirty}` } });
      }
    }
  }
  assert.ok(routes >= 6, `only ${routes} routes`);
});

test("jobs with canaries in every field run, fail, die and are audited", async () => {
  const job = { kind: "echo", name: dirty, payload: { [dirty]: dirty, patient: NAME }, dedupe_key: dirty, group_key: dirty };
  const done = await user.submit(job);
  await user.settled(done.json.id);
  const bad = await user.submit({ ...job, dedupe_key: "other", payload: { delay_ms: dirty } });
  assert.equal((await user.settled(bad.json.id)).state, "failed");
  await stack.postgres.query("select mill.audit('patients', $1, 'update', $2::jsonb, $2::jsonb, $1, 'test', $3)", [dirty, JSON.stringify({ name: dirty }), randomUUID()]);
  // What Postgres refuses must not come back in its words either.
  await user.submit({ ...job, dedupe_key: "x", payload: { note: `${dirty}\u0000` } });
  await user.submit({ ...job, dedupe_key: "y".repeat(300) });
  await user.submit({ ...job, kind: dirty });
});

test("an alert, a cleanup and every schedule run beside them", async () => {
  await stack.postgres.query("insert into mill.event (at, code, detail) select now(), 'test', jsonb_build_object('data_type', 'quote', 'message', $1::text) from generate_series(1, 5)", [dirty]);
  await stack.postgres.query("select mill.judge_alerts()");
  await until(() => webhooks.some((text) => text.includes("data_type_warnings")), "the webhook");
  await stack.postgres.query("select mill.run_schedule(name) from mill.schedule");
  const { rows: [{ id }] } = await stack.postgres.query("select mill.invoke_cleanup() as id");
  await until(async () => (await stack.postgres.query("select from net._http_response where id = $1", [id])).rowCount, "the cleanup");
  await stack.postgres.query("call mill.pump(0)");
});

test("no canary is in an error, in health, in a metric or in a webhook", async () => {
  for (const { what, status, text } of answers) {
    if (status >= 400) assert.deepEqual(found(text), [], `${what} answers ${status} with ${text}`);
  }
  assert.ok(answers.filter(({ status }) => status >= 400).length > 10, "there were errors to look at");
  for (const [at, token] of [["", stack.secrets.healthToken], ["/metrics", stack.secrets.metricsToken]]) {
    const answer = await fetch(`${stack.url}/functions/v1/health${at}`, { headers: { authorization: `Bearer ${token}` } });
    assert.ok(answer.status === 200 || answer.status === 503);
    assert.deepEqual(found(await answer.text()), [], `health${at}`);
  }
  const gateway = await (await fetch(`${stack.adminUrl}/metrics`)).text();
  assert.deepEqual(found(gateway), [], "the gateway's metrics");
  assert.deepEqual(found(webhooks.join("\n")), [], "webhooks");
});

test("no canary and no secret of the stack is in any log", async () => {
  const secrets = [stack.serviceKey, user.token, ...Object.values(stack.secrets)];
  const logs = fs.readdirSync(stack.logDir).filter((name) => name.endsWith(".log"));
  assert.ok(logs.length >= 4, `logs: ${logs}`);
  for (const name of logs) {
    const text = fs.readFileSync(path.join(stack.logDir, name), "utf8");
    assert.deepEqual(found(text), [], `${name}: ${text.split("\n").find((line) => found(line).length > 0)}`);
    assert.deepEqual(secrets.filter((secret) => text.includes(secret)).length, 0, `${name} has a secret of the stack`);
  }
  const lines = fs.readFileSync(stack.parts.workerd.log, "utf8").split("\n").filter((line) => line.startsWith("{"));
  assert.ok(lines.length > 20, "the functions have logged");
  for (const line of lines) JSON.parse(line);
});

test("no secret of the stack, and no service key at all, is in a bundle", () => {
  const secrets = [stack.serviceKey, stack.anonKey, ...Object.values(stack.secrets)];
  for (const name of fs.readdirSync(functionsDir)) {
    for (const file of fs.readdirSync(path.join(functionsDir, name))) {
      const content = fs.readFileSync(path.join(functionsDir, name, file), "latin1");
      assert.equal(secrets.filter((secret) => content.includes(secret)).length, 0, `${name}/${file}`);
      assert.doesNotMatch(content, /eyJhbGciOi[A-Za-z0-9_-]{20,}\.eyJ/, `${name}/${file} holds a token`);
      assert.doesNotMatch(content, /whsec_[A-Za-z0-9+/]{24,}/, `${name}/${file} holds a signing key`);
    }
  }
});
