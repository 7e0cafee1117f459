// docs/why.md: the command, the RPC and the codes that the page lists.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { gristmill, root } from "../../sdk/local/stack/paths.mjs";
import { signIn, startStack } from "../support.mjs";

const page = fs.readFileSync(path.join(root, "docs/why.md"), "utf8");
const command = page.match(/^```sh\n([\s\S]*?)^```/m)[1];

let stack, user, job;
before(async () => {
  stack = await startStack("why", { parts: ["gateway", "relay", "workerd"] });
  user = await signIn(stack);
  await stack.postgres.query("update mill.queue set paused = true where queue = 'default'");
  job = (await user.submit({ kind: "echo", payload: { a: 1 } })).json;
});
after(() => stack?.destroy());

/** Runs the command of the page as it stands. */
async function why(id, more = "") {
  const bin = path.dirname(gristmill);
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, GRISTMILL_DATABASE_URL: stack.databaseUrl, id };
  try {
    return { code: 0, ...await promisify(execFile)("bash", ["-euc", `${command.trim()} ${more}`], { env }) };
  } catch (error) {
    return error;
  }
}

test("gristmill why names the paused queue and the statement that lets it go on", async () => {
  const { code, stdout } = await why(job.id);
  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`^${job.id}  echo in default, pending\n  The queue default is paused\\. To let it go on, run: select public\\.pause_queue\\('default', false\\);\n`));
});

test("gristmill why --json has a code for programs", async () => {
  const { stdout } = await why(job.id, "--json");
  assert.equal(JSON.parse(stdout).reasons[0].code, "queue_paused");
});

test("gristmill why fails with a sentence for a job that is not there", async () => {
  const { code, stderr } = await why("00000000-0000-7000-8000-000000000000");
  assert.equal(code, 1);
  assert.match(stderr, /there is no job 00000000-0000-7000-8000-000000000000 in this database/);
});

test("the owner learns over HTTP that the job waits, and a stranger learns nothing", async () => {
  const ask = async (someone) => (await (await fetch(`${stack.url}/rest/v1/rpc/explain_job`, {
    method: "POST", headers: { authorization: `Bearer ${someone.token}`, "content-type": "application/json" }, body: JSON.stringify({ p_id: job.id }),
  })).json());
  assert.equal((await ask(user)).sentence, "The job waits for its turn.");
  assert.equal(await ask(await signIn(stack)), null);
});

test("GET enqueue/{id}?explain answers the job with why it is not running, to its owner alone", async () => {
  const explained = await user.call("GET", `enqueue/${job.id}?explain`);
  assert.equal(explained.json.id, job.id);
  assert.equal(explained.json.explain.sentence, "The job waits for its turn.");
  assert.equal(explained.json.explain.reasons[0].code, "waiting");
  assert.equal((await user.call("GET", `enqueue/${job.id}`)).json.explain, undefined);
  assert.equal((await user.call("GET", `enqueue/${job.id}?explain=perhaps`)).status, 400);
  assert.equal((await (await signIn(stack)).call("GET", `enqueue/${job.id}?explain`)).status, 404);
});

test("docs/why.md lists every code that explain_job can answer, and no other", () => {
  const folder = path.join(root, "sql/explain");
  const sql = fs.readdirSync(folder).map((name) => fs.readFileSync(path.join(folder, name), "utf8").split("create or replace function public.")[0]).join("\n");
  const codes = new Set([...sql.matchAll(/select '([a-z_]+)',/g), ...sql.matchAll(/'code', '([a-z_]+)'/g)].map((match) => match[1]));
  const listed = new Set([...page.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap((row) => [...row[1].matchAll(/`([a-z_]+)`/g)].map((match) => match[1])));
  assert.deepEqual([...listed].sort(), [...codes].sort());
  assert.ok(codes.size > 20);
});
