// The held-out documents of the generator: what their facts say stands on their pages, and the pages can be printed.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { widthOf } from "../../scripts/lib/samples/held_out/kit/page.mjs";
import { random as numbers } from "../../scripts/lib/samples/image.mjs";

const folder = fileURLToPath(new URL("../../scripts/lib/samples/held_out/", import.meta.url));
const SEEDS = 20;

const templates = await Promise.all(fs.readdirSync(folder).filter((name) => name.endsWith(".mjs"))
  .map(async (name) => (await import(path.join(folder, name))).default));

function seeded(seed) {
  const next = numbers(seed);
  const int = (low, high) => low + Math.floor(next() * (high - low + 1));
  return { int, pick: (list) => list[int(0, list.length - 1)], chance: (share) => next() < share };
}

const documents = () => templates.flatMap((template) => template.layouts.flatMap((layout) =>
  Array.from({ length: SEEDS }, (_, seed) => ({ name: `${template.kind}, ${layout}, seed ${seed}`, again: () => template.write(seeded(seed), layout), ...template.write(seeded(seed), layout) }))));
const all = documents();
const textsOf = (items) => items.filter((item) => item.text !== undefined).map((item) => ({ ...item, right: item.x + widthOf(item.text, item.size, item.bold) }));
const fold = (text) => text.toLowerCase().replace(/\s+/g, " ");
const pageText = (document, page) => fold(textsOf(document.pages[page - 1]).map((item) => item.text).join(" "));

test("held-out templates cover ten kinds with at least three layouts each", () => {
  assert.equal(new Set(templates.map(({ kind }) => kind)).size, 10);
  assert.deepEqual(templates.filter(({ layouts }) => layouts.length < 3).map(({ kind }) => kind), []);
});

test("the same seed writes the same held-out document, and another seed another", () => {
  for (const document of all) assert.deepEqual(document.again().pages, document.pages, document.name);
  assert.equal(new Set(all.map(({ pages }) => JSON.stringify(pages))).size, all.length);
});

test("no text of a held-out document leaves its page or covers another text", () => {
  const wrong = all.flatMap((document) => document.pages.flatMap((items) => textsOf(items).flatMap((item, i, list) => [
    ...(item.x < 20 || item.right > 602 || item.y < 20 || item.y > 785 ? [`${document.name}: off the page: ${item.text}`] : []),
    ...list.slice(i + 1).filter((other) => Math.abs(item.y - other.y) < 0.8 * Math.min(item.size, other.size) && item.x < other.right && other.x < item.right)
      .map((other) => `${document.name}: ${item.text} covers ${other.text}`)])));
  assert.deepEqual(wrong, []);
});

test("each fact of a held-out document has one of its names on its page", () => {
  // The names of dates and appointments are labels, which a page may leave out.
  const wrong = all.flatMap((document) => document.facts.filter(({ kind }) => !["date", "appointment"].includes(kind))
    .filter(({ name, also = [], page }) => ![name, ...also].some((known) => pageText(document, page).includes(fold(known))))
    .map((fact) => `${document.name}: ${JSON.stringify(fact)}`));
  assert.deepEqual(wrong, []);
});

test("each number and each year of a held-out document's facts stands on the fact's page", () => {
  const numbersOf = ({ kind, value }) => ({ lab: [value.value, value.low, value.high], medication: [value.dose, value.previous?.dose], vital_sign: [value.value, value.systolic, value.diastolic] }[kind]
    ?? []).filter((number) => number !== null && number !== undefined);
  const yearsOf = ({ value }) => [value.date, value.birth_date].filter(Boolean).map((date) => date.slice(0, 4));
  const stands = (number, text) => {
    const digits = String(number).replace(/\//g, "-").replace(/[.]/g, "\\.");
    return new RegExp(`(^|[^\\d.])${digits}${digits.includes(".") ? "0*" : "(\\.0+)?"}($|\\D)`).test(text.replace(/\//g, "-"));
  };
  const wrong = all.flatMap((document) => document.facts
    .filter((fact) => !numbersOf(fact).every((number) => stands(number, pageText(document, fact.page))) || !yearsOf(fact).every((year) => pageText(document, fact.page).includes(year)))
    .map((fact) => `${document.name}: ${JSON.stringify(fact)}`));
  assert.deepEqual(wrong, []);
});

test("no held-out document states one fact twice", () => {
  const twice = all.filter(({ facts }) => new Set(facts.map(({ kind, name, value }) => JSON.stringify([kind, name, value]))).size < facts.length);
  assert.deepEqual(twice.map(({ name }) => name), []);
});
