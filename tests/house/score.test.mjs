// The score of understanding sees each kind of mistake that it is there to see.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { figures, judge } from "../../scripts/lib/bench/documents/tally.mjs";
import { compareFacts, f1, isAbnormal, lostSilently, precision, recall, statedAsCurrent, undoubted, wordRecall } from "../../scripts/lib/samples/score.mjs";

const fact = (kind, name, value = {}, rest = {}) => ({ kind, name, value, status: "current", page: 1, ...rest });
const drug = (rest = {}, other = {}) => fact("medication", "lisinopril", { dose: 10, unit: "mg", frequency: "once daily", ...rest }, other);
const lab = (rest = {}, other = {}) => fact("lab", "Potassium", { value: 5.9, unit: "mmol/L", low: 3.5, high: 5.1, ...rest }, other);
const isHit = (truth, found) => compareFacts([truth], [found]).hits === 1;

describe("a found fact is right only if all that matters of it is", () => {
  const cases = [
    ["the same medication", drug(), drug(), true],
    ["another dose", drug(), drug({ dose: 20 }), false],
    ["another unit", drug(), drug({ unit: "mcg" }), false],
    ["another frequency", drug(), drug({ frequency: "twice daily" }), false],
    ["no frequency where the page has one", drug(), drug({ frequency: null }), false],
    ["a frequency where the page has none", drug({ frequency: null }), drug(), false],
    ["another status", drug({}, { status: "stopped" }), drug(), false],
    ["another kind", drug(), { ...drug(), kind: "condition" }, false],
    ["another name", drug(), { ...drug(), name: "losartan" }, false],
    ["the name as it is written", drug(), { ...drug(), name: "zestril", written: " Lisinopril " }, true],
    ["another name that fits", drug({}, { also: ["zestril"] }), { ...drug(), name: "Zestril" }, true],
    ["what does not matter", drug(), drug({ quantity: 90, refills: 3, form: "tablet" }), true],
    ["both parts of a combination", drug({ dose: "24/26" }), drug({ dose: "24/26" }), true],
    ["one part of a combination", drug({ dose: "24/26" }), drug({ dose: 24 }), false],
    ["the parts of a combination with a hyphen between them", drug({ dose: "875/125" }), drug({ dose: "875-125" }), true],
    ["the parts of a combination in another order", drug({ dose: "875/125" }), drug({ dose: "125/875" }), false],
    ["the same result", lab(), lab(), true],
    ["a number as text", lab(), lab({ value: "5.90" }), true],
    ["another result", lab(), lab({ value: 5.8 }), false],
    ["another lower end", lab(), lab({ low: 3.6 }), false],
    ["another upper end", lab(), lab({ high: 5.2 }), false],
    ["a range of one side where there are two", lab(), lab({ low: null }), false],
    ["a unit in another notation", lab({ unit: "10^3/uL" }), lab({ unit: "K/uL" }), true],
    ["a unit that is another one", lab({ unit: "U/L" }), lab({ unit: "IU/L" }), false],
    ["a result without its comparator", lab({ value: 0.01, comparator: "<" }), lab({ value: 0.01 }), false],
    ["a comparator within the value", lab({ value: 0.01, comparator: "<" }), lab({ value: "<0.01" }), true],
    ["another birth date", fact("patient", "Ann Lee", { birth_date: "1970-02-01" }), fact("patient", "Ann Lee", { birth_date: "1970-01-02" }), false],
    ["a name in the order of the page", fact("patient", "Ann Lee"), fact("patient", "Lee, Ann"), false],
    ["another date", fact("date", "collected", { date: "2024-05-06" }), fact("date", "collected", { date: "2024-06-05" }), false],
    ["another label of a date", fact("date", "collected", { date: "2024-05-06" }), fact("date", "reported", { date: "2024-05-06" }), false],
    ["another day of an appointment", fact("appointment", "review", { date: "2024-05-06" }), fact("appointment", "review", { date: "2024-05-07" }), false],
    ["half of a blood pressure", fact("vital_sign", "blood pressure", { systolic: 120, diastolic: 80 }), fact("vital_sign", "blood pressure", { systolic: 120 }), false],
    ["an allergy with its reaction", fact("allergy", "latex", { reaction: "rash" }), fact("allergy", "latex", { reaction: "Rash" }), true],
    ["an allergy without its reaction", fact("allergy", "latex", { reaction: "rash" }), fact("allergy", "latex"), false],
    ["a reaction that the page does not have", fact("allergy", "latex"), fact("allergy", "latex", { reaction: "rash" }), true],
  ];
  for (const [what, truth, found, expected] of cases) test(`${what} is ${expected ? "right" : "wrong"}`, () => assert.equal(isHit(truth, found), expected));
});

