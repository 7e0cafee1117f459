// Every command of docs/install.md is run as it stands, in the order of the page, on an empty database.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { gristmill, root } from "../../sdk/local/stack/paths.mjs";
import { House } from "./harness.mjs";

const blocks = [...fs.readFileSync(path.join(root, "docs/install.md"), "utf8").matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((match) => match[1]);
const TAKEN = "create table public.documents (mine int)";

let house, folder;
before(async () => {
  house = await new House("page").start();
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-page-"));
});
after(async () => {
  await house?.destroy();
  fs.rmSync(folder, { recursive: true, force: true });
});

function run(database, block) {
  const env = { ...process.env, GRISTMILL_DATABASE_URL: house.server.url(database), PATH: `${path.dirname(gristmill)}:${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync("bash", ["-euc", block], { env, cwd: folder, encoding: "utf8" });
  return { status, said: stdout + stderr };
}

test("the commands of docs/install.md do what the page says", async () => {
  const database = await house.database(null);
  const beside = await house.database(null, TAKEN);
  assert.ok(blocks.length >= 7, `the page has ${blocks.length} blocks`);
  for (const block of blocks) {
    // The section about a name that is taken is about a database that has such a table.
    const isBeside = block.includes("--schema");
    if (isBeside) {
      const { status, said } = run(beside, "gristmill migrate --with exports");
      assert.equal(status, 1);
      assert.match(said, /table public\.documents \(wanted by exports\)[\s\S]*--schema NAME/);
    }
    const { status, said } = run(isBeside ? beside : database, block);
    const onlyLooks = /--without/.test(block) && !/--yes/.test(block);
    assert.equal(status, onlyLooks ? 3 : 0, `${block}${said}`);
    if (onlyLooks) assert.match(said, /documents: 0 rows/);
  }
  const { rows } = await house.server.query(database, "select part from mill.part where asked and part not in (select part from mill.part where part in ('platform', 'engine', 'audit', 'observe', 'cleanup', 'limits', 'idempotency', 'api')) order by 1");
  assert.deepEqual(rows.map((row) => row.part), ["compat", "documents", "refresh", "workflows"]);
  assert.match(fs.readFileSync(path.join(folder, "gristmill.sql"), "utf8"), /^commit;$/m);
});
