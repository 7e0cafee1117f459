// A documented command is one that the tests run: every sh block of docs/submit-over-http.md is run as it stands, and
// no page shows a command that is not known to be run somewhere.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";
import { startStack } from "../support.mjs";

const blocks = (file) => [...fs.readFileSync(path.join(root, file), "utf8").matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((match) => match[1]);

let stack;
before(async () => (stack = await startStack("docs")));
after(() => stack?.destroy());

test("the commands of docs/submit-over-http.md do what it says", async () => {
  const env = {
    ...process.env,
    GRISTMILL_URL: stack.url,
    GRISTMILL_USER_TOKEN: await stack.token({ role: "authenticated", sub: "00000000-0000-4000-8000-000000000001" }),
  };
  // Starting and asking a running stack is tested in front_door.test.mjs; here the stack is the test's own.
  const commands = blocks("docs/submit-over-http.md").filter((block) => !block.includes("scripts/dev"));
  const outputs = commands.map((block) => execFileSync("bash", ["-euc", block], { env, encoding: "utf8" }));
  assert.equal(JSON.parse(outputs[0]).status, "new");
  const [once, again] = outputs[1].trim().split("\n").map((line) => JSON.parse(line));
  assert.equal(once.status, "new");
  assert.deepEqual(again, once);
  const job = JSON.parse(outputs[2]);
  assert.deepEqual([job.state, job.result], ["completed", { echo: { hello: "again" } }]);
});

test("the SQL of docs/how-an-application-is-built.md is what tests/sql/holder runs", () => {
  const page = fs.readFileSync(path.join(root, "docs/how-an-application-is-built.md"), "utf8");
  const example = fs.readFileSync(path.join(root, "tests/sql/holder/rules/thumbnails.sql"), "utf8");
  const shown = [...page.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map((match) => match[1]);
  assert.equal(shown.length, 3);
  for (const block of shown) assert.ok(example.includes(block), `the example does not contain:\n${block}`);
});

test("every other command shown is one that is run by a test", () => {
  const run = [
    "./scripts/dev", "./scripts/test", // front_door.test.mjs, CI
    'eval "$(./scripts/dev --env)"', // front_door.test.mjs
    "npx wrangler deploy --dry-run -e health", // front_door.test.mjs
    "./scripts/build", // every run
    ...["deploy-cloudflare.md", "deploy-supabase.md"].flatMap((page) => blocks(`docs/${page}`)).map((block) => block.trim()).filter((line) => line.startsWith("npx gristmill deploy ")), // tests/deploy/deployed.test.mjs runs these as they stand
    "npx gristmill smoke --url https://PROJECT.supabase.co --origin https://app.example.com", // tests/deploy/smoke.test.mjs
    "npx gristmill smoke --url https://gristmill.SUBDOMAIN.workers.dev --origin https://app.example.com", // tests/deploy/deployed.test.mjs
    "npm install --save-dev @electric-sql/pglite@0.5", // tests/release/testing_page.test.mjs
    "./scripts/graph sql --check", // tests/house/graph.test.mjs
    "cargo run -p gristmill-reading --example read < pages.json", // tests/documents/commands.test.mjs
    "node scripts/lib/bench/documents/offline.mjs --form text", // tests/documents/commands.test.mjs
    "python3 scripts/lib/dictionary/make.py /tmp/dictionary", "git diff --stat worker/dictionary/data", "cargo test -p gristmill-dictionary", // tests/documents/commands.test.mjs
    "gristmill migrate", // tests/house/install_page.test.mjs, tests/house/moving.test.mjs
    'gristmill why "$id"', // why.test.mjs
    'gristmill maintenance on --reason "moving to a larger machine" --retry-after 120', "gristmill maintenance off", // operate.test.mjs
  ];
  for (const file of ["README.md", ...fs.readdirSync(path.join(root, "docs")).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)]) {
    // tests/house/install_page.test.mjs, tests/operate, tests/release/install.test.mjs
    if (["docs/submit-over-http.md", "docs/first-job.md", "docs/install.md", "docs/backup.md", "docs/quickstart.md"].includes(file)) continue;
    for (const line of blocks(file).flatMap((block) => block.split("\n"))) {
      const command = line.replace(/\s+#.*$/, "").trim();
      assert.ok(command === "" || run.includes(command), `${file} shows a command that no test runs: ${command}`);
    }
  }
});
