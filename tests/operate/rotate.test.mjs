// docs/rotate-secrets.md, walked through under traffic: each secret is changed without one request that fails.
import assert from "node:assert/strict";
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import http from "node:http";
import { after, before, test } from "node:test";

import * as keys from "../../sdk/local/stack/keys.mjs";
import { freePorts } from "../../sdk/local/stack/ports.mjs";
import { Stack } from "../../sdk/local/stack/stack.mjs";
import { sleep, until } from "../support.mjs";
import { Balancer } from "./balancer.mjs";
import { commandsOf } from "./doc.mjs";

const whsec = () => `whsec_${randomBytes(32).toString("base64")}`;
const text = () => randomBytes(32).toString("base64url");
const fronts = { gateway: new Balancer(), workerd: new Balancer() };
let stack, listener;
const heard = [];

before(async () => {
  stack = new Stack(`test-rotate-${process.pid}`, { functions: ["enqueue", "processor", "documents", "health", "cleanup"], storage: "r2", env: { gateway: {}, functions: {} } });
  await stack.start([]);
  await fronts.gateway.listen(stack.ports.gatewayPort);
  await fronts.workerd.listen(stack.ports.functionsPort);
  await roll("workerd");
  await roll("gateway");
  await stack.add(["relay"]);
  listener = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    heard.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(204).end();
  });
  await new Promise((ready) => listener.listen(0, "127.0.0.1", ready));
});
after(async () => {
  for (const front of Object.values(fronts)) front.close();
  listener?.close();
  await stack?.destroy();
});

/** Starts another instance of a part with what is set now, sends requests there, and stops the one before when it has none left. */
async function roll(name) {
  const before = stack.parts[name];
  const { ports, adminUrl } = stack;
  const [port, admin] = await freePorts(2);
  stack.ports = { ...ports, ...(name === "gateway" ? { gatewayPort: port, adminPort: admin } : { functionsPort: port }) };
  if (name === "gateway") stack.adminUrl = `http://127.0.0.1:${admin}`;
  await stack.add([name]);
  stack.ports = ports;
  stack.adminUrl = adminUrl;
  await fronts[name].send(port);
  await before?.stop();
}

/** Users submit jobs and read them, and the service calls, without a pause while `work` runs. Every answer must be good, and every job must end. */
async function under(work, { userToken = (sub) => stack.token({ role: "authenticated", sub }), serviceToken = () => stack.serviceKey } = {}) {
  const sub = randomUUID();
  const faults = [];
  const jobs = [];
  let isOver = false;
  let requests = 0;
  const send = async (method, path, token, body) => {
    const answer = await fetch(`${stack.url}${path}`, { method, body: body && JSON.stringify(body), headers: { authorization: `Bearer ${token}`, apikey: token, "content-type": "application/json" } })
      .catch((error) => ({ ok: false, status: 0, text: async () => error.message }));
    requests += 1;
    const said = await answer.text();
    if (answer.ok) return JSON.parse(said);
    faults.push(`${method} ${path}: ${answer.status} ${said.slice(0, 200)}`);
    return null;
  };
  const user = async () => {
    while (!isOver) {
      const job = await send("POST", "/functions/v1/enqueue", await userToken(sub), { kind: "echo", payload: { n: jobs.length } });
      if (job) jobs.push(job.id);
      if (job) await send("GET", `/functions/v1/enqueue/${job.id}`, await userToken(sub));
      await sleep(10);
    }
  };
  const service = async () => {
    while (!isOver) {
      await send("POST", "/rest/v1/rpc/worker_queues", await serviceToken(), {});
      await sleep(10);
    }
  };
  const traffic = [user(), user(), service()];
  await until(() => requests > 30, "traffic");
  try {
    await work();
    const soFar = requests;
    await until(() => requests > soFar + 30, "traffic after the change");
  } finally {
    isOver = true;
    await Promise.all(traffic);
  }
  assert.deepEqual(faults, []);
  await until(async () => (await stack.postgres.query("select from mill.job where id = any ($1) and state = 'completed'", [jobs])).rowCount === jobs.length, `the end of ${jobs.length} jobs`, 30_000);
  const { rows: [{ refused }] } = await stack.postgres.query("select count(*)::int as refused from net._http_response where status_code in (401, 403)");
  assert.equal(refused, 0, "no invocation was refused");
}

const status = async (path, token) => (await fetch(`${stack.url}${path}`, { headers: { authorization: `Bearer ${token}`, apikey: token } })).status;

