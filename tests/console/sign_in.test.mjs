// The ways into the console, and what is refused: by the server on this machine, by the gateway, and by the database.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { after, afterEach, before, describe, test } from "node:test";

import { until } from "../support.mjs";
import { addJob, startConsole } from "./support.mjs";

let console;
before(async () => (console = await startConsole("signin")));
after(() => console?.close());
afterEach(() => console?.leave());

const started = new Set();
after(() => started.forEach((child) => child.kill()));

/** Starts `gristmill console` and answers its link, its origin and what else it says. The files are those in the binary. */
async function startServer(env, ...args) {
  const child = spawn(console.stack.binary, ["console", ...args], { env: { PATH: process.env.PATH, HOME: os.tmpdir(), USER: "ada", SUPABASE_URL: console.stack.url, ...env } });
  started.add(child);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (text += piece));
  const ended = new Promise((resolve) => child.on("close", resolve));
  const link = await until(() => /http:\S+#key=\S+/.exec(text)?.[0] ?? (child.exitCode !== null && "none"), "the console's start");
  if (link === "none") await ended;
  return { link, origin: link === "none" ? null : new URL(link).origin, said: () => text, code: () => child.exitCode, stop: async () => { child.kill(); await ended; } };
}

const withSecret = () => ({ GRISTMILL_JWT_SECRET: console.stack.secrets.jwtSecret });
const withServiceKey = () => ({ SUPABASE_SERVICE_ROLE_KEY: console.stack.serviceKey });

/** A request in which every header is ours to choose: fetch would not let us name a Host. */
function ask(origin, { path = "/console/session", method = "POST", headers = {}, body = "" }) {
  const { hostname, port, host } = new URL(origin);
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, path, method, headers: { host, ...headers } }, async (answer) => {
      let text = "";
      for await (const piece of answer) text += piece;
      resolve({ status: answer.statusCode, headers: answer.headers, text });
    });
    request.on("error", reject);
    request.end(body);
  });
}

const json = { "content-type": "application/json" };
const keyOf = (link) => new URL(link).hash.replace("#key=", "");
const session = async ({ link, origin }) => JSON.parse((await ask(origin, { headers: { ...json, origin }, body: JSON.stringify({ key: keyOf(link) }) })).text);

/** Opens a link as a person does, in a tab that is watched. */
async function follow(link) {
  const page = await console.open({ role: null, origin: new URL(link).origin, at: "/nowhere" });
  await page.goto("about:blank");
  await page.goto(link);
  return page;
}

