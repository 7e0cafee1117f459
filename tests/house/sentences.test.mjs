// What people read without its surroundings stands alone: summaries of routes, descriptions of fields, error sentences, descriptions of SQL tests.
// Only patterns that are wrong in every place are looked for. docs/glossary.md has the words; the rest is judgement.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";

/** Tracked files under some paths, with their text. */
function read(...paths) {
  const names = execFileSync("git", ["ls-files", "-z", "--", ...paths], { cwd: root, encoding: "utf8" }).split("\0");
  return names.filter((name) => name && fs.statSync(path.join(root, name), { throwIfNoEntry: false })?.isFile()).map((name) => ({ name, text: fs.readFileSync(path.join(root, name), "utf8") }));
}

/** Rust without its tests: their texts are read by nobody. */
const rust = (...paths) => read(...paths).filter(({ name }) => name.endsWith(".rs") && !/(^|\/)(tests|on_wasm)\b/.test(name))
  .map(({ name, text }) => ({ name, text: text.split("#[cfg(test)]\nmod ")[0] }));

const STRING = String.raw`"((?:[^"\\]|\\.)*)"`;
const plain = (text) => text.replaceAll(/\\\n\s*/g, "").replaceAll("''", "'").replaceAll(/\s+/g, " ").trim();
const wordsOf = (text) => text.split(" ").filter((word) => /[\p{L}\p{N}{]/u.test(word));

/** What a pattern finds in files, as sentences with their places. */
const found = (files, pattern) => files.flatMap(({ name, text }) =>
  [...text.matchAll(pattern)].map((match) => ({ at: `${name}:${text.slice(0, match.index).split("\n").length}`, said: plain(match.slice(1).find((group) => group !== undefined)) })));
const bad = (sentences, isGood) => sentences.filter(({ said }) => !isGood(said)).map(({ at, said }) => `${at}: ${said}`);

// A sentence that goes on where another one ended.
const goesOn = (said) => /^(and|or|nor|but|which|that|whose|also|then|so (is|are|was|were|do|does|did))\b/i.test(said);
const hasCapital = (said) => /^[\p{Lu}\p{N}]/u.test(said);
// "100 calls a minute", but not "lasts a minute": the noun or the number before it makes the rate.
const COUNTED = "[0-9][0-9,.]*|calls|jobs|requests|rows|bytes|kB|MB|MiB|events|tokens|pages|exports|attempts|uploads|changes|messages|claims|refreshes|times";
const RATE = new RegExp(String.raw`\b(?:${COUNTED}) an? (?:second|minute|hour|day|week|month)\b(?! (?:after|before|later|ago|from))`, "i");
const rateOf = (text) => text.match(RATE)?.[0];

const summaryOf = new RegExp(String.raw`\.summary\(\s*${STRING}`, "g");
const answerOf = new RegExp(String.raw`\.(?:answers::<[^(]*>|answers_with|header::<[^(]*>|path_param::<[^(]*>|keyed)\([^"]*?(?:"[a-z/+_.-]*",\s*)?"([A-Za-z0-9][^"]*)"`, "g");
const isSummary = (said) => hasCapital(said) && wordsOf(said).length >= 3 && !goesOn(said) && !rateOf(said);

test("every summary of a route begins with a capital, has three words, and goes on from no other sentence", () => {
  const summaries = found(rust("functions", "shared/edge/src/alive.rs"), summaryOf);
  assert.ok(summaries.length > 50, `${summaries.length} summaries were read`);
  assert.deepEqual(bad(summaries, isSummary), []);
});

test("every answer, header and parameter of a route is described by two words that begin with a capital", () => {
  const described = found(rust("functions"), answerOf).filter(({ said }) => !/^(text|application)\//.test(said) && said !== "id");
  assert.ok(described.length > 60, `${described.length} descriptions were read`);
  assert.deepEqual(bad(described, (said) => /^(range|last-event-id)$/.test(said) || (hasCapital(said) && wordsOf(said).length >= 2 && !goesOn(said))), []);
});

/** The doc comments of the types that are described in OpenAPI, each as one sentence. */
function fieldsOf({ name, text }) {
  const types = [...text.matchAll(/#\[derive\([^\]]*JsonSchema[^\]]*\)\][\s\S]*?\n\}/g)];
  return types.flatMap((type) => [...type[0].matchAll(/(?:^ *\/\/\/.*\n)+/gm)]
    .map((comment) => ({ at: name, said: plain(comment[0].replaceAll(/^ *\/\/\/ ?/gm, "")) })));
}

// "Whose.", "Why.", "Of the request.": what they refer to is in another line.
const isField = (said) => wordsOf(said).length >= 2 && !goesOn(said) && !/^(of|as|for people|not before|by)\b/i.test(said);

test("every field in the OpenAPI documents is described by itself", () => {
  const fields = rust("functions", "shared/core", "shared/edge", "shared/rpc").flatMap(fieldsOf);
  assert.ok(fields.length > 150, `${fields.length} descriptions were read`);
  assert.deepEqual(bad(fields, isField), []);
});

test("every problem has a title of two words and a sentence of four that ends with a full stop", () => {
  const problems = read("shared/core/src/problem.rs", "shared/core/src/refusal.rs").map(({ name, text }) => ({ name, text: text.split("#[cfg(test)]")[0] }));
  const titles = found(problems.slice(0, 1), new RegExp(String.raw`^ +Self::\w+ => "([A-Z][^"]*)"`, "gm"));
  assert.ok(titles.length > 25, `${titles.length} titles were read`);
  assert.deepEqual(bad(titles, (said) => wordsOf(said).length >= 2 && !/^It /.test(said)), []);
  const sentences = found(problems, new RegExp(String.raw`(?:Problem::new\(\s*Code::\w+,\s*|let detail =\s*(?:format!\()?)${STRING}`, "g"));
  assert.ok(sentences.length > 10, `${sentences.length} sentences were read`);
  assert.deepEqual(bad(sentences, (said) => wordsOf(said).length >= 4 && hasCapital(said) && said.endsWith(".") && !/^It /.test(said)), []);
});

test("no error of a program goes on from another sentence or gives a rate without per", () => {
  const errors = found(rust("command", "migrate", "platform", "worker", "shared", "functions"), new RegExp(String.raw`#\[error\(\s*${STRING}`, "g"));
  assert.ok(errors.length > 200, `${errors.length} errors were read`);
  assert.deepEqual(bad(errors, (said) => !goesOn(said) && !rateOf(said)), []);
});

test("no exception of SQL, and no hint, goes on from another sentence or gives a rate without per", () => {
  const sql = read("sql").filter(({ name }) => name.endsWith(".sql") && name !== "sql/schema.sql" && !name.startsWith("sql/migrations/"));
  const raised = found(sql, /raise exception\s+'((?:[^']|'')*)'|\bhint\s*=\s*'((?:[^']|'')*)'/gi);
  assert.ok(raised.length > 200, `${raised.length} exceptions were read`);
  assert.deepEqual(bad(raised, (said) => !goesOn(said) && !rateOf(said)), []);
});

test("rates in docs and in comments of SQL say per second and per minute", () => {
  const docs = read("docs", "README.md", "ARCHITECTURE.md", "llms.txt").filter(({ name }) => /\.(md|txt)$/.test(name));
  const sql = read("sql").filter(({ name }) => name.endsWith(".sql") && name !== "sql/schema.sql" && !name.startsWith("sql/migrations/"));
  const lines = [
    ...docs.flatMap(({ name, text }) => text.split("\n").map((line, at) => ({ at: `${name}:${at + 1}`, said: line }))),
    ...sql.flatMap(({ name, text }) => text.split("\n").map((line, at) => ({ at: `${name}:${at + 1}`, said: line })).filter(({ said }) => /^\s*--|comment on/.test(said))),
  ];
  assert.deepEqual(lines.filter(({ said }) => rateOf(said)).map(({ at, said }) => `${at}: ${rateOf(said)}`), []);
});

// The description is the last text of an assertion: before the bracket that ends the statement.
const descriptionOf = /'((?:[^']|'')*)'\s*\)\s*(?:(?:from|where) [^;]*)?;/g;

test("every description of a SQL test stands alone: it begins with no word that goes on", () => {
  const described = found(read("tests/sql").filter(({ name }) => name.endsWith(".sql")), descriptionOf);
  assert.ok(described.length > 3000, `${described.length} descriptions were read`);
  assert.deepEqual(bad(described, (said) => !goesOn(said)), []);
});

test("a sentence that does not stand alone is found", () => {
  for (const said of ["and other paper", "Nor is none", "which can be downloaded", "so are margins", "also twice"]) assert.ok(goesOn(said), said);
  for (const said of ["an order is kept", "nothing remains", "the thing that was there", "another page size is refused"]) assert.ok(!goesOn(said), said);
  for (const said of ["As before", "How many", "one run of all steps", "Sends 5 calls a minute"]) assert.ok(!isSummary(said), said);
  for (const said of ["Whose.", "Of the request.", "And which version of it.", "For people."]) assert.ok(!isField(said), said);
  for (const said of ["100 a minute", "at 6,000 jobs a second of load", "only 5 exports a day"]) assert.ok(rateOf(said), said);
  for (const said of ["once a minute", "lasts a minute", "exports a month after they ended", "gets a second chance", "5 exports per day"]) assert.ok(!rateOf(said), said);
  const file = { name: "x.sql", text: "select is(1, 1, 'it''s so');\nselect ok(true, 'and more') from t;\n" };
  assert.deepEqual(found([file], descriptionOf), [{ at: "x.sql:1", said: "it's so" }, { at: "x.sql:2", said: "and more" }]);
});
