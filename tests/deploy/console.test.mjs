// The console on Cloudflare, as `gristmill deploy cloudflare --console yes` makes it, in a real Chromium.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";

import { parse } from "smol-toml";

import { freePorts } from "../../sdk/local/stack/ports.mjs";
import { startBrowser } from "../contract/browser.mjs";
import { startStack } from "../support.mjs";
import { Cloudflare, Project } from "./platforms.mjs";

let stack, platform, project, browser, url;
before(async () => {
  const [port] = await freePorts(1);
  url = `http://127.0.0.1:${port}`;
  stack = await startStack("deployed-console", { parts: ["gateway", "relay"], applications: "none" });
  await stack.postgres.query("delete from mill.secret where name = 'invoke'; delete from mill.settings where key = 'functions.base_url'");
  platform = await new Cloudflare(path.join(stack.folder, "r2")).open(port);
  project = new Project(platform, { GRISTMILL_DATABASE_URL: stack.databaseUrl, SUPABASE_ANON_KEY: stack.anonKey, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey });
  const { code, output } = await project.gristmill("deploy", "cloudflare", "--url", url, "--supabase-url", stack.url, "--console", "yes");
  assert.equal(code, 0, output);
  assert.match(output, /The console is at http:\S+\/console\//);
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await platform?.close();
  await stack?.destroy();
  project?.remove();
});

test("the three files are served at /console with the headers that keep the page safe, and nothing else is", async () => {
  const moved = await fetch(`${url}/console`, { redirect: "manual" });
  assert.deepEqual([moved.status, moved.headers.get("location")], [308, "/console/"]);
  for (const [name, type] of [["", "text/html; charset=utf-8"], ["app.js", "text/javascript; charset=utf-8"], ["app.css", "text/css; charset=utf-8"], ["config.json", "application/json"]]) {
    const answer = await fetch(`${url}/console/${name}`);
    assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, type], name);
    assert.match(answer.headers.get("content-security-policy"), /^default-src 'none';.*frame-ancestors 'none'/);
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
    const again = await fetch(`${url}/console/${name}`, { headers: { "if-none-match": answer.headers.get("etag") } });
    assert.equal(again.status, 304, name);
  }
  assert.equal((await fetch(`${url}/console/_headers`)).status, 404);
  assert.equal((await fetch(`${url}/console/..%2f..%2fsecrets.env`)).status, 404);
  assert.equal((await fetch(`${url}/console/app.js`, { method: "POST", body: "x" })).status, 405);
  const { env } = parse(project.read("wrangler.toml"));
  assert.deepEqual([env.console.workers_dev, { ...env.console.vars }, Object.keys(platform.workers.get("gristmill-console").secrets)], [false, {}, []], "it has no address, variable or secret of its own");
});

test("an operator signs in with a token and sees the queues of the deployment", async () => {
  const page = await (await browser.newContext()).newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (line) => /Content Security Policy/.test(line.text()) && problems.push(line.text()));
  await page.goto(`${url}/console/`);
  const token = await stack.token({ role: "authenticated", sub: "00000000-0000-4000-8000-00000000000a", email: "vera@example.com", app_metadata: { gristmill_role: "viewer" }, expiresIn: "1h" });
  await page.getByLabel(/token/i).first().fill(token);
  await page.getByRole("button", { name: /sign in/i }).last().click();
  await page.getByRole("heading", { name: "Overview" }).first().waitFor();
  await page.getByText("default").first().waitFor();
  assert.deepEqual(problems, []);
});

test("a deployment that did not ask for the console has none", async () => {
  const { code, output } = await project.gristmill("deploy", "cloudflare", "--console", "no");
  assert.equal(code, 0, output);
  assert.equal((await fetch(`${url}/console/`)).status, 404);
});
