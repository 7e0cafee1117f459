// gristmill mcp, spoken with as an assistant does: one JSON message per line on standard input and output.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import readline from "node:readline";
import { after, before, test } from "node:test";

import { gristmill } from "../../sdk/local/stack/paths.mjs";
import { Server } from "../../sdk/local/stack/server.mjs";

const DATABASE = "mcp";
let server;
before(async () => {
  server = new Server("mcp");
  await server.start();
  await server.create(DATABASE);
  const { code, stderr } = await server.gristmill(DATABASE, "migrate");
  assert.equal(code, 0, stderr);
  await server.query(DATABASE, `insert into mill.queue (queue, max_attempts) values ('mail', 1);
    insert into mill.kind (kind, queue) values ('send', 'mail'), ('other', 'mail')`);
  await server.query(DATABASE, `select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', case when n > 3 then 'other' else 'send' end,
    'payload', jsonb_build_object('to', 'secret-' || n || '@example.com'))) from generate_series(1, 4) n))`);
  await server.query(DATABASE, `select mill.settle('w', (select jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt, 'outcome', 'dead',
    'error', jsonb_build_object('type', 'smtp', 'message', 'mailbox 17 is full'))) from mill.claim('w', array['mail'], 10) c))`);
});
after(() => server?.destroy());

class Assistant {
  #next = 1;
  #waiting = new Map();

  constructor(...args) {
    this.child = spawn(gristmill, ["mcp", ...args], { env: { ...process.env, GRISTMILL_DATABASE_URL: server.url(DATABASE) }, stdio: ["pipe", "pipe", "inherit"] });
    this.ended = new Promise((resolve) => this.child.on("exit", resolve));
    readline.createInterface({ input: this.child.stdout }).on("line", (line) => {
      const message = JSON.parse(line); // anything else on standard output would break every client
      this.#waiting.get(message.id)?.(message);
    });
  }

  ask(method, params = {}) {
    const id = this.#next++;
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  async begin() {
    const { result } = await this.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } });
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    return result;
  }

  async call(name, args = {}) {
    const { result, error } = await this.ask("tools/call", { name, arguments: args });
    if (error) return { isError: true, text: error.message };
    return { isError: result.isError === true, text: result.content[0].text };
  }

  async end() {
    this.child.stdin.end();
    return this.ended;
  }
}

const tools = async (assistant) => (await assistant.ask("tools/list")).result.tools;

test("an assistant sees tools that only look, each with a description, and is told what the server is", async () => {
  const assistant = new Assistant();
  const begun = await assistant.begin();
  assert.equal(begun.serverInfo.name, "gristmill");
  assert.match(begun.instructions, /explain_job/);
  const found = await tools(assistant);
  assert.deepEqual(found.map(({ name }) => name).sort(), ["dead_letters", "doctor", "explain_job", "find_jobs", "overview"]);
  for (const { name, description, annotations } of found) {
    assert.ok(description.length > 40, name);
    assert.equal(annotations.readOnlyHint, true, name);
  }
  assert.equal(await assistant.end(), 0, "it ends when the client hangs up");
});

test("the tools answer what the console answers, and no value of a payload", async () => {
  const assistant = new Assistant();
  await assistant.begin();
  const overview = await assistant.call("overview");
  assert.match(overview.text, /"mail"/);
  const jobs = await assistant.call("find_jobs", { search: "kind:send state:failed" });
  const [job] = JSON.parse(jobs.text).jobs;
  const explained = await assistant.call("explain_job", { id: job.id });
  assert.match(explained.text, /mailbox 17 is full/);
  const groups = await assistant.call("dead_letters");
  assert.match(groups.text, /smtp/);
  for (const { text } of [overview, jobs, explained, groups]) assert.doesNotMatch(text, /secret-/);
  const report = await assistant.call("doctor");
  assert.match(report.text, /schema/i);
  await assistant.end();
});

test("a wrong question is an answer with a sentence, and the server goes on", async () => {
  const assistant = new Assistant();
  await assistant.begin();
  const search = await assistant.call("find_jobs", { search: "stat:x" });
  assert.equal(search.isError, true);
  assert.match(search.text, /GM110/);
  const id = await assistant.call("explain_job", { id: "no uuid" });
  assert.equal(id.isError, true);
  assert.match(id.text, /UUID/);
  const retry = await assistant.call("retry_dead_letters", { expected_count: 3, reason: "x" });
  assert.equal(retry.isError, true, "a tool that is not offered cannot be called");
  assert.equal((await assistant.call("overview")).isError, false);
  await assistant.end();
});

test("without --allow-actions Postgres itself refuses a change, and the role is viewer", async () => {
  const { rows: [{ audited }] } = await server.query(DATABASE, "select count(*) as audited from mill.audit_log");
  const assistant = new Assistant();
  await assistant.begin();
  for (const { name } of await tools(assistant)) await assistant.call(name, name === "explain_job" ? { id: "01a1e273-88a8-7a97-9476-25074e8fc71c" } : {});
  await assistant.end();
  assert.equal((await server.query(DATABASE, "select count(*) as audited from mill.audit_log")).rows[0].audited, audited);
});

test("a retry needs the count of a preview and a reason, and the audit log names who answers for the assistant", async () => {
  const assistant = new Assistant("--allow-actions", "--actor", "ana@example.com");
  await assistant.begin();
  assert.equal(JSON.parse((await assistant.call("preview_retry", { search: "kind:send" })).text).count, 3);
  const wrong = await assistant.call("retry_dead_letters", { search: "kind:send", expected_count: 2, reason: "mended" });
  assert.equal(wrong.isError, true);
  assert.match(wrong.text, /nothing was retried: 3 dead letters match now, not 2/);
  const silent = await assistant.call("retry_dead_letters", { search: "kind:send", expected_count: 3, reason: "" });
  assert.match(silent.text, /GM111/);
  const begun = await assistant.call("retry_dead_letters", { search: "kind:send", expected_count: 3, reason: "the mailbox was emptied" });
  assert.equal(begun.isError, false, begun.text);
  await assistant.end();
  await server.query(DATABASE, "call mill.pump(1)");
  const { rows } = await server.query(DATABASE, "select kind, state from mill.job where kind <> 'console_bulk' order by kind");
  assert.deepEqual(rows.map(({ kind, state }) => `${kind} ${state}`), ["other failed", "send pending", "send pending", "send pending"]);
  const { rows: audit } = await server.query(DATABASE, "select new_values from mill.audit_log where new_values::text like '%ana@example.com%'");
  assert.ok(audit.length > 0, "the audit log names the actor");
});
