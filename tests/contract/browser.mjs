// Programs as pages in a real Chromium: served from an origin of their own, and driven from outside.
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import { chromium } from "playwright-core";

const programs = path.join(path.dirname(fileURLToPath(import.meta.url)), "programs");
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
// The build that supabase-js publishes for a script tag.
const SUPABASE_JS = path.join(path.dirname(createRequire(import.meta.url).resolve("@supabase/supabase-js")), "umd/supabase.js");

/** Starts Chromium. It talks to nobody but those whom its pages call. keepsPages: the back button brings back a page as it was, as it does for people. */
export async function startBrowser({ keepsPages = false } = {}) {
  if (!fs.existsSync(executablePath)) throw new Error(`${executablePath} is missing: ./scripts/setup --for test, or set CHROMIUM`);
  return chromium.launch({ executablePath, ignoreDefaultArgs: keepsPages ? ["--disable-back-forward-cache"] : [], args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
}

/**
 * Serves the programs at a free port. Each host name in front of that port is an origin of its own; `env` is set once the stack is there,
 * and says what the pages of a host name are told.
 *   /NAME.html  a page as it is, which loads /supabase.js and /env.js
 *   /NAME       the module NAME.mjs, bundled with supabase-js as applications do it
 */
export async function servePages() {
  const site = { env: () => ({}) };
  const server = http.createServer(async (request, response) => {
    const host = request.headers.host.split(":")[0];
    const { pathname } = new URL(request.url, "http://site");
    const [type, text] = await content(pathname, site.env(host)).catch((error) => ["text/plain", error.message]);
    response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(text);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  site.origin = (host) => `http://${host}:${server.address().port}`;
  site.close = () => server.close();
  return site;
}

async function content(pathname, env) {
  if (pathname === "/env.js") return ["text/javascript", `window.ENV = ${JSON.stringify(env)}`];
  if (pathname === "/supabase.js") return ["text/javascript", fs.readFileSync(SUPABASE_JS)];
  if (pathname.endsWith(".html")) return ["text/html", fs.readFileSync(path.join(programs, path.basename(pathname)))];
  const name = path.basename(pathname, ".js");
  if (!pathname.endsWith(".js")) return ["text/html", `<!doctype html><title>${name}</title><script src="/env.js"></script><script src="/${name}.js"></script>`];
  const { outputFiles: [{ text }] } = await build({ entryPoints: [path.join(programs, `${name}.mjs`)], bundle: true, write: false,
    format: "iife", globalName: "client", platform: "browser", logLevel: "silent" });
  return ["text/javascript", text];
}

/**
 * A tab, in which pages are opened one after another: a new tab per page costs 0.3 s of CPU.
 *   visit     opens a page, and forgets what the one before it said
 *   run, read call a function of a bundled program, or give one of its values
 *   of        what the page has written to its console under a key, so far
 *   requests  what the page has asked other origins for
 */
export async function openTab(browser, address = null) {
  const page = await browser.newPage();
  const tab = { page, said: [], requests: [], complaints: [] };
  page.on("console", (message) => {
    if (message.type() === "log") tab.said.push(JSON.parse(message.text()));
  });
  page.on("pageerror", (error) => tab.complaints.push(error.message));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== tab.origin) tab.requests.push({ url: request.url(), method: request.method() });
  });
  tab.visit = async (next) => {
    await page.goto("about:blank"); // what the page before says late is not taken for the words of this one
    Object.assign(tab, { origin: new URL(next).origin, said: [], requests: [], complaints: [] });
    await page.goto(next);
    return tab;
  };
  tab.of = (key) => tab.said.filter((line) => key in line).map((line) => line[key]);
  tab.run = (name, ...args) => page.evaluate(([name, args]) => window.client[name](...args), [name, args]);
  tab.read = (name) => page.evaluate((name) => window.client[name], name);
  return address === null ? tab : tab.visit(address);
}
