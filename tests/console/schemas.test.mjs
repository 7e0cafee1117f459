// The screens of an application that lies in a schema of its own, beside a table of the user's that has the name of one of its tables.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import os from "node:os";
import { after, afterEach, before, test } from "node:test";

import { until } from "../support.mjs";
import { startConsole } from "./support.mjs";

const OWNER = "11111111-1111-4111-8111-111111111111";
const DOCUMENT = "55555555-5555-4555-8555-555555555555";

let console;
before(async () => {
  console = await startConsole("schemas", { applications: ["exports", "refresh"], schemas: { exports: "acme" }, ground: "create table public.documents (number int primary key, body text)" });
  await console.stack.postgres.query(`
    select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "${OWNER}"}', false);
    insert into acme.documents (id, owner, title, data) values ('${DOCUMENT}', '${OWNER}', 'Resume in acme', '{"basics": {"name": "Ada"}}');
    select acme.request_export('${DOCUMENT}')`);
});
after(() => console?.close());
afterEach(() => console?.leave());

async function showsExports(page) {
  await page.getByRole("heading", { name: "Exports" }).first().waitFor();
  await page.getByText("Resume in acme").first().waitFor();
  assert.equal(await page.getByText("older than this console").count(), 0);
}

test("the screens of an application in a schema of its own are asked there, and those of the others in public", async () => {
  const page = await console.open({ role: "viewer", at: "/exports" });
  const [asked] = await Promise.all([page.waitForRequest((request) => request.url().endsWith("/rpc/console_exports")), page.reload()]);
  assert.equal(await asked.headerValue("content-profile"), "acme");
  await showsExports(page);
  const [other] = await Promise.all([page.waitForResponse((answer) => answer.url().endsWith("/rpc/console_refresh")), page.goto(`${console.stack.url}/console/#/refresh`)]);
  assert.deepEqual([other.status(), await other.request().headerValue("content-profile")], [200, null]);
});

test("gristmill console passes the schema on", async () => {
  const child = spawn(console.stack.binary, ["console"], { env: { PATH: process.env.PATH, HOME: os.tmpdir(), USER: "ada", SUPABASE_URL: console.stack.url, GRISTMILL_JWT_SECRET: console.stack.secrets.jwtSecret } });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (text += piece));
  try {
    const link = await until(() => /http:\S+#key=\S+/.exec(text)?.[0], "the console's start");
    const page = await console.open({ role: null, origin: new URL(link).origin });
    await page.goto(`${link}&to=/exports`);
    await page.reload();
    await showsExports(page);
  } finally {
    child.kill();
  }
});
