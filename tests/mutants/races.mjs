// Asks the tests that need two connections about a mutant: they run in a database of their own in which it is installed.
import { spawn } from "node:child_process";
import path from "node:path";

import { root } from "../../sdk/local/stack/paths.mjs";
import { addressOf, TEMPLATE, withClient } from "../../scripts/lib/test/tap.mjs";

const FILES = ["tests/races/refresh.test.mjs"];
let copies = 0;

/** Asks the tests whose names begin with the contract. @returns {Promise<string|null>} the file that fails */
export async function racesNotice(stack, mutant, contract) {
  for (const file of FILES) {
    const database = `races_${++copies}`;
    await stack.postgres.query(`create database ${database} template ${TEMPLATE}`);
    await withClient(stack, database, (client) => client.query(mutant.sql));
    const code = await new Promise((resolve) => {
      const child = spawn(process.execPath, ["--test", `--test-name-pattern=^${contract}: `, path.join(root, file)],
        { env: { ...process.env, GRISTMILL_MUTANT_DATABASE: addressOf(stack, database) }, stdio: "ignore" });
      child.on("close", resolve);
    });
    await stack.postgres.query(`drop database ${database} with (force)`);
    if (code !== 0) return file;
  }
  return null;
}
