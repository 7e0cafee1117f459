// Every stoppage of a system at default settings, with nobody using it at the moment, is seen in health and as an alert within a minute, and is over by itself.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { Stack } from "../../sdk/local/stack/stack.mjs";
import { signIn, until } from "../support.mjs";
import { faults, prepareFullDisk } from "./faults.mjs";

let folder, stack;
before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-stoppages-"));
  stack = new Stack(`test-stoppages-${process.pid}`, { parts: ["gateway", "relay", "storage", "workerd"], functions: ["enqueue", "processor", "health"],
    env: { postgres: prepareFullDisk(folder) } });
  await stack.start();
  const user = await signIn(stack);
  const { json } = await user.submit({ kind: "echo", payload: { a: 1 } });
  assert.equal((await user.settled(json.id)).state, "completed");
  // What has never answered is not looked after.
  await until(async () => (await known()).length === 2, "storage and health answering once");
});
after(async () => {
  await stack?.destroy();
  fs.rmSync(folder, { recursive: true, force: true });
});

const rows = async (sql, values) => (await stack.postgres.query(sql, values)).rows;
const known = () => rows("select from mill.heartbeat where part in ('probe_storage', 'probe_health') and (detail ->> 'is_known')::boolean");
const firing = async () => (await rows("select rule || ' ' || subject as alert from mill.alert where state = 'firing'")).map(({ alert }) => alert);
async function ailing() {
  const answer = await fetch(`${stack.url}/functions/v1/health`).catch(() => null);
  const body = await answer?.json().catch(() => null);
  return body?.checks?.filter(({ ok }) => !ok).map(({ name }) => name) ?? ["health"];
}

const replaceFunctions = async (secret) => {
  stack.env.functions = secret ? { INVOKE_SECRET: secret } : {};
  await stack.replace("workerd");
};
// Names of the check and of the alert; what stops the system, and what mends it. The alert of a function takes three failures in a row, the others one look.
const STOPPAGES = [
  ["a key that the functions do not know", "invocations", "invocations_failing default",
    () => replaceFunctions(`whsec_${Buffer.from("another key than that of the database").toString("base64")}`), () => replaceFunctions(null)],
  ["storage that is down", "storage", "address_silent storage", () => stack.parts.storage.kill(), () => stack.restart("storage")],
  ["claim_jobs that is not granted", "installation", "installation_damaged installation",
    () => rows("revoke execute on function public.claim_jobs(text, text[], int, text[], uuid, boolean) from service_role"),
    () => rows("grant execute on function public.claim_jobs(text, text[], int, text[], uuid, boolean) to service_role")],
  ["mill.settle that is missing", "installation", "installation_damaged installation",
    () => rows("alter function mill.settle(text, jsonb) rename to settle_away"), () => rows("alter function mill.settle_away(text, jsonb) rename to settle")],
  ["functions that are down", "health", "address_silent health", () => stack.parts.workerd.kill(), () => stack.restart("workerd")],
];
for (const [what, check, alert, stop, mend] of STOPPAGES) {
  test(`${what}: health and an alert say so within 60 s, and no longer once it is over`, async (t) => {
    const begun = Date.now();
    await stop();
    await until(async () => (await ailing()).includes(check), `${what} showing in health`);
    const seen = Date.now() - begun;
    await until(async () => (await firing()).includes(alert), `the alert of ${what}`);
    const alerted = Date.now() - begun;
    t.diagnostic(`${what}: in health after ${(seen / 1000).toFixed(0)} s, an alert after ${(alerted / 1000).toFixed(0)} s`);
    await mend();
    await until(async () => (await ailing()).length === 0 && (await firing()).length === 0, "all being well again");
    assert.ok(Math.max(seen, alerted) < 60_000, `after ${Math.max(seen, alerted)} ms`);
  });
}

// Where Postgres cannot be written to there is no row for an alert: health's 503 and the metrics of the gateway are the alarm.
for (const fault of ["a full disk", "a read-only database"]) {
  test(`${fault}: health names it within 60 s, writes are answered 503 with Retry-After, the gateway counts them, and it is over by itself`, async (t) => {
    const token = await stack.token({ role: "authenticated", sub: "11111111-1111-4111-8111-111111111111" });
    const write = () => fetch(`${stack.url}/rest/v1/documents`, { method: "POST", body: JSON.stringify({ title: "a", data: { text: "x".repeat(100_000) } }),
      headers: { authorization: `Bearer ${token}`, apikey: stack.anonKey, "content-type": "application/json" } });
    assert.equal((await write()).status, 201);
    const begun = Date.now();
    const over = await faults(stack, {})[fault]();
    const refused = await until(async () => {
      const answer = await write();
      return answer.status !== 201 && answer;
    }, "a write being refused");
    assert.equal(refused.status, 503, await refused.clone().text());
    assert.ok(refused.headers.get("retry-after"));
    await until(async () => (await ailing()).includes("writing"), `${fault} showing in health`);
    assert.deepEqual(await ailing(), ["writing"], "nothing else is blamed");
    t.diagnostic(`in health after ${((Date.now() - begun) / 1000).toFixed(0)} s`);
    assert.ok(Date.now() - begun < 60_000);
    const metrics = await (await fetch(`${stack.adminUrl}/metrics`)).text();
    assert.match(metrics, /gristmill_gateway_refusals_total\{reason="not_writable"\} [1-9]/);
    await over();
    await until(async () => (await ailing()).length === 0, "all being well again");
    assert.equal((await write()).status, 201);
  });
}