test("what is missed lowers recall alone, what is invented precision alone", () => {
  const missed = compareFacts([drug(), lab()], [drug()]);
  assert.deepEqual([precision(missed), recall(missed)], [1, 0.5]);
  assert.match(missed.missed[0], /^lab Potassium/);
  const invented = compareFacts([drug()], [drug(), lab()]);
  assert.deepEqual([precision(invented), recall(invented)], [0.5, 1]);
  assert.match(invented.invented[0], /^lab Potassium/);
  assert.equal(f1(compareFacts([drug()], [])), 0);
  assert.deepEqual(missed.byKind, { medication: { hits: 1, truth: 1, found: 1 }, lab: { hits: 0, truth: 1, found: 0 } });
});

test("one found fact is right once, and what stands twice on a page is expected once", () => {
  const twice = compareFacts([drug()], [drug(), drug()]);
  assert.deepEqual([twice.hits, twice.found], [1, 2]);
  const repeated = compareFacts([drug(), drug()], [drug()]);
  assert.deepEqual([repeated.hits, repeated.truth], [1, 1]);
  const doses = compareFacts([drug(), drug({ dose: 20 })], [drug()]);
  assert.deepEqual([doses.hits, doses.truth], [1, 2]);
});

test("what careful readers may leave out costs nothing, and costs as any other fact when it is wrong", () => {
  const cough = fact("condition", "cough", {}, { status: "ruled_out", optional: true, kinds: ["condition", "finding"] });
  const counts = ({ hits, truth, found }) => [hits, truth, found];
  assert.deepEqual(counts(compareFacts([cough], [])), [0, 0, 0]);
  assert.deepEqual(counts(compareFacts([cough], [fact("finding", "cough", {}, { status: "ruled_out" })])), [0, 0, 0]);
  assert.deepEqual(counts(compareFacts([cough], [fact("condition", "cough")])), [0, 0, 1]);
  assert.equal(statedAsCurrent([cough], [fact("condition", "cough")]).length, 1);
});

test("a code whose beginning does not fit the words is a wrong code", () => {
  const truth = fact("condition", "acute bronchitis", {}, { codes: ["J20"] });
  const coded = (code) => compareFacts([truth], [{ ...fact("condition", "acute bronchitis"), code }]).wronglyCoded.length;
  assert.deepEqual([coded("J20.9"), coded("J42"), coded(null)], [0, 1, 0]);
});

describe("an abnormal result is lost silently", () => {
  const lost = (found, doubts) => lostSilently([lab()], found, doubts).length;
  test("when nobody says a word of it", () => assert.equal(lost([]), 1));
  test("when only another of its analyte is there", () => assert.equal(lost([lab({ value: 5.8 })]), 1));
  test("when it is shown as normal", () => assert.equal(lost([lab({ abnormal: "normal" })]), 1));
  test("when its range is read so that it looks normal", () => assert.equal(lost([lab({ high: 51 })]), 1));
  test("when the doubt is about another row", () => assert.equal(lost([], [{ reason: "row_not_understood", page: 1, text: "Sodium 152 mmol/L H" }]), 1));
  test("when the doubt is of another sort", () => assert.equal(lost([], [{ reason: "date_is_ambiguous", page: 1, text: "Potassium 5.9" }]), 1));
  test("when another page could not be read", () => assert.equal(lost([], [{ reason: "unread_page", page: 2 }]), 1));

  test("and is not when it is there as abnormal, though its unit is wrong", () => assert.equal(lost([lab({ unit: "mg/dL", abnormal: "high" })]), 0));
  test("and is not when its row is reported as not understood", () => assert.equal(lost([], [{ reason: "row_not_understood", page: 1, text: "Potassium H 5.9 ?? 3.5-5.1" }]), 0));
  test("and is not when the name is misread and the value is in the reported row", () => assert.equal(lost([], [{ reason: "row_not_understood", page: 1, text: "Potasslum H 5.9" }]), 0));
  test("and is not when its page is reported as unread", () => assert.equal(lost([], [{ reason: "unread_page", page: 1 }]), 0));
  test("and is not when flag and range disagree and a doubt says so", () => assert.equal(lost([lab({ abnormal: "normal" }, { doubts: [{ reason: "flag_and_range_disagree" }] })]), 0));
  test("which a normal result never is", () => assert.deepEqual(lostSilently([lab({ value: 4 })], []), []));
});

