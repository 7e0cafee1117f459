// docs/operate.md, walked through: every command in it is run as it stands, and what it promises is looked at in between.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { gristmill, root } from "../../sdk/local/stack/paths.mjs";
import { signIn, startStack } from "../support.mjs";

const runbook = fs.readFileSync(path.join(root, "docs/operate.md"), "utf8");
const commands = (heading) => {
  const section = runbook.split(/^## /m).find((part) => part.startsWith(heading));
  return [...section.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map((match) => match[1].trim());
};

let stack, user;
before(async () => {
  stack = await startStack("operate");
  user = await signIn(stack);
});
after(() => stack?.destroy());

const run = (command) => execFileSync("bash", ["-euc", command], {
  encoding: "utf8",
  env: { ...process.env, PATH: `${path.dirname(gristmill)}:${process.env.PATH}`, GRISTMILL_DATABASE_URL: stack.databaseUrl },
});
const rpc = async (name, token, args = {}) => {
  const answer = await fetch(`${stack.url}/rest/v1/rpc/${name}`, {
    method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }, body: JSON.stringify(args),
  });
  return { status: answer.status, headers: answer.headers, json: await answer.json() };
};
const job = { kind: "echo", payload: { hello: "operator" } };

test("maintenance stops users' writes with 503 and Retry-After, and nothing else", async () => {
  const [on, off] = commands("Stopping users' writes");
  const accepted = (await user.submit({ ...job, payload: { delay_ms: 300 } })).json.id;
  assert.match(run(on), /maintenance is on/);

  const refused = await user.submit(job);
  assert.deepEqual([refused.status, refused.json.code, refused.headers.get("retry-after")], [503, "maintenance", "120"]);
  assert.equal(refused.json.reason, "moving to a larger machine");
  const direct = await rpc("submit_job", user.token, { p_kind: "echo", p_payload: { a: 1 } });
  assert.deepEqual([direct.status, direct.json.code, direct.headers.get("retry-after")], [503, "GM022", "120"]);

  assert.equal((await user.settled(accepted)).state, "completed", "what was accepted is worked off, and can be read");
  assert.match(run(off), /maintenance is off/);
  assert.equal((await user.submit(job)).json.status, "new");
});

test("the cutover runs as written", async () => {
  const steps = commands("Cutover");
  assert.deepEqual(steps.map((step) => step.split(" ").slice(0, 3).join(" ")),
    ["gristmill migrate --dry-run", "gristmill maintenance on", "gristmill migrate", "gristmill maintenance off"]);
  // A newer version: a function of this one's text is not what the database has.
  await stack.postgres.query(`create or replace function public.is_service_role() returns boolean language sql as 'select true';
    update mill.migration set checksum = 'other' where path = 'platform/auth.sql'`);
  const shown = run(steps[0]);
  assert.match(shown, /^-- sql\/platform\/auth\.sql$/m);
  assert.doesNotMatch(shown, /^-- sql\/engine\//m, "only what would be run is shown");
  run(steps[1]);
  assert.equal((await user.submit(job)).status, 503);
  assert.match(run(steps[2]), /1 file applied/);
  assert.equal((await user.submit(job)).status, 503, "migrating does not end the maintenance");
  run(steps[3]);
  const { json } = await user.submit(job);
  assert.equal((await user.settled(json.id)).state, "completed");
  const { json: verified } = await rpc("verify_audit_log", stack.serviceKey);
  assert.equal(verified.ok, true);
  assert.match(verified.head, /^[0-9a-f]{64}$/);
});

// That functions and workers of the former version work on the new schema is shown by tests/upgrade.
test("the migrate of a former version refuses a newer database, and everything goes on", async () => {
  const { json } = await user.submit(job);
  await user.settled(json.id);
  // What a newer version left behind: another function, another column.
  await stack.postgres.query(`
    insert into mill.migration (path, checksum) values ('migrations/9999_newer.sql', 'newer');
    alter table mill.queue add column newer text`);
  assert.throws(() => run("gristmill migrate 2>&1"), (error) => /newer|9999_newer/.test(error.stdout));
  assert.equal((await user.job(json.id)).state, "completed");
  assert.equal((await user.settled((await user.submit(job)).json.id)).state, "completed");
  await stack.postgres.query("delete from mill.migration where path = 'migrations/9999_newer.sql'; alter table mill.queue drop column newer");
});
