// Alerts the whole way: a rule fires in Postgres, the engine delivers it, and a real listener checks the signature.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import http from "node:http";
import { after, before, test } from "node:test";

import { startStack, until } from "../support.mjs";

let stack, listener;
const received = [];
let answerWith = () => 204;

before(async () => {
  stack = await startStack("alerts");
  listener = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const status = answerWith(request);
    received.push({ path: request.url, headers: request.headers, body: Buffer.concat(chunks).toString(), status });
    response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end();
  });
  await new Promise((ready) => listener.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${listener.address().port}/hook`;
  await stack.postgres.query("insert into mill.alert_endpoint (name, url) values ('test', $1)", [url]);
  await stack.postgres.query("update mill.queue set backoff_base_seconds = 0.001, backoff_cap_seconds = 0.001 where queue = 'alerts'");
});
after(async () => {
  listener?.close();
  await stack?.destroy();
});

const judge = () => stack.postgres.query("select mill.judge_alerts()");
const pump = () => stack.postgres.query("call mill.pump(0)");
const taken = (type) => received.filter(({ body, status }) => status === 204 && JSON.parse(body).type === type);

// Standard Webhooks, checked as a receiver would: from the secret alone.
function isSigned({ headers, body }) {
  const key = Buffer.from(stack.secrets.alertSecret.replace("whsec_", ""), "base64");
  const mac = createHmac("sha256", key).update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`).digest("base64");
  return headers["webhook-signature"] === `v1,${mac}` && Math.abs(Date.now() / 1000 - headers["webhook-timestamp"]) < 60;
}

test("a firing and a resolved alert arrive signed", async () => {
  await stack.postgres.query("select mill.set_breaker('some-target', 'open', 'test')");
  await judge();
  await until(() => taken("alert.firing").length === 1, "the firing alert");
  const [firing] = taken("alert.firing");
  assert.ok(isSigned(firing));
  const { data } = JSON.parse(firing.body);
  assert.deepEqual([data.rule, data.severity, data.subject], ["breaker_open", "P1", "some-target"]);

  await stack.postgres.query("select mill.set_breaker('some-target', 'closed', 'test')");
  await judge();
  await until(() => taken("alert.resolved").length === 1, "the resolved alert");
  assert.ok(isSigned(taken("alert.resolved")[0]));
  assert.equal(JSON.parse(taken("alert.resolved")[0].body).data.alert, data.alert);
});

test("a receiver that fails or redirects is tried again under the same id", async () => {
  received.length = 0;
  const answers = [500, 302, 204];
  answerWith = () => answers.shift() ?? 204;
  await stack.postgres.query("select mill.set_breaker('some-target', 'open', 'test')");
  await judge();
  await until(async () => {
    await pump();
    return taken("alert.firing").length === 1;
  }, "the third attempt");
  assert.deepEqual(received.map(({ path, status }) => `${path} ${status}`), ["/hook 500", "/hook 302", "/hook 204"]);
  assert.equal(new Set(received.map(({ headers }) => headers["webhook-id"])).size, 1);
  assert.ok(received.every(isSigned));
});

test("the tick itself evaluates the rules", async () => {
  await stack.postgres.query("delete from mill.heartbeat where part = 'watch_alerts'");
  await stack.postgres.query("select mill.set_breaker('other-target', 'open', 'test')");
  await pump();
  await until(() => taken("alert.firing").some(({ body }) => body.includes("other-target")), "the alert of the tick");
});
