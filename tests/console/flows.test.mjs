// What an operator does, in a real Chromium: finds and retries, previews and acts on a group, pauses, follows, schedules.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";

import { isSoak, until } from "../support.mjs";
import { addDead, addJob, PEOPLE, startConsole } from "./support.mjs";

const WORKER = "mailer-1";
const OWNER = "00000000-0000-4000-8000-0000000000aa";
let console;
before(async () => {
  console = await startConsole("flows", { applications: ["workflows"] });
  await console.call("service", "register_jobs", { p_definition: {
    queues: [{ queue: "mail", served_by: "external", description: "Sends mail to users" }, { queue: "walks", served_by: "external" }],
    kinds: [{ kind: "send_email", queue: "mail" }, { kind: "charge_card", queue: "mail" }, { kind: "walk_step", queue: "walks" }] } });
});
after(() => console?.close());
afterEach(() => console?.leave());

const query = async (text, values) => (await console.stack.postgres.query(text, values)).rows;
const claim = async (queue, max = 50) => (await console.call("service", "claim_jobs", { p_worker: WORKER, p_queues: [queue], p_max: max })).json;
const settle = (jobs, outcome) => console.call("service", "settle_jobs", { p_worker: WORKER, p_outcomes: jobs.map((job) => ({ id: job.id, attempt: job.attempt, ...outcome(job) })) });
const deadMail = (payload, error) => addDead(console, { queue: "mail", kind: "send_email", payload, error });

/** Fills in the reason that every action asks for, and agrees. */
async function agree(page, verb, reason) {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill(reason);
  await dialog.getByRole("button", { name: verb }).last().click();
  const refused = dialog.getByRole("alert");
  await until(async () => (await dialog.count()) === 0 || (await refused.count()) > 0, "the answer");
  assert.equal(await dialog.count(), 0, (await refused.allInnerTexts()).join());
}

