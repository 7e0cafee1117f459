// What users write is text, however it is written: markup, formulas of other scripts, letters that turn the line around, a megabyte, numbers beyond what
// JavaScript counts. The harness fails on whatever the page's policy forbids and on every error in the page.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import { addDead, addJob, startConsole } from "./support.mjs";

const MARKUP = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script>";
const TURNED = "invoice\u202Efdp.exe\u2066";
const HUGE = "12345678901234567890123.5000000000000000001";

let console;
before(async () => {
  console = await startConsole("attack");
  await console.call("service", "register_jobs", { p_definition: { queues: [{ queue: "mail", served_by: "external" }], kinds: [{ kind: "send", queue: "mail" }] } });
});
after(() => console?.close());
afterEach(() => console?.leave());

const unharmed = (page) => page.evaluate(() => [window.hacked, document.querySelectorAll("main script, main img[src=x]").length]);

async function sent(payload, more = {}) {
  // As text: JSON.stringify would round the number before it is sent.
  const answer = await fetch(`${console.stack.url}/rest/v1/rpc/submit_job`, { method: "POST", headers: { "content-type": "application/json", authorization: `Bearer ${console.stack.serviceKey}` },
    body: `{"p_kind": "send", "p_payload": ${payload}, "p_name": ${JSON.stringify(more.name ?? null)}}` });
  const json = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(json));
  return json.id;
}

test("markup in a name, in an error and in an address is text on every screen that shows it", async () => {
  const id = await addDead(console, { queue: "mail", kind: "send", name: MARKUP, payload: { [MARKUP]: MARKUP }, error: { type: MARKUP, message: MARKUP } });
  for (const at of ["/jobs", `/jobs?q=${encodeURIComponent(MARKUP)}`, `/job/${id}`, "/dead", "/audit", `/${encodeURIComponent(MARKUP)}`, `/queue/${encodeURIComponent(MARKUP)}`]) {
    const page = await console.open({ at });
    await page.locator("main").filter({ hasText: /\S/ }).waitFor();
    await page.locator("main .skeleton").first().waitFor({ state: "detached" });
    assert.deepEqual(await unharmed(page), [undefined, 0], at);
    if (at === "/jobs" || at.startsWith("/job/")) await page.getByText("<img src=x onerror", { exact: false }).first().waitFor();
  }
});

test("a link whose key is markup runs nothing, and leaves the address", async () => {
  const page = await console.open({ role: null, at: "" });
  await page.goto("about:blank");
  await page.goto(`${console.stack.url}/console/#key=${encodeURIComponent(MARKUP)}&to=javascript:window.hacked=1`);
  await page.getByText("This link belongs to an earlier start").waitFor();
  assert.deepEqual(await unharmed(page), [undefined, 0]);
  assert.doesNotMatch(page.url(), /key|javascript/);
});

test("letters that turn the line around do not turn what stands beside them", async () => {
  await addJob(console, { kind: "send", name: TURNED });
  const page = await console.open({ at: "/jobs?q=kind:send" });
  const name = page.getByText("fdp.exe", { exact: false }).first();
  await name.waitFor();
  assert.equal(await name.evaluate((element) => getComputedStyle(element).unicodeBidi), "isolate");
});

test("a number larger than JavaScript counts is shown digit by digit once it is revealed", async () => {
  const id = await sent(`{"amount": ${HUGE}}`);
  const page = await console.open({ at: `/job/${id}` });
  assert.equal(await page.getByText(HUGE).count(), 0, "masked before");
  await page.getByRole("button", { name: /reveal/i }).first().click();
  await page.getByRole("dialog").getByRole("textbox").fill("ticket 42");
  await page.getByRole("dialog").getByRole("button", { name: /reveal/i }).click();
  await page.getByText(HUGE).first().waitFor();
  const { rows } = await console.stack.postgres.query(`select reason from mill.audit_log where action = 'reveal' and record_id = '${id}'`);
  assert.deepEqual(rows, [{ reason: "ticket 42" }]);
});

test("a result of nearly a megabyte is cut, and the page stays of use", async () => {
  const id = await sent(JSON.stringify({ text: "x".repeat(60_000) }));
  const claimed = (await console.call("service", "claim_jobs", { p_worker: "w", p_queues: ["mail"], p_max: 50 })).json;
  const result = { rows: Array.from({ length: 9000 }, (_, n) => `${n} ${"y".repeat(90)}`) };
  const settled = await console.call("service", "settle_jobs", { p_worker: "w", p_outcomes: claimed.map((job) => ({ id: job.id, attempt: job.attempt, outcome: "completed", result: job.id === id ? result : {} })) });
  assert.ok(settled.json.some((one) => one.id === id), JSON.stringify(settled.json).slice(0, 300));
  const page = await console.open({ at: `/job/${id}` });
  await page.getByRole("heading", { level: 1 }).filter({ hasText: /send/ }).waitFor();
  await page.getByText(/‹text of 60000›/).waitFor();
  const { length } = await page.evaluate(() => document.documentElement.outerHTML);
  assert.ok(length < 300_000, `${length} characters`);
});

test("a search that is no search is refused with its place, and one that would be SQL finds nothing", async () => {
  const page = await console.open({ at: `/jobs?q=${encodeURIComponent("stat:x kind:send")}` });
  await page.getByText(/there is no search key "stat"/).waitFor();
  await page.getByRole("combobox").fill("kind:send' or '1'='1");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByText(/Nothing|No job/i).first().waitFor();
});
