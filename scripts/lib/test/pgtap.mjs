// Runs tests/sql/<function>/<behaviour>.sql, each in a database of its own, copied from a migrated
// template: a test may commit what it likes.
//   node pgtap.mjs embedded|debian [PATH…]
//
// Lines at the top of a file that steer it:
//   -- live: runs in the database that pg_cron or the relay serves
//   -- needs: EXTENSION      skipped, and said so, where the server does not offer it
//   -- include: rules/*.sql  anywhere: the files of that folder beside it, which are no tests themselves
import fs from "node:fs";
import path from "node:path";

import { root } from "../../../sdk/local/stack/paths.mjs";
import { Stack } from "../../../sdk/local/stack/stack.mjs";
import { filesIn, prepareTemplate, runTap, TEMPLATE, textOf, withClient } from "./tap.mjs";

const [flavour, ...only] = process.argv.slice(2);
const folder = path.join(root, "tests/sql");
const files = (only.length > 0 ? only : [folder]).map((place) => path.resolve(place)).flatMap((place) => (fs.statSync(place).isDirectory() ? filesIn(place) : [place])).sort();

const stack = new Stack(`sql-${flavour}-${process.pid}`, { postgres: flavour, parts: ["relay"] });
const totals = { passed: 0, failed: 0, skipped: 0 };
let databases = 0;
try {
  await stack.start();
  await prepareTemplate(stack, ["gristmill"]);
  for (const file of files) await runFile(file);
} finally {
  await stack.destroy();
}
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exit(totals.failed > 0 ? 1 : 0);

async function runFile(file) {
  const name = path.relative(folder, file).replace(/\.sql$/, "");
  const text = textOf(file);
  const extension = /^-- needs: (\w+)$/m.exec(text)?.[1];
  if (extension && !(await offers(extension))) {
    totals.skipped += 1;
    console.log(`skipped ${name} (${flavour} Postgres has no ${extension})`);
    return;
  }
  const isLive = /^-- live:/m.test(text);
  // Not dropped one by one: DROP DATABASE waits for a word of every process, and pg_cron's is silent for as
  // long as one of its jobs runs, which is most of a minute. The whole cluster goes at the end.
  const database = isLive ? "gristmill" : `tap_${++databases}`;
  if (!isLive) await stack.postgres.query(`create database ${database} template ${TEMPLATE}`);
  const begun = performance.now();
  report(name, await withClient(stack, database, (client) => runTap(client, text)));
  const seconds = (performance.now() - begun) / 1000;
  if (seconds > 3) console.log(`slow: ${name} took ${seconds.toFixed(1)} s`);
}

function report(name, { ok, notOk, planned, failure, tap, passed }) {
  totals.passed += ok;
  if (passed) return;
  totals.failed += Math.max(1, notOk);
  console.log(`FAILED ${name} (${flavour})`);
  if (failure) console.log(`  ${failure}`);
  else if (notOk === 0) console.log(`  planned ${planned}, ran ${ok}`);
  for (const line of tap.filter((line) => /^(not ok|#)/.test(line))) console.log(`  ${line}`);
}

async function offers(extension) {
  const { rowCount } = await stack.postgres.query("select from pg_available_extensions where name = $1", [extension]);
  return rowCount > 0;
}
