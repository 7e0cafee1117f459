// A program as a page in a real Chromium: bundled, served from an origin of its own, and driven from outside.
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import { chromium } from "playwright-core";

const programs = path.join(path.dirname(fileURLToPath(import.meta.url)), "programs");
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Starts Chromium. It talks to nobody but those whom its pages call. */
export async function startBrowser() {
  if (!fs.existsSync(executablePath)) throw new Error(`${executablePath} is missing: ./scripts/setup --for test, or set CHROMIUM`);
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
}

/** Serves a program at a free port; `host` is the name under which the browser knows it, so that two of them are two origins. */
export async function servePage(program, env, host = "localhost") {
  const { outputFiles: [{ text }] } = await build({ entryPoints: [path.join(programs, program)], bundle: true, write: false,
    format: "iife", globalName: "client", platform: "browser", logLevel: "silent" });
  const server = http.createServer((request, response) => {
    const isScript = request.url === "/client.js";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? text : `<!doctype html><title>client</title><script>window.ENV = ${JSON.stringify(env)}</script><script src="/client.js"></script>`);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return { origin: `http://${host}:${server.address().port}`, close: () => server.close() };
}

/** A page of the program. `run` calls one of its functions and gives what that gave. */
export async function openPage(browser, { origin }) {
  const page = await browser.newPage();
  await page.goto(origin);
  await page.waitForFunction(() => "client" in window);
  return {
    run: (name, ...args) => page.evaluate(([name, args]) => window.client[name](...args), [name, args]),
    read: (name) => page.evaluate((name) => window.client[name], name),
    close: () => page.close(),
  };
}
