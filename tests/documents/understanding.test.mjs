// What the reading crate understands of made-up documents, without a stack: the words are read by the worker's own programs, the facts are
// judged against what is true. A dozen documents of the known half in the default run; all of both halves in soak.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { GOAL, judge } from "../../scripts/lib/bench/documents/tally.mjs";
import { pagesOf, read, reader } from "../../scripts/lib/bench/documents/words.mjs";
import { documents, forms, HALVES, write } from "../../scripts/lib/samples/generate.mjs";
import { precision, recall, sum } from "../../scripts/lib/samples/score.mjs";
import { isSoak } from "../support.mjs";

const program = reader();

async function judged(chosen) {
  const all = [];
  for (const document of chosen) {
    const written = write(document);
    all.push(judge(document, written, await read(program, await pagesOf(document, written))));
  }
  return all;
}

// Of the known half each miss is shown. The other half is not looked at, so figures must do.
const shown = (half, all, list) => (half === "known" ? all.flatMap((one) => one[list].map((each) => `\n  ${one.document.id}: ${each}`)).slice(0, 40).join("") : "");

function holds(half, name, all, goal) {
  const score = sum(all);
  test(`precision on ${name} of the ${half} half is at least ${GOAL.precision}`, () =>
    assert.ok(precision(score) >= GOAL.precision, `${precision(score).toFixed(3)}; invented: ${shown(half, all, "invented")}`));
  test(`recall on ${name} of the ${half} half is at least ${goal}`, () =>
    assert.ok(recall(score) >= goal, `${recall(score).toFixed(3)}; missed: ${shown(half, all, "missed")}`));
  for (const [claim, list] of [["no abnormal result is lost silently", "lost"], ["nothing ruled out, stopped, of a relative or of an allergy is stated as current", "stated"], ["no code is given that does not fit the words", "wronglyCoded"],
    ["what the page leaves in doubt is told with its doubt", "undoubted"]]) {
    test(`${claim}, on ${name} of the ${half} half`, () => assert.equal(all.reduce((count, one) => count + one[list].length, 0), 0, shown(half, all, list)));
  }
}

if (isSoak) {
  for (const half of HALVES) {
    const all = await documents({ halves: [half] });
    for (const [name, isScan] of [["text", false], ["scan", true]]) {
      const some = await judged(all.filter(({ form }) => forms[form].isScan === isScan));
      if (some.length > 0) describe(`${half}, ${name}`, () => holds(half, name, some, GOAL[name]));
    }
  }
} else {
  // One layout of each kind, and a second of the two kinds that tables and statuses make hardest.
  const all = (await documents({ halves: ["known"] })).filter(({ form, seed }) => form === "text" && seed === 1);
  const first = all.filter(({ template, layout }) => layout === template.layouts[0]);
  const second = all.filter(({ kind, template, layout }) => ["lab-report", "discharge-summary"].includes(kind) && layout === template.layouts[1]);
  const some = await judged([...first, ...second]);
  test("the default run reads a dozen documents of ten kinds", () => assert.deepEqual([some.length, new Set(some.map(({ document }) => document.kind)).size], [12, 10]));
  describe("a dozen documents", () => holds("known", "text", some, GOAL.text));
}
