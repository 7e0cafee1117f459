// The scenarios can fail: a reference adapter with one mistake in it does not pass those that are about the mistake.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";
import { isSoak } from "../support.mjs";
import { playAll } from "./runner/all.mjs";
import { wireProblems } from "./runner/hygiene.mjs";
import { home, readAdapters, readScenarios } from "./runner/load.mjs";
import { fill, mismatches } from "./runner/match.mjs";

const reference = path.join(home, "adapters/reference");
const scenarios = readScenarios();

// Which file, what is replaced by what, and a word of the one scenario that must notice.
const MISTAKES = [
  ["serve", "serve.mjs", "if (!isSigned(request.headers, body))", "if (false)", "a forged signature"],
  ["serve", "serve.mjs", "Math.abs(Date.now() / 1000 - Number(at)) > 300", "Date.now() / 1000 - Number(at) > 300", "in the future"],
  ["serve", "serve.mjs", 'process.env.INVOKE_SECRET.split(" ")', '[process.env.INVOKE_SECRET.split(" ")[0]]', "second of two secrets"],
  ["serve", "serve.mjs", "...(known && known.length < kinds.length && { p_kinds: known })", "p_kinds: known", "claims once, with the arguments"],
  ["serve", "serve.mjs", "known?.length === 0", "false", "knows none of the kinds"],
  ["serve", "serve.mjs", "p_invocation: invocation,", "", "replayed invocation"],
  ["serve", "serve.mjs", "seconds - 5, seconds / 2", "seconds + 5, seconds", "fails as a timeout"],
  ["serve", "protocol.mjs", "const PASSING_STATUS = [502, 503, 504]", "const PASSING_STATUS = []", "settling is repeated after 503"],
  ["serve", "protocol.mjs", 'answer.headers.get("retry-after") ?? 0', "0", "before its Retry-After"],
  ["serve", "protocol.mjs", '"40001", ', "", "after 40001"],
  ["serve", "protocol.mjs", 'outcome: "released", delay_seconds: 60', 'outcome: "failed"', "unknown kind is released"],
  ["serve", "protocol.mjs", "some, isLast) => (await call(", "some, isLast) => (some.length > 1 && await call(\"settle_jobs\", { p_worker: worker, p_outcomes: some.slice(1) }), await call(", "settled in one call"],
  ["serve", "handler.mjs", "Object.assign(new Error(\"an outcome\"), { outcome })", "new Error(outcome.error.message)", "snoozed job"],
  ["work", "work.mjs", "Math.min(30_000, shortest / 3)", "30_000", "keeps its lease"],
  ["work", "work.mjs", "running.get(job.id) !== held", "false", "was lost is stopped and not settled"],
  ["work", "work.mjs", "settlesAndClaims = true", "settlesAndClaims = false", "settles and claims in one call"],
  ["work", "work.mjs", "settlesAndClaims = error.code !== \"PGRST202\";", "", "where Postgres has no settle_and_claim"],
  ["work", "work.mjs", "let rest = 1000; !end", "let rest = 100; !end", "finds nothing rests"],
  ["work", "work.mjs", "concurrency - running.size", "50", "claims as many jobs as it can start"],
  ["work", "work.mjs", 'outcome: "released"', 'outcome: "failed", error: { type: "shutdown", message: "ended", retryable: true }', "releases what does not finish"],
];

const folders = [];
after(() => folders.forEach((folder) => fs.rmSync(folder, { recursive: true, force: true })));

function withMistake([mode, file, right, wrong, word], at) {
  const folder = fs.mkdtempSync(path.join(home, "adapters/.mistake-"));
  folders.push(folder);
  fs.cpSync(reference, folder, { recursive: true });
  const source = fs.readFileSync(path.join(folder, file), "utf8");
  assert.ok(source.includes(right), `${file} of the reference adapter has no ${right}`);
  fs.writeFileSync(path.join(folder, file), source.replace(right, wrong));
  const adapter = readAdapters().find(({ name }) => name === `reference-${mode}`);
  return { adapter: { ...adapter, folder, name: `mistake-${at}`, column: wrong ? `${wrong} instead of ${right}` : `nothing instead of ${right}` }, word };
}

// Twenty programs start for it.
const wrong = isSoak ? MISTAKES.map(withMistake) : [];
const wanted = (adapter, scenario) => wrong.some((one) => one.adapter === adapter && scenario.name.includes(one.word));
const cells = wrong.length === 0 ? [] : await playAll(wrong.map(({ adapter }) => adapter), scenarios, undefined, { wanted, patience: 6_000 });

for (const { adapter, word } of wrong) {
  test(`a program with ${adapter.column} does not pass the scenario "… ${word} …"`, () => {
    const own = cells.filter((cell) => cell.adapter === adapter && cell.scenario.name.includes(word) && cell.verdict !== "other mode");
    assert.equal(own.length, 1, "one scenario is about it");
    assert.equal(own[0].verdict, "failed");
  });
}

test("every rule that scenarios are about is a heading of docs/protocol.md", () => {
  const headings = [...fs.readFileSync(path.join(root, "docs/protocol.md"), "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
  assert.deepEqual([...new Set(scenarios.map(({ rule }) => rule))].filter((rule) => !headings.includes(rule)), []);
});

test("no two scenarios have the same name", () => {
  const names = scenarios.map(({ name }) => name);
  assert.deepEqual(names.filter((name, at) => names.indexOf(name) !== at), []);
});

test("objects are compared by the fields that are named, patterns by their meaning", () => {
  assert.deepEqual(mismatches({ a: 1, b: { $empty: true }, c: { $any_order: [2, 1] } }, { a: 1, b: null, c: [1, 2], d: 4 }), []);
  assert.equal(mismatches({ a: 1 }, { a: 2 }).length, 1);
  assert.equal(mismatches({ a: { $absent: true } }, { a: null }).length, 1);
  assert.equal(mismatches([1], [1, 2]).length, 1);
  assert.throws(() => mismatches({ $close_to: 1 }, 1), /no pattern/);
  assert.deepEqual(fill({ a: "${n}", b: "${n}-${m}" }, { n: 5 }), { a: 5, b: "5-${m}" });
});

test("a call with an unknown argument, an outcome without an error type or a wrong level of a log is noticed", () => {
  const headers = { apikey: "k", authorization: "Bearer k", "content-type": "application/json" };
  const problems = (rpc, body) => wireProblems([{ rpc, method: "POST", headers, body }], {}).length;
  assert.equal(problems("settle_jobs", { p_worker: "w", p_outcomes: [{ id: "1", attempt: 1, outcome: "completed", result: 1 }] }), 0);
  assert.equal(problems("settle_jobs", { p_worker: "w", p_outcomes: [], p_other: 1 }), 1);
  assert.equal(problems("settle_jobs", { p_worker: "w", p_outcomes: [{ id: "1", attempt: 1, outcome: "failed", error: { message: "m", retryable: true } }] }), 1);
  assert.equal(problems("heartbeat_jobs", { p_worker: "w", p_leases: [{ id: "1", attempt: 1, logs: [{ level: "loud", message: "m" }] }] }), 1);
});