describe("what the page leaves in doubt is told without one", () => {
  const truth = [lab({ value: 4, flag: "high", abnormal: "normal" }, { doubt: "flag_and_range_disagree" })];
  const doubt = { reason: "flag_and_range_disagree", page: 1, text: "Potassium 4 H", fact: null };
  test("when nobody raises a doubt", () => assert.equal(undoubted(truth, [lab({ value: 4 })]).length, 1));
  test("when the doubt is for another reason", () => assert.equal(undoubted(truth, [], [{ ...doubt, reason: "low_confidence" }]).length, 1));
  test("when the doubt is about another row", () => assert.equal(undoubted(truth, [], [{ ...doubt, text: "Sodium 139 H" }]).length, 1));
  test("and is not when the fact has its doubt", () => assert.deepEqual(undoubted(truth, [lab({ value: 4 }, { doubts: [{ reason: doubt.reason }] })]), []));
  test("and is not when the document lists it", () => assert.deepEqual(undoubted(truth, [], [doubt]), []));
});

test("abnormal is what is said, flagged, or outside of a range of one or two sides", () => {
  const cases = [[{ value: 5.9 }, true], [{ value: 4 }, false], [{ value: 3 }, true], [{ value: 5.1 }, false], [{ value: 4, flag: "high" }, true], [{ value: 5.9, abnormal: "normal" }, false],
    [{ value: 6, low: null, high: 5 }, true], [{ value: 6, low: 59, high: null }, true], [{ value: 6, low: 5, high: null }, false], [{ value: "<0.01", low: 0.4 }, true], [{ value: "negative", low: null, high: null }, false]];
  for (const [value, expected] of cases) assert.equal(isAbnormal(lab(value)), expected, JSON.stringify(value));
});

describe("what does not hold is stated as current", () => {
  const stated = (truth, found) => statedAsCurrent([].concat(truth), [].concat(found)).length;
  for (const status of ["ruled_out", "stopped", "family"]) {
    test(`when its truth is ${status}`, () => assert.equal(stated(fact("condition", "stroke", {}, { status }), fact("condition", "stroke")), 1));
  }
  test("when a drug of an allergy is shown as taken", () => assert.equal(stated(fact("allergy", "aspirin"), fact("medication", "aspirin")), 1));
  test("when it is shown as changed", () => assert.equal(stated(drug({}, { status: "stopped" }), drug({}, { status: "changed" })), 1));
  test("when it is shown as of another kind", () => assert.equal(stated(fact("condition", "pneumothorax", {}, { status: "ruled_out" }), fact("finding", "pneumothorax")), 1));
  test("when the stopped dose is shown beside the one that is taken", () => assert.equal(stated([drug({}, { status: "stopped" }), drug({ dose: 20 })], drug()), 1));
  test("when a refuted allergy is shown as one", () => assert.equal(stated(fact("allergy", "latex", {}, { status: "ruled_out" }), fact("allergy", "latex")), 1));

  test("and is not when the patient has what a relative has", () => assert.equal(stated([fact("condition", "asthma", {}, { status: "family" }), fact("condition", "asthma")], fact("condition", "asthma")), 0));
  test("and is not when it is shown with its status", () => assert.equal(stated(fact("condition", "stroke", {}, { status: "ruled_out" }), fact("condition", "stroke", {}, { status: "ruled_out" })), 0));
  test("and is not when the allergy is shown as an allergy", () => assert.equal(stated(fact("allergy", "aspirin"), fact("allergy", "aspirin")), 0));
  test("and is not when another thing is current", () => assert.equal(stated(fact("condition", "stroke", {}, { status: "ruled_out" }), fact("condition", "gout")), 0));
});

test("a word counts as often as it was read", () => assert.equal(wordRecall(["a", "a", "b"], ["a", "c"]), 1 / 3));

test("the bench prints each half, by form, kind and layout, and how far the known half is ahead of the held-out one", () => {
  const document = (half, layout) => ({ half, kind: "clinic-note", layout, form: "text", template: { name: "note" } });
  const written = { facts: [drug(), lab()] };
  const judged = [judge(document("known", "a"), written, { facts: [drug(), lab()] }), judge(document("held-out", "b"), written, { facts: [drug()] })];
  const printed = new Map([...figures(judged, ["known", "held-out"])].map(({ metric, value }) => [metric, value]));
  assert.equal(printed.get("known: F1, all"), 1);
  assert.equal(printed.get("held-out: F1, all"), 2 / 3);
  assert.equal(printed.get("known less held-out: F1, all").toFixed(6), "0.333333");
  assert.equal(printed.get("known less held-out: F1, fact lab"), 1);
  assert.equal(printed.get("known less held-out: F1, document clinic-note").toFixed(6), "0.333333");
  assert.equal(printed.get("held-out: recall, text"), 0.5);
  assert.equal(printed.get("held-out: precision, text"), 1);
  assert.equal(printed.get("held-out: abnormal results lost silently"), 1);
  assert.equal(printed.get("known: F1, layout note a"), 1);
});