test("the secret of tokens, and with it the service key, is changed without one failed request", async () => {
  const [old, fresh] = [stack.secrets.jwtSecret, text()];
  const oldKey = stack.serviceKey;
  let issuing = old;
  await under(async () => {
    stack.env.gateway.GRISTMILL_JWT_SECRET = `${old} ${fresh}`;
    await roll("gateway");
    issuing = fresh; // new tokens from here on, those of the service too
    stack.secrets.jwtSecret = fresh;
    stack.anonKey = await keys.token(fresh, { role: "anon" });
    stack.serviceKey = await keys.token(fresh, { role: "service_role" });
    stack.env.functions.SUPABASE_SERVICE_ROLE_KEY = `${stack.serviceKey} ${oldKey}`;
    await roll("workerd");
    await sleep(200);
    stack.env.gateway.GRISTMILL_JWT_SECRET = fresh;
    delete stack.env.functions.SUPABASE_SERVICE_ROLE_KEY;
    await roll("gateway");
    await roll("workerd");
  }, { userToken: (sub) => keys.token(issuing, { role: "authenticated", sub }), serviceToken: () => keys.token(issuing, { role: "service_role" }) });
  assert.equal(await status("/rest/v1/rpc/worker_queues", oldKey), 401, "a token of the old secret is refused at the end");
});

test("the key that signs invocations is changed without one refused invocation", async () => {
  const [old, fresh] = [stack.secrets.invokeSecret, whsec()];
  await under(async () => {
    stack.env.functions.INVOKE_SECRET = `${fresh} ${old}`;
    await roll("workerd");
    stack.secrets.invokeSecret = `${fresh} ${old}`; // what `gristmill configure` is given; the first one signs
    await stack.gristmill(...commandsOf("rotate-secrets.md", "The key that signs")[0].split(" ").slice(1));
    await sleep(500); // what was signed before is on its way
    stack.secrets.invokeSecret = fresh;
    stack.env.functions.INVOKE_SECRET = fresh;
    await roll("workerd");
  });
});

test("the secret of signed links is changed, and links that were given out before stay good until the old one is taken away", async () => {
  const [old, fresh] = [stack.secrets.filesSecret, text()];
  const key = `${randomUUID()}/a.txt`;
  const expires = Math.floor(Date.now() / 1000) + 600;
  const link = (secret, right) => {
    const signature = createHmac("sha256", secret).update(`${right}\n${key}\n${expires}`).digest("base64url");
    return `/functions/v1/documents/objects?key=${encodeURIComponent(key)}&expires=${expires}&signature=${signature}`;
  };
  const get = async (secret) => (await fetch(`${stack.url}${link(secret, "get")}`)).status;
  const put = await fetch(`${stack.url}${link(old, "put")}`, { method: "POST", body: "hello", headers: { "content-type": "text/plain" } });
  assert.ok(put.ok, `${put.status} ${await put.text()}`);
  const set = async (value) => {
    stack.env.functions.FILES_SECRET = value;
    await roll("workerd");
  };
  await under(async () => {
    await set(`${old} ${fresh}`);
    assert.deepEqual([await get(old), await get(fresh)], [200, 200]);
    await set(`${fresh} ${old}`);
    assert.deepEqual([await get(old), await get(fresh)], [200, 200]);
  });
  await set(fresh);
  assert.deepEqual([await get(old), await get(fresh)], [403, 200]);
});

test("tokens of health and metrics are changed while both are accepted", async () => {
  const [old, fresh] = [stack.secrets.metricsToken, text()];
  const metrics = (token) => status("/functions/v1/health/metrics", token);
  stack.env.functions.METRICS_TOKEN = `${fresh} ${old}`;
  await roll("workerd");
  assert.deepEqual([await metrics(old), await metrics(fresh)], [200, 200]);
  stack.env.functions.METRICS_TOKEN = fresh;
  await roll("workerd");
  assert.deepEqual([await metrics(old), await metrics(fresh)], [401, 200]);
});

test("while the secret of alerts is changed, a message carries a signature of both, and either receiver accepts it", async () => {
  const [old, fresh] = [stack.secrets.alertSecret, whsec()];
  stack.env.functions.ALERT_WEBHOOK_SECRET = `${fresh} ${old}`;
  await roll("workerd");
  // As mill.deliver_alert enqueues it.
  const payload = { url: `http://127.0.0.1:${listener.address().port}/`, webhook_id: "alert_1_firing", event: { type: "alert.firing" } };
  await stack.postgres.query("select mill.enqueue($1::jsonb)", [JSON.stringify([{ kind: "alert_webhook", payload }])]);
  const { headers, body } = await until(() => heard[0], "the message of an alert");
  const signatureOf = (secret) => `v1,${createHmac("sha256", Buffer.from(secret.slice(6), "base64")).update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`).digest("base64")}`;
  assert.equal(headers["webhook-signature"], `${signatureOf(fresh)} ${signatureOf(old)}`);
});

test("the password of the gateway's login role is changed without one failed request, by a second role", async () => {
  const fresh = text();
  await under(async () => {
    await stack.postgres.query(`create role authenticator_b login inherit in role authenticator password '${fresh}'`);
    stack.env.gateway.GRISTMILL_DATABASE_URL = stack.postgres.url("authenticator_b", fresh);
    await roll("gateway");
    await stack.postgres.query("alter role authenticator nologin");
    await stack.postgres.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'authenticator'");
  });
  const { rows } = await stack.postgres.query("select distinct usename from pg_stat_activity where application_name = 'gristmill gateway'");
  assert.deepEqual(rows, [{ usename: "authenticator_b" }]);
});