describe("gristmill console, with the JWT secret", () => {
  let server;
  before(async () => (server = await startServer(withSecret(), "--role", "operator")));
  after(() => server.stop());

  test("the printed link signs in with the role that was asked for, and leaves no key in the address", async () => {
    const page = await follow(server.link);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.equal(await page.getByText(/^ada@/).count(), 1);
    await page.getByText(/^operator ·/).waitFor();
    assert.doesNotMatch(page.url(), /key/);
    assert.equal(await page.evaluate(() => performance.getEntriesByType("navigation")[0].name.includes("key=")), true, "only the navigation itself had it");
  });

  test("an action of the page is audited under the name of the person at the machine", async () => {
    const { token } = await session(server);
    const answer = await ask(server.origin, { path: "/rest/v1/rpc/console_enqueue", headers: { ...json, authorization: `Bearer ${token}` },
      body: JSON.stringify({ p_kind: "echo", p_payload: '{"n": 1}', p_reason: "a first try" }) });
    assert.equal(answer.status, 200, answer.text);
    const { json: { rows } } = await console.call("viewer", "console_audit", { p_search: 'reason:"a first try"' });
    assert.deepEqual(rows.map(({ source, email }) => [source, email.split("@")[0]]), [["console", "ada"]]);
  });

  test("a role that is too low is refused by the database", async () => {
    const { token } = await session(server);
    const answer = await ask(server.origin, { path: "/rest/v1/rpc/console_set_queue", headers: { ...json, authorization: `Bearer ${token}` },
      body: JSON.stringify({ p_queue: "default", p_options: { batch_size: 7 }, p_reason: "no" }) });
    assert.equal(answer.status, 403);
    assert.equal(JSON.parse(answer.text).code, "42501");
  });

  test("a session is given only to the console's own page, by an address of this machine, for the right key", async () => {
    const body = JSON.stringify({ key: keyOf(server.link) });
    const { origin } = server;
    for (const [status, headers, sent] of [
      [403, { ...json }, body],
      [403, { ...json, origin: "https://evil.test" }, body],
      [403, { ...json, origin: "null" }, body],
      [403, { origin, "content-type": "text/plain" }, body],
      [421, { ...json, host: "evil.test", origin: "http://evil.test" }, body],
      [401, { ...json, origin }, JSON.stringify({ key: "wrong" })],
      [401, { ...json, origin }, "x".repeat(8000)],
      [200, { ...json, origin }, body],
    ]) assert.equal((await ask(origin, { headers, body: sent })).status, status, JSON.stringify(headers));
  });

  test("nothing but what the console asks for is passed on, and nothing without a session", async () => {
    const { token } = await session(server);
    const headers = { ...json, authorization: `Bearer ${token}` };
    for (const path of ["/rest/v1/rpc/submit_job", "/rest/v1/rpc/console_/../submit_job", "/rest/v1/shell_files", "/functions/v1/enqueue", "/storage/v1/object/list/x", "/auth/v1/admin/users"]) {
      assert.equal((await ask(server.origin, { path, headers, body: "{}" })).status, 404, path);
    }
    for (const wrong of [{}, { authorization: "Bearer wrong" }, { authorization: `Bearer ${console.stack.serviceKey}` }]) {
      assert.equal((await ask(server.origin, { path: "/rest/v1/rpc/console_start", headers: { ...json, ...wrong }, body: "{}" })).status, 401);
    }
    const foreign = await ask(server.origin, { path: "/rest/v1/rpc/console_start", headers: { ...headers, origin: "http://127.0.0.1:1" }, body: "{}" });
    assert.equal(foreign.status, 403);
  });

  test("the page is served from the binary with the headers that keep it safe", async () => {
    for (const path of ["/console/", "/console/app.js", "/console/app.css", "/console/config.json", "/console/none.js"]) {
      const { headers, status } = await ask(server.origin, { path, method: "GET" });
      assert.match(headers["content-security-policy"], /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'; require-trusted-types-for 'script'/, path);
      assert.equal(headers["x-content-type-options"], "nosniff");
      assert.equal(headers["referrer-policy"], "no-referrer");
      assert.equal(headers["cache-control"], status === 404 ? "no-store" : "no-cache");
    }
    const first = await ask(server.origin, { path: "/console/app.js", method: "GET" });
    assert.ok(first.text.length > 50_000, "the page was bundled before the binary was compiled");
    assert.equal((await ask(server.origin, { path: "/console/app.js", method: "GET", headers: { "if-none-match": first.headers.etag } })).status, 304);
  });

  test("a link of an earlier start says so", async () => {
    const page = await follow(`${server.origin}/console/#key=${"x".repeat(43)}`);
    await page.getByText("This link belongs to an earlier start").waitFor();
  });

  test("a second tab is signed in by the first one", async () => {
    const page = await follow(server.link);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    const second = await page.context().newPage();
    await second.goto(`${server.origin}/console/`);
    await second.getByRole("heading", { name: "Overview" }).waitFor();
  });
});

test("gristmill console with the service key acts under the person's name, keeps the key to itself, and lowers the role", async () => {
  const server = await startServer(withServiceKey(), "--role", "viewer");
  const page = await follow(server.link);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.getByText(/^viewer ·/).waitFor();
  const { token, role } = await session(server);
  assert.equal(role, "viewer");
  assert.ok(!console.stack.serviceKey.includes(token));
  const refused = await ask(server.origin, { path: "/rest/v1/rpc/console_pause", headers: { ...json, authorization: `Bearer ${token}`, "x-gristmill-console-role": "admin" },
    body: JSON.stringify({ p_queue: "default", p_paused: true, p_reason: "no" }) });
  assert.equal(refused.status, 403, "a header of the browser raises no role");
  await server.stop();
});

/** Serves a folder as Cloudflare does: with the headers that its file _headers names. */
async function serveFolder(folder) {
  const headers = Object.fromEntries(fs.readFileSync(path.join(folder, "_headers"), "utf8").split("\n").slice(1).filter(Boolean).map((line) => /^ {2}([^:]+): (.*)$/.exec(line).slice(1)));
  const types = { html: "text/html", js: "text/javascript", css: "text/css", json: "application/json", svg: "image/svg+xml" };
  return listen((request, answer) => {
    const name = new URL(request.url, "http://host").pathname.replace(/^\/console\/?/, "") || "index.html";
    const file = path.join(folder, path.basename(name));
    if (!fs.existsSync(file)) return answer.writeHead(404, headers).end();
    answer.writeHead(200, { ...headers, "content-type": types[name.split(".").at(-1)] }).end(fs.readFileSync(file));
  });
}

/** What Supabase has beside PostgREST: Auth, which knows one operator, and answers for pages of other origins. */
async function serveSupabase(seen) {
  return listen(async (request, answer) => {
    let body = "";
    for await (const piece of request) body += piece;
    const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "authorization, apikey, content-type", "access-control-allow-methods": "GET, POST" };
    if (request.method === "OPTIONS") return answer.writeHead(204, cors).end();
    seen.push(request.headers.apikey);
    if (request.url.startsWith("/auth/v1/token")) {
      const { email, password } = JSON.parse(body);
      if (email !== "ada@example.com" || password !== "correct horse") return answer.writeHead(400, { ...cors, ...json }).end(JSON.stringify({ msg: "Invalid login credentials" }));
      return answer.writeHead(200, { ...cors, ...json }).end(JSON.stringify({ access_token: await console.token("operator"), refresh_token: "again", expires_in: 3600 }));
    }
    const { host, connection, origin, ...headers } = request.headers;
    const passed = await fetch(console.stack.url + request.url, { method: request.method, headers, body: body || undefined });
    answer.writeHead(passed.status, { ...cors, ...json }).end(await passed.text());
  });
}

