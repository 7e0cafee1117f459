// How the console behaves to whoever uses it: by keyboard, on a phone, with a screen reader, in the dark; and that it never claims what is not so.
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, describe, test } from "node:test";

import { until } from "../support.mjs";
import { addDead, addJob, startConsole } from "./support.mjs";

const AXE = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const MARKUP = "<img src=x onerror=\"document.title='broken'\">";
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
let console, dead;
before(async () => {
  console = await startConsole("manners", { applications: ["workflows"] });
  await console.call("service", "register_jobs", { p_definition: { queues: [{ queue: "mail", served_by: "external", description: MARKUP }], kinds: [{ kind: "send_email", queue: "mail", description: MARKUP }] } });
  for (let at = 0; at < 3; at++) dead = await addDead(console, { queue: "mail", kind: "send_email", payload: { [MARKUP]: MARKUP, at }, name: `${MARKUP}${at}`, error: { type: MARKUP, message: `${MARKUP} \u202eabc` } });
  await addJob(console, { kind: "send_email", payload: { n: 1 } });
});
after(() => console?.close());
afterEach(() => console?.leave());

const SCREENS = () => ["/overview", "/jobs", `/job/${dead}`, "/queue/mail", "/queue/mail?tab=options", "/queue/mail?tab=kinds", "/dead", "/workflows", "/schedules", "/health", "/audit"];
/** Opens a screen and waits until nothing is awaited any more. */
async function show(page, at) {
  await page.evaluate((hash) => (location.hash = hash), at);
  await page.locator("main > .stack, main > .empty").first().waitFor();
  await until(async () => (await page.locator(".skeleton").count()) === 0, `the data of ${at}`);
}

describe("accessibility", () => {
  for (const [name, look] of Object.entries({ light: {}, dark: { dark: true }, phone: { phone: true } })) {
    test(`axe finds nothing on any screen (${name})`, async () => {
      const page = await console.open(look);
      const found = [];
      for (const at of SCREENS()) {
        await show(page, at);
        await page.evaluate(AXE).catch(() => page.context().newCDPSession(page).then((session) => session.send("Runtime.evaluate", { expression: AXE })));
        const { violations } = await page.evaluate((runOnly) => window.axe.run(document, { runOnly }), RULES);
        found.push(...violations.map(({ id, nodes }) => `${at}: ${id} ${nodes[0].target.join(" ")}`));
      }
      assert.deepEqual(found, []);
    });
  }

  test("at the width of a phone no screen is wider than the phone", async () => {
    const page = await console.open({ phone: true });
    const wide = [];
    for (const at of SCREENS()) {
      await show(page, at);
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) wide.push(at);
    }
    assert.deepEqual(wide, []);
  });

  test("on a phone another screen is reached by the menu", async () => {
    const page = await console.open({ phone: true });
    await page.getByRole("button", { name: "Screens" }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Dead letters" }).click();
    await page.getByRole("heading", { name: "Dead letters" }).waitFor();
    await until(() => page.locator(".side").evaluate((side) => getComputedStyle(side).visibility === "hidden"), "the menu being closed");
  });
});

