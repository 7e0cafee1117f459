// What a worker of the libraries writes to its terminal by itself, without a setting: one line for each attempt that failed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { until } from "../support.mjs";
import { readAdapters } from "./runner/load.mjs";
import { Program } from "./runner/program.mjs";
import { openSite } from "./runner/site.mjs";

const columns = readAdapters().filter(({ name }) => ["typescript-work", "rust-work"].includes(name));

let site;
before(async () => (site = await openSite([])));
after(() => site?.close());

assert.equal(columns.length, 2, "the TypeScript and the Rust library");
for (const adapter of columns) {
  test(`${adapter.column}: each failed attempt and each dead letter is told on the terminal, with the kind, the job and the attempt`, async (context) => {
    const queue = `told-${adapter.name}`;
    await site.makeQueue(queue, { served_by: "external" });
    const job = (payload) => ({ kind: "conform", text: JSON.stringify({ kind: "conform", max_attempts: 3, payload }) });
    const enqueued = await site.enqueue(queue, [job({ do: "fail", message: "no such address" }), job({ do: "dead", message: "nobody wants this" }), job({ do: "complete", result: 1 })]);
    const [failed, dead, good] = enqueued.sort((one, other) => one.ordinal - other.ordinal).map(({ id }) => id);
    const { url, serviceKey, anonKey } = site.stack;
    const program = new Program(adapter, { SUPABASE_URL: url, SUPABASE_SERVICE_ROLE_KEY: serviceKey, SUPABASE_ANON_KEY: anonKey, CONFORM_QUEUE: queue, CONFORM_CONCURRENCY: "3", CONFORM_DRAIN_SECONDS: "5" }).start();
    context.after(() => program.end());
    await until(async () => (await site.job(dead)).state === "failed" && (await site.job(good)).state === "completed" && (await site.job(failed)).state === "retrying", "all jobs ending");
    const lines = program.output.split("\n");
    const told = (id) => lines.filter((line) => line.includes(id) && /attempt 1 of 3/.test(line));
    assert.equal(told(failed).length, 1, program.output);
    assert.match(told(failed)[0], /^conform \S+, attempt 1 of 3.*no such address/);
    assert.equal(told(dead).length, 1, program.output);
    assert.match(told(dead)[0], /^conform \S+, attempt 1 of 3.*(now a dead letter|Dead).*nobody wants this/);
    assert.equal(told(good).length, 0, "a job that was completed is not told");
  });
}