const hosts = [];
after(() => hosts.forEach((host) => host.close()));
async function listen(handle) {
  const server = http.createServer(handle);
  hosts.push(server);
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${server.address().port}`;
}

test("a folder that gristmill console wrote signs operators in with email and password, on any static host", async () => {
  const seen = [];
  const api = await serveSupabase(seen);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-console-"));
  const written = await startServer({ SUPABASE_URL: api, SUPABASE_ANON_KEY: "public-key" }, "--write", folder);
  assert.equal(written.code(), 0, written.said());
  const origin = await serveFolder(folder);
  const page = await console.open({ role: null, origin, api, at: "/jobs" });
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).first().click();
  await page.getByText(/Invalid login credentials/).waitFor();
  await page.getByLabel("Password").fill("correct horse");
  await page.getByRole("button", { name: "Sign in" }).first().click();
  await page.getByText(/^operator ·/).waitFor();
  assert.match(page.url(), /#\/jobs/);
  assert.deepEqual([...new Set(seen)], ["public-key"]);
  fs.rmSync(folder, { recursive: true });
});

test("gristmill console says at its start what is wrong", async () => {
  for (const [env, args, expected] of [
    [{}, [], /neither the JWT secret nor the service key/],
    [withSecret(), ["--listen", "0.0.0.0:0"], /can be reached from other machines/],
    [{ SUPABASE_SERVICE_ROLE_KEY: console.stack.anonKey }, [], /refuses the key that was given \(40[13]\)/],
    [{ GRISTMILL_JWT_SECRET: "another-secret-of-forty-characters-or-so" }, [], /refuses the key that was given \(401\)/],
    [{ ...withSecret(), SUPABASE_URL: "http://127.0.0.1:9" }, [], /does not answer/],
    [{ ...withSecret(), SUPABASE_URL: "nonsense" }, [], /is not an address/],
  ]) {
    const server = await startServer(env, ...args);
    assert.equal(server.code(), 1);
    assert.match(server.said(), expected);
    assert.ok(!server.said().includes(console.stack.secrets.jwtSecret));
  }
});

describe("the gateway", () => {
  test("serves the console, signed in by the link of the development stack, as admin", async () => {
    const page = await follow(console.stack.consoleLink);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByText(/^admin ·/).waitFor();
    assert.doesNotMatch(page.url(), /key/);
  });

  test("gives a session to nobody else", async () => {
    const body = JSON.stringify({ key: console.stack.secrets.consoleKey });
    const { url } = console.stack;
    assert.equal((await ask(url, { headers: json, body })).status, 403);
    assert.equal((await ask(url, { headers: { ...json, origin: "http://127.0.0.1:1" }, body })).status, 403);
    assert.equal((await ask(url, { headers: { ...json, host: "evil.test", origin: "http://evil.test" }, body })).status, 403);
    assert.equal((await ask(url, { headers: { ...json, origin: url }, body: JSON.stringify({ key: "x".repeat(43) }) })).status, 401);
  });

  test("leads from /console to /console/, and serves nothing else of its machine there", async () => {
    const { url } = console.stack;
    const moved = await ask(url, { path: "/console", method: "GET" });
    assert.deepEqual([moved.status, moved.headers.location], [308, "/console/"]);
    for (const path of ["/console/../etc/passwd", "/console/%2e%2e/Cargo.toml", "/console/.built", "/console/a/b.js"]) assert.equal((await ask(url, { path, method: "GET" })).status, 404, path);
  });
});

describe("a token that is pasted", () => {
  test("without a role of the console is refused with a sentence that says how one gets it", async () => {
    const page = await console.open({ role: "nobody" });
    await page.getByText("No role for the console").waitFor();
    await page.getByText(/app_metadata.gristmill_role/).waitFor();
  });

  test("that users could write themselves gives no role", async () => {
    const answer = await fetch(`${console.stack.url}/rest/v1/rpc/console_start`, { method: "POST", headers: { ...json,
      authorization: `Bearer ${await console.token("nobody", { user_metadata: { gristmill_role: "admin" } })}` } });
    assert.equal(answer.status, 403);
  });

  test("is asked for where nobody is signed in, and is taken", async () => {
    const page = await console.open({ role: null, at: "/jobs" });
    await page.getByLabel(/token/i).first().fill(await console.token("viewer"));
    await page.getByRole("button", { name: /sign in/i }).click();
    await page.getByText(/^viewer ·/).waitFor();
  });
});

test("a viewer is refused an action by the database, not by the page", async () => {
  const id = await addJob(console, { payload: { a: 1 }, run_at: "2099-01-01T00:00:00Z" });
  const page = await console.open({ role: "viewer", at: `/job/${id}` });
  await page.getByRole("button", { name: /cancel/i }).first().waitFor();
  // The page only shows that it would be refused. So the call is made from it, as an attacker would.
  const answer = await page.evaluate(async ([id]) => {
    const answer = await fetch("/rest/v1/rpc/console_cancel", { method: "POST", headers: { "content-type": "application/json", authorization: `Bearer ${sessionStorage.getItem("gristmill.token")}` },
      body: JSON.stringify({ p_ids: [id], p_reason: "no" }) });
    return { status: answer.status, body: await answer.json() };
  }, [id]);
  assert.equal(answer.status, 403);
  assert.equal(answer.body.code, "42501");
  assert.match(answer.body.message, /operator; your token has the role viewer/);
});