describe("the keyboard", () => {
  test("a dead letter is found, opened, retried and left without a mouse", async () => {
    const page = await console.open({ role: "operator" });
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "Jobs", exact: true, level: 1 }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("state:dead payload.at=0 ");
    await page.keyboard.press("Enter");
    const rows = page.getByRole("table", { name: "Jobs" }).locator("tbody tr");
    await until(async () => (await rows.count()) === 1, "the job being found");
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.locator("header.head").getByText("dead letter").waitFor();
    await page.keyboard.press("r");
    await page.keyboard.type("by keyboard");
    await page.keyboard.press("Enter");
    await page.locator("header.head").getByText("pending").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("d");
    await page.getByRole("heading", { name: "Dead letters" }).waitFor();
  });

  test("? lists the keys of the screen, and t changes between dark and light and is remembered", async () => {
    const page = await console.open({ role: "viewer", at: "/jobs" });
    await page.getByRole("table", { name: "Jobs" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Next row").waitFor();
    await page.getByRole("dialog").getByText("Dead letters").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    assert.equal(await theme(), "light");
    await page.keyboard.press("t");
    assert.equal(await theme(), "dark");
    await page.reload();
    await page.getByRole("table", { name: "Jobs" }).waitFor();
    assert.equal(await theme(), "dark");
  });

  test("several jobs are selected with x and acted on together", async () => {
    const page = await console.open({ role: "operator", at: "/jobs?q=state:dead" });
    await page.getByRole("table", { name: "Jobs" }).waitFor();
    for (const key of ["j", "x", "j", "x"]) await page.keyboard.press(key);
    await page.getByText("2 jobs selected").waitFor();
    await page.keyboard.press("r");
    await page.getByRole("dialog", { name: "Retry 2 jobs?" }).waitFor();
  });
});

describe("text of strangers", () => {
  test("markup in names, kinds, errors, payloads and searches is text", async () => {
    const page = await console.open({ at: "/overview" });
    for (const at of [...SCREENS(), `/jobs?q=${encodeURIComponent(`name:"${MARKUP}"`)}`, `/queue/${encodeURIComponent(MARKUP)}`, `/nothing/${encodeURIComponent(MARKUP)}`]) {
      await page.evaluate((hash) => (location.hash = hash), at);
      await page.locator("main > *").first().waitFor();
      await until(async () => (await page.locator(".skeleton").count()) === 0, `the data of ${at}`);
      assert.equal(await page.locator("main img").count(), 0, at);
    }
    await show(page, `/job/${dead}`);
    await page.locator("header.head + section, header.head ~ section").first().waitFor();
    assert.ok((await page.locator("main").innerText()).includes(MARKUP));
    assert.doesNotMatch(await page.title(), /broken/);
  });
});

describe("what is shown is so", () => {
  test("an action that the database refuses changes nothing on the screen and says why", async () => {
    const page = await console.open({ role: "operator", at: "/queue/mail" });
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.route("**/rpc/console_pause", (route) => route.fulfill({ status: 403, contentType: "application/json",
      body: JSON.stringify({ code: "42501", message: "this needs the console role operator; your token has viewer", hint: "Ask an admin for it." }) }));
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("no");
    await dialog.getByRole("button", { name: "Pause" }).click();
    await dialog.getByText("Ask an admin for it.").waitFor();
    assert.equal(await page.locator("header.head").getByText("working").count(), 1);
    assert.deepEqual((await console.stack.postgres.query("select paused from mill.queue where queue = 'mail'")).rows, [{ paused: false }]);
  });

  test("p pauses the pulse, and p again resumes it", async () => {
    const page = await console.open({ role: "viewer" });
    await page.clock.install(); // from here on the page's time passes when we say so
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    let asked = 0;
    page.on("request", (request) => (asked += request.url().endsWith("console_pulse") ? 1 : 0));
    await page.clock.runFor(10_000);
    await until(() => asked > 0, "a pulse");
    await page.keyboard.press("p");
    await page.getByRole("button", { name: /^Paused/ }).waitFor();
    asked = 0;
    await page.clock.runFor(60_000);
    assert.equal(asked, 0);
    await page.keyboard.press("p");
    await page.clock.runFor(100);
    await until(() => asked > 0, "a pulse again");
  });

  test("a deployment that does not answer is said to be so, and is live again by itself", async () => {
    const page = await console.open({ role: "viewer" });
    await page.waitForRequest("**/rpc/console_pulse");
    await page.route("**/rest/v1/**", (route) => route.abort());
    await page.getByRole("button", { name: /^No answer/ }).waitFor();
    await page.unroute("**/rest/v1/**");
    await page.getByRole("button", { name: /jobs\/s|^Live/ }).waitFor();
  });

  test("a screen of an application that is not installed is not offered, and its address says so", async () => {
    const page = await console.open({ role: "viewer", at: "/documents" });
    await page.getByText("There is no screen documents").waitFor();
    assert.equal(await page.getByRole("link", { name: "Documents" }).count(), 0);
    assert.equal(await page.getByRole("link", { name: "Workflows" }).count(), 1);
  });
});
