// ./scripts/test PATH: one file of any kind.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";
import { suiteOf } from "../../scripts/lib/test/one.mjs";

const command = (word) => suiteOf(word)?.command.join(" ");

test("a word that names a file, a folder or a Rust test runs that and nothing else", () => {
  assert.match(command("tests/sql/compat"), /pgtap\.mjs embedded tests\/sql\/compat$/);
  assert.match(command("tests/house/one_file.test.mjs"), /--test .*tests\/house\/one_file\.test\.mjs$/);
  assert.match(command("tests/races"), /--test .*tests\/races\/$/);
  assert.match(command("platform/dialect/src/query/mod.rs"), /--lib --bins query::$/);
  assert.match(command("command/tests/relay/main.rs"), /--test relay$/);
  assert.match(command("a_holder_is_the_first_three_arguments_of_a_call"), /--tests a_holder_is_the_first_three_arguments_of_a_call$/);
});

test("a word that names nothing with tests is refused before anything is built", () => {
  for (const word of ["README.md", "tests/support.mjs", "tests/no_such.test.mjs", "no_such_test_anywhere"]) assert.equal(suiteOf(word), null, word);
  const { status, stderr } = spawnSync(process.execPath, [path.join(root, "scripts/lib/test/run.mjs"), "tests/no_such.test.mjs"], { encoding: "utf8" });
  assert.equal(status, 2);
  assert.match(stderr, /no file with tests and no Rust test named tests\/no_such\.test\.mjs/);
});
