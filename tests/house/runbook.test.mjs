// docs/runbook.md: every alert has its section, and its SQL is SQL that an installation takes.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";
import { House } from "./harness.mjs";

const read = (file) => fs.readFileSync(path.join(root, file), "utf8");
const runbook = read("docs/runbook.md");
const sections = runbook.split(/^## /m).slice(1);

test("every section of the runbook says what you see, why, what to do, and when it is over", () => {
  assert.ok(sections.length >= 20);
  for (const section of sections) {
    for (const part of ["Rules: ", "**You see.** ", "**Why.** ", "**What to do.**\n", "**It is over when** "]) {
      assert.ok(section.includes(`\n${part}`), `"${section.split("\n")[0]}" has no ${part}`);
    }
  }
});

let house, database;
before(async () => {
  house = await new House("pages").start();
  database = await house.database(["--with", "all"]);
});
after(() => house?.destroy());

test("every alert rule has a row in docs/alerts.md and a section in the runbook", async () => {
  const { rows } = await house.server.query(database, "select rule from mill.alert_rule order by 1");
  assert.ok(rows.length >= 20);
  const named = (text, rule) => text.includes(`\`${rule}\``);
  assert.deepEqual(rows.filter(({ rule }) => !named(read("docs/alerts.md"), rule)), []);
  const rules = sections.map((section) => /^Rules: (.*)$/m.exec(section)[1]).join(" ");
  assert.deepEqual(rows.filter(({ rule }) => !named(rules, rule)), []);
});

test("every statement of the runbook is one that an installation with all applications takes", async () => {
  const statements = [...runbook.matchAll(/`((?:select|update) [^`]+)`/g)].map(([, statement]) => statement);
  assert.ok(statements.length >= 20, `${statements.length} statements`);
  for (const statement of statements) {
    const filled = statement.replace(/\b(PID|OTHER)\b/g, "0").replace(/= N\b/, "= 1");
    await assert.doesNotReject(house.server.query(database, `begin; ${filled}; rollback`), statement);
  }
});
