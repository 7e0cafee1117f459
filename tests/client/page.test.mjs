// gristmill/react in a real Chromium: a page in strict mode whose markup comes from the server, against a real stack.
import assert from "node:assert/strict";
import http from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import { createElement as h, StrictMode } from "react";
import { renderToString } from "react-dom/server";

import { client } from "../../sdk/typescript/dist/client/index.js";
import { GristmillProvider } from "../../sdk/typescript/dist/react/index.js";
import { startBrowser } from "../contract/browser.mjs";
import { until } from "../support.mjs";
import { addSymbols, startApplications, TEXT, userOf } from "./harness.mjs";
import { View } from "./page/view.mjs";

let stack, browser, script, server;
before(async () => {
  const entry = path.join(path.dirname(fileURLToPath(import.meta.url)), "page/app.mjs");
  const bundling = build({ entryPoints: [entry], bundle: true, write: false, format: "iife", globalName: "page", define: { "process.env.NODE_ENV": '"development"' }, logLevel: "silent" });
  [stack, browser, { outputFiles: [{ text: script }] }] = await Promise.all([startApplications("page"), startBrowser({ keepsPages: true }), bundling]);
  await addSymbols(stack, "AAPL", "MSFT");
  server = http.createServer(answer);
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
});
after(async () => {
  await browser?.close();
  server?.close();
  await stack?.destroy();
});
const sql = async (text, values) => (await stack.postgres.query(text, values)).rows;
const watching = async ({ sub }) => (await sql("select symbol from public.active_subscriptions_v2 where user_id = $1 order by 1", [sub])).map(({ symbol }) => symbol);

/** The markup as the server makes it. A fetch would fail the test: there is nothing to call on a server that renders. */
function markup(shown) {
  const mill = client({ url: "http://nowhere.invalid", key: "none", fetch: () => assert.fail("the server called somebody") });
  return renderToString(h(StrictMode, null, h(GristmillProvider, { client: mill }, h(View, shown))));
}

function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, "http://page");
  if (pathname === "/app.js") return response.writeHead(200, { "content-type": "text/javascript; charset=utf-8" }).end(script);
  if (pathname !== "/") return response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Elsewhere</title>");
  const shown = JSON.parse(searchParams.get("shown"));
  const env = { url: stack.url, key: stack.anonKey, token: searchParams.get("token"), shown };
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" })
    .end(`<!doctype html><title>Page</title><div id="root">${markup(shown)}</div><script>window.ENV = ${JSON.stringify(env)}</script><script src="/app.js"></script>`);
}

