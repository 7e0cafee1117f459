// Every clause of the contract has a test that carries its number.
import assert from "node:assert/strict";
import { test } from "node:test";

import { readClauses, testNames, testsOf } from "./clauses.mjs";

const clauses = readClauses();
const names = testNames();

test("the list of clauses has every number of the contract, in order", () => {
  const range = (from, to) => Array.from({ length: to - from + 1 }, (_, at) => `K${from + at}`);
  const expected = [...range(1, 6), ...range(10, 14), "K14a", ...range(15, 22), ...range(30, 36), ...range(40, 52), ...range(60, 65), ...range(70, 74)];
  assert.deepEqual(clauses.map(({ clause }) => clause), expected);
});

for (const { clause, name } of clauses) {
  test(`clause ${clause.slice(1)} (${name}) is shown by a test that carries its number`, () => {
    assert.notEqual(testsOf(clause, names).length, 0, `no test name carries ${clause}`);
  });
}

test("a clause without a test is found", () => {
  assert.deepEqual(testsOf("K1", [{ file: "a", name: "K14: x" }, { file: "b", name: "K1a: x" }]), []);
  assert.deepEqual(testsOf("K14", [{ file: "a", name: "K14a: x" }]), []);
  assert.equal(testsOf("K71", [{ file: "a", name: "K70, K71: x" }]).length, 1);
});