describe("jobs", () => {
  test("a failed job is found by a field of its payload and retried, and the audit log says who and why", async () => {
    const id = await deadMail({ user_id: 4711, to: "ana@example.com" }, { type: "timeout", message: "no answer within 30 s" });
    await deadMail({ user_id: 4712, to: "bo@example.com" }, { type: "timeout", message: "no answer within 30 s" });
    const page = await console.open({ role: "operator", at: "/jobs" });
    await page.getByRole("combobox", { name: "Search jobs" }).fill("state:dead payload.user_id=4711");
    await page.keyboard.press("Enter");
    const rows = page.getByRole("table", { name: "Jobs" }).locator("tbody tr");
    await until(async () => (await rows.count()) === 1, "one job being found");
    assert.match(page.url(), /q=state%3Adead\+payload\.user_id%3D4711/, "the search is in the address");
    await rows.first().getByRole("link", { name: "send_email" }).click();
    await page.getByText("Mend the cause").waitFor();
    await page.getByRole("button", { name: "Retry" }).click();
    await agree(page, "Retry", "the mail server is back");
    await page.getByText("The job is retried.").waitFor();
    await page.locator("header.head").getByText("pending").waitFor();
    await page.getByText("the mail server is back").waitFor();
    const { json } = await console.call("viewer", "console_audit", { p_search: `job:${id} source:console` });
    assert.deepEqual(json.rows.map(({ action, reason, email }) => [action, reason, email]), [["retry", "the mail server is back", PEOPLE.operator.email]]);
    await settle(await claim("mail"), () => ({ outcome: "completed", result: {} }));
  });

  test("a payload's number that JavaScript would round is shown, edited and enqueued exactly", async () => {
    await query("update mill.kind set sensitive = false where kind = 'charge_card'");
    const body = '{"p_jobs": [{"kind": "charge_card", "payload": {"account": 12345678901234567890, "amount": 0.1000}}]}';
    const answer = await fetch(`${console.stack.url}/rest/v1/rpc/enqueue_jobs`, { method: "POST", body, headers: { "content-type": "application/json", authorization: `Bearer ${console.stack.serviceKey}` } });
    const [{ id }] = await answer.json();
    const page = await console.open({ role: "operator", at: `/job/${id}` });
    await page.getByRole("tree", { name: "payload" }).getByText("12345678901234567890").waitFor();
    await page.getByRole("button", { name: "Edit and enqueue" }).click();
    const dialog = page.getByRole("dialog");
    const field = dialog.getByLabel("Payload");
    for (const number of [/"account": 12345678901234567890/, /"amount": 0\.1000/]) assert.match(await field.inputValue(), number);
    await field.fill((await field.inputValue()).replace("0.1000", "98765432109876543210.5"));
    await agree(page, "Enqueue", "the other amount");
    await until(async () => !page.url().includes(id), "the new job being shown");
    const copy = page.url().split("/job/")[1];
    const [{ payload }] = await query("select payload::text from mill.job where id = $1", [copy]);
    assert.match(payload, /"account": 12345678901234567890/);
    assert.match(payload, /"amount": 98765432109876543210\.5/);
    await settle(await claim("mail"), () => ({ outcome: "completed", result: {} }));
  });

  test("a search that cannot be read marks the place and says what to do", async () => {
    const page = await console.open({ role: "viewer", at: "/jobs?q=kind:echo stat:dead" });
    const alert = page.getByRole("alert");
    await alert.waitFor();
    assert.equal((await alert.locator("mark").innerText()).startsWith("stat:dead"), true);
    assert.match(await alert.innerText(), /state/);
  });

  test("keys and values of a search are completed", async () => {
    const page = await console.open({ role: "viewer", at: "/jobs" });
    const box = page.getByRole("combobox", { name: "Search jobs" });
    await box.pressSequentially("kin");
    await page.getByRole("option", { name: /^kind/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.type("send_");
    await page.getByRole("option", { name: /send_email/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await box.inputValue(), "kind:send_email ");
  });
});

test("a group of dead letters is retried after a preview, by a run that says how far it is", async () => {
  const count = isSoak ? 5000 : 120;
  const jobs = Array.from({ length: count }, (_, at) => ({ kind: "send_email", payload: { n: at } }));
  for (let at = 0; at < count; at += 500) await console.call("service", "enqueue_jobs", { p_jobs: jobs.slice(at, at + 500) });
  for (let some = await claim("mail", 500); some.length > 0; some = await claim("mail", 500)) {
    await settle(some, ({ payload }) => ({ outcome: "dead", error: { type: "smtp_503", message: `mail-${payload.n}.example.com answered 503` } }));
  }
  const page = await console.open({ role: "operator", at: "/dead" });
  const group = page.getByRole("table", { name: "Groups of dead letters" }).locator("tr", { hasText: "smtp_503" });
  await group.waitFor();
  assert.equal(await group.count(), 1, "messages that differ in numbers alone are one group");
  await group.getByRole("button", { name: "Retry" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(count.toLocaleString("en"), { exact: true }).waitFor();
  assert.ok((await dialog.locator(".samples li").count()) >= 1, "some of them are shown");
  await agree(page, new RegExp(`Retry ${count.toLocaleString("en")}`), "the mail server is back");
  await page.getByRole("progressbar").first().waitFor();
  await until(async () => (await query("select count(*)::int as n from mill.job_live where kind = 'send_email'"))[0].n === count, "all being retried");
  await page.getByText(`${count.toLocaleString("en")} done`).waitFor({ timeout: 60_000 });
  await until(async () => (await group.count()) === 0, "the group being gone from the screen");
  for (let some = await claim("mail", 500); some.length > 0; some = await claim("mail", 500)) await settle(some, () => ({ outcome: "completed", result: {} }));
});

describe("queues", () => {
  test("a paused queue is shown as paused everywhere, and its jobs say why they wait", async () => {
    const page = await console.open({ role: "operator", at: "/queue/mail" });
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await agree(page, "Pause", "the provider is down");
    await page.locator("header.head").getByText("paused").waitFor();
    const id = await addJob(console, { kind: "send_email", payload: { n: 1 } });
    await page.goto(page.url().replace(/#.*/, "#/overview"));
    await page.getByRole("row", { name: /^mail/ }).getByText("paused").waitFor();
    await page.goto(page.url().replace(/#.*/, `#/job/${id}`));
    await page.getByText(/The queue mail is paused/).waitFor();
    await page.goto(page.url().replace(/#.*/, "#/queue/mail"));
    await page.getByRole("button", { name: "Go on" }).click();
    await agree(page, "Go on", "the provider is back");
    await page.locator("header.head").getByText("working").waitFor();
    assert.equal((await claim("mail")).length, 1);
    await settle([{ id, attempt: 1 }], () => ({ outcome: "completed", result: {} }));
  });

  test("an option is changed by an admin after a review of what changes", async () => {
    const page = await console.open({ role: "admin", at: "/queue/mail?tab=options" });
    await page.getByLabel("Max attempts").fill("7");
    await page.getByRole("button", { name: "Review and save" }).click();
    assert.match(await page.getByRole("dialog").innerText(), /max_attempts\s+5\s+7/);
    await agree(page, "Change", "mail is flaky");
    await page.getByText("mail is changed").waitFor();
    assert.deepEqual(await query("select max_attempts from mill.queue where queue = 'mail'"), [{ max_attempts: 7 }]);
  });

  test("the fields of a queue are closed to an operator, and say which role they need", async () => {
    const page = await console.open({ role: "operator", at: "/queue/mail?tab=options" });
    await page.getByText("Changing options needs the role admin.").waitFor();
    assert.equal(await page.getByLabel("Max attempts").isDisabled(), true);
  });
});

test("a workflow is followed in its graph until it ends", async () => {
  await query(`insert into public.workflow_definition (type, tasks) values ('walk', '[{"key": "start", "kind": "walk_step", "input": {"v": 0}},
    {"key": "pages", "kind": "walk_step", "needs": ["start"], "for_each": "params.list", "input": {"v": "{{item}}"}}, {"key": "end", "kind": "walk_step", "needs": ["pages"], "input": {"v": 9}}]')`);
  const { json } = await console.call("service", "start_workflow", { p_type: "walk", p_params: { list: [1, 2, 3, 4] }, p_user_id: OWNER });
  const page = await console.open({ role: "viewer", at: "/workflows" });
  await page.getByRole("table", { name: "Workflows" }).getByRole("link", { name: "walk" }).click();
  const node = (key) => page.getByRole("link", { name: new RegExp(`^${key},`) });
  await page.getByRole("link", { name: "start, open" }).waitFor();
  const step = async (max, outcome) => settle(await claim("walks", max), () => ({ outcome, result: {} }));
  await step(1, "completed");
  await page.getByRole("link", { name: "pages, open, 0 of 4" }).waitFor();
  await step(2, "completed");
  await page.getByRole("link", { name: "pages, open, 2 of 4" }).waitFor();
  assert.equal(await node("pages").count(), 1, "a list of tasks is one node");
  await step(2, "completed");
  await page.getByRole("link", { name: "end, open" }).waitFor();
  await step(1, "completed");
  await page.getByRole("link", { name: "end, completed" }).waitFor();
  await page.getByRole("progressbar", { name: "100% done" }).waitFor();
  await page.getByRole("tab", { name: "Gantt" }).click();
  await until(async () => (await page.locator(".gantt-row").count()) === 6, "a bar for each task");
  await page.getByRole("link", { name: /^pages/ }).first().click();
  await page.getByRole("heading", { name: "walk_step" }).waitFor();
  assert.ok(page.url().includes("/job/") && json.id, "a task is a job");
});

test("a schedule is added with its next times in words and in two zones, and runs now", async () => {
  const page = await console.open({ role: "operator", at: "/schedules" });
  await page.getByRole("button", { name: "New schedule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("nightly_mail");
  await dialog.getByLabel("When").fill("30 8 * * 1-5");
  await dialog.getByLabel("Time zone").fill("America/New_York");
  await dialog.getByText("At 08:30 from Monday to Friday").waitFor();
  await dialog.getByRole("columnheader", { name: "America/New_York" }).waitFor();
  // The times of what was typed before stand there until those of the zone have come.
  await until(async () => {
    const times = await dialog.locator(".next tbody td:first-child").allInnerTexts();
    return times.length === 5 && times.every((time) => time.endsWith("08:30"));
  }, "five times at 08:30");
  await dialog.getByLabel("Kind").selectOption("send_email");
  await dialog.getByLabel("Payload").fill('{"account": 12345678901234567890}');
  await agree(page, "Add", "accounting asked");
  await page.getByRole("button", { name: /nightly_mail/, expanded: true }).waitFor();
  await page.getByRole("button", { name: "Run now" }).click();
  await agree(page, "Run", "at once");
  const [{ payload }] = await until(async () => {
    const rows = await query("select payload::text from mill.job where kind = 'send_email' and payload ? 'account'");
    return rows.length > 0 && rows;
  }, "its job");
  assert.match(payload, /12345678901234567890/);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await agree(page, "Pause", "holidays");
  await page.getByText("nightly_mail is paused.").waitFor();
});