/** A user, and a page of this user that shows something. What it asks the stack for is in `sent`, what it complains of in `complaints`. */
async function open(shown) {
  const user = await userOf(stack);
  if (typeof shown === "function") shown = await shown(user);
  const context = await browser.newContext();
  const page = await context.newPage();
  const [sent, complaints] = [[], []];
  page.on("request", (request) => request.url().startsWith(stack.url) && request.method() !== "OPTIONS" && sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  const origin = `http://127.0.0.1:${server.address().port}`;
  await page.goto(`${origin}/?${new URLSearchParams({ shown: JSON.stringify(shown), token: user.token })}`);
  const count = (what) => sent.filter((line) => line.includes(what)).length;
  return { user, context, page, origin, sent, count, complaints, show: (next) => page.evaluate((next) => window.page.show(next), next) };
}
const texts = (page, selector) => page.locator(selector).allTextContents();
const seen = (page, selector, pattern, what) => until(async () => { const all = await texts(page, selector); return all.length > 0 && all.every((text) => pattern.test(text)) && all; }, what, 30_000);

test("a page that the server has rendered comes alive without a complaint, and shows a job to its end, watched once for two components", async () => {
  await sql("select mill.pause('default', true)");
  const { page, complaints, sent, user, show } = await open(async ({ mill }) => {
    const { id } = await mill.enqueue("echo", { hello: "page" });
    return { jobs: [id, id] };
  });
  await seen(page, ".job", /^pending 0 %/, "the job waiting");
  const first = sent.length;
  assert.ok(first <= 3, `strict mode and two components made ${first} requests`);
  await sql("select mill.pause('default', false)");
  assert.match((await seen(page, ".job", /^completed 100 %/, "the job's end"))[0], /page/);
  assert.deepEqual(complaints, []);
  const { id: another } = await user.mill.enqueue("echo", { hello: "another" });
  await show({ jobs: [another], symbols: [], hasUpload: false });
  assert.match((await seen(page, ".job", /^completed/, "another job in the same component"))[0], /another/);
});

test("a job that is not the user's is a problem that the component can show", async () => {
  const { page } = await open({ jobs: [crypto.randomUUID()] });
  await seen(page, ".job", /^loading 0 % not_found/, "the problem");
});

test("two views of a symbol are one subscription; changes arrive, and the last view's going ends it", async () => {
  const { page, user, count, show, complaints } = await open({ symbols: ["AAPL", "AAPL"] });
  await seen(page, ".quote", /AAPL [\d.]+$/, "the quote");
  assert.deepEqual([await watching(user), count("upsert_active_subscription_v2"), count("DELETE")], [["AAPL"], 1, 0]);
  await sql("update public.quotes set price = 123.75 where symbol = 'AAPL'");
  await sql("insert into mill.data_change (data_type, symbol, at) values ('quote', 'AAPL', now())");
  await seen(page, ".quote", /^AAPL 123.75$/, "the change in both views");
  await show({ jobs: [], symbols: ["AAPL"], hasUpload: false });
  await show({ jobs: [], symbols: ["MSFT"], hasUpload: false });
  await until(async () => String(await watching(user)) === "MSFT", "the other symbol taking its place");
  await show({ jobs: [], symbols: [], hasUpload: false });
  await until(async () => (await watching(user)).length === 0, "nothing being watched");
  assert.deepEqual(await page.evaluate(() => window.page.mill.subscriptions.open), { subscriptions: 0, isListening: false, hasTimer: false });
  assert.deepEqual(complaints, []);
});

test("a page that is left or closed ends its subscriptions, and one that comes back from the browser's cache has them again", async () => {
  const { page, user, origin } = await open({ symbols: ["AAPL", "MSFT"] });
  await seen(page, ".quote", /[\d.]+$/, "the quotes");
  await page.evaluate(() => (window.isTheSame = true));
  await page.goto(`${origin}/elsewhere`);
  await until(async () => (await watching(user)).length === 0, "the subscriptions ending with the page", 20_000);
  await page.goBack({ waitUntil: "commit" }); // a page that was kept does not load
  await until(async () => (await watching(user)).length === 2, "the page's coming back", 20_000);
  assert.equal(await page.evaluate(() => window.isTheSame), true);
  await until(async () => (await page.evaluate(() => window.page.mill.subscriptions.open)).isListening, "its stream");
  await page.close();
  await until(async () => (await watching(user)).length === 0, "the subscriptions ending with the tab", 20_000);
});

test("a page that was offline subscribes and listens again as soon as the network is back", async () => {
  const { page, context, user, count } = await open({ symbols: ["AAPL"] });
  await seen(page, ".quote", /[\d.]+$/, "the quote");
  await context.setOffline(true);
  await sql("delete from public.active_subscriptions_v2 where user_id = $1", [user.sub]); // as if it had been silent for five minutes
  const before = count("/refresh/v1/changes");
  await context.setOffline(false);
  await until(async () => (await watching(user)).length === 1, "the subscription coming back", 20_000);
  await sql("update public.quotes set price = 321.5 where symbol = 'AAPL'");
  await sql("insert into mill.data_change (data_type, symbol, at) values ('quote', 'AAPL', now())");
  await seen(page, ".quote", /^AAPL 321.5$/, "a change after the network is back");
  assert.ok(count("/refresh/v1/changes") >= before);
});

test("a file is uploaded with a bar that fills, its document is watched, and leaving the component ends an upload", async () => {
  const { page, user, show, complaints } = await open({ hasUpload: true });
  await page.setInputFiles("input", { name: "letter.txt", mimeType: "text/plain", buffer: Buffer.from(TEXT) });
  await page.waitForSelector(".upload[data-state=done]");
  assert.equal(await page.locator("progress").evaluate((bar) => bar.value), 100);
  await seen(page, ".job", /^completed 100 %/, "the document's end");
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });

  await page.route("**/documents/v1/documents*", () => {}); // an upload that never ends
  await page.setInputFiles("input", { name: "other.txt", mimeType: "text/plain", buffer: Buffer.from(TEXT) });
  await page.waitForSelector(".upload[data-state=sending]");
  const ended = page.waitForEvent("requestfailed");
  await show({ jobs: [], symbols: [], hasUpload: false });
  assert.match((await ended).url(), /documents/);
  assert.deepEqual(complaints, []);
  assert.equal((await user.mill.uploads.list()).length, 1);
});
