// A worker of tests/races/workflows.test.mjs, in a process of its own so that it can be killed at any point. What it
// does goes to an append-only ledger before Postgres hears of it.
//   node worker.mjs DATABASE_URL LEDGER NAME
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import pg from "pg";

const [url, file, name] = process.argv.slice(2);
const ledger = fs.openSync(file, "a");
const note = (what) => fs.writeSync(ledger, `${JSON.stringify({ ...what, worker: name })}\n`);
const client = new pg.Client({ connectionString: url });
client.on("error", () => process.exit(1));
await client.connect();

for (;;) {
  const { rows } = await client.query("select id, attempt, name from mill.claim($1, array['trial'], 3)", [name]);
  for (const { id } of rows) note({ event: "start", task: id });
  if (rows.length === 0) await sleep(5);
  const outcomes = [];
  for (const { id, attempt } of rows) {
    await sleep(Math.random() * 4);
    const outcome = Math.random() < 0.05 ? "failed" : "completed";
    if (outcome === "completed") note({ event: "finish", task: id });
    outcomes.push({ id, attempt, outcome, delay_seconds: 0, result: { list: [1, 2, 3].slice(0, Math.random() * 4) } });
  }
  if (outcomes.length === 0) continue;
  const settled = await client.query("select id, status from mill.settle($1, $2)", [name, JSON.stringify(outcomes)]);
  for (const { id, status } of settled.rows) {
    if (status === "accepted" && outcomes.find((one) => one.id === id).outcome === "completed") note({ event: "accepted", task: id });
  }
}
