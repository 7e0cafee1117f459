// The generator of medical documents: what it makes can be judged by, in either half.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { documents, draw, forms, HALVES, seeded, templates, write } from "../../scripts/lib/samples/generate.mjs";
import { faults } from "../../scripts/lib/samples/writer.mjs";

const KINDS = ["lab-report", "discharge-summary", "prescription", "referral-letter", "radiology-report", "clinic-note", "medication-list", "immunisation-record", "operative-note", "emergency-note"];
const FACTS = ["patient", "provider", "date", "condition", "medication", "lab", "allergy", "procedure", "finding", "vital_sign", "immunisation", "appointment"];
const STATUSES = ["current", "stopped", "changed", "historical", "ruled_out", "suspected", "family", "planned"];
const halves = (await Promise.all(HALVES.map(async (half) => [half, await templates(half)]))).filter(([, all]) => all.length > 0);

for (const [half, all] of halves) {
  describe(`the ${half} half`, () => {
    test("has all ten kinds, each in two layouts or more", () => {
      assert.deepEqual([...new Set(all.map(({ kind }) => kind))].sort(), [...KINDS].sort());
      for (const { name, layouts } of all) assert.ok(layouts.length >= 2, name);
    });

    test("is at least 60 documents, among them text, clean scans, noisy scans and turned photos", async () => {
      const made = await documents({ halves: [half] });
      assert.ok(made.length >= 60, `${made.length} documents`);
      assert.deepEqual([...new Set(made.map(({ form }) => form))].sort(), Object.keys(forms).sort());
      assert.equal(new Set(made.map(({ id }) => id)).size, made.length);
    });

    for (const { name, layouts, write } of all) {
      test(`${name} says the same for the same seed, and another thing for another`, () => {
        for (const layout of layouts) {
          const said = (seed) => JSON.stringify(write(seeded(name, layout, seed), layout));
          assert.equal(said(1), said(1));
          assert.notEqual(said(1), said(2));
        }
      });

      test(`${name} states facts of known kinds and statuses, on pages that there are`, () => {
        for (const layout of layouts) {
          const { pages, facts } = write(seeded(name, layout, 1), layout);
          assert.ok(facts.some(({ kind }) => kind === "patient") && facts.length >= 5, layout);
          for (const fact of facts) {
            assert.ok(FACTS.includes(fact.kind) && STATUSES.includes(fact.status ?? "current") && fact.name, JSON.stringify(fact));
            assert.ok((fact.page ?? 1) >= 1 && (fact.page ?? 1) <= pages.length, JSON.stringify(fact));
            for (const key of ["date", "birth_date"]) if (fact.value?.[key]) assert.match(String(fact.value[key]), /^\d{4}(-\d\d(-\d\d)?)?$/);
          }
        }
      });
    }
  });
}

test("no text of the known half is cut off or lies on another", () => {
  const [, all] = halves.find(([half]) => half === "known");
  const found = all.flatMap(({ name, layouts, write }) => layouts.flatMap((layout) => Array.from({ length: 20 }, (_, seed) => faults(write(seeded(name, layout, seed), layout).pages).map((fault) => `${name} ${layout} ${seed}: ${fault}`)).flat()));
  assert.deepEqual(found, []);
});

test("text outside of the page and text over text are faults", () => {
  const item = (x, y, text) => ({ x, y, text, size: 11 });
  assert.equal(faults([[item(560, 100, "beyond the margin")]]).length, 1);
  assert.equal(faults([[item(54, 790, "too low")]]).length, 1);
  assert.equal(faults([[item(54, 100, "one text"), item(80, 102, "another")]]).length, 1);
  assert.deepEqual(faults([[item(54, 100, "one text"), item(200, 100, "another"), item(54, 112, "below")]]), []);
});

test("the same document is drawn into the same bytes, and a turned photo says in EXIF or in its pixels that it is turned", async () => {
  const all = await documents({ halves: ["known"], kind: "lab-report" });
  const photo = all.find(({ form }) => form === "turned");
  const written = write(photo);
  const bytes = draw(photo, written);
  assert.ok(bytes.equals(draw(photo, written)));
  assert.equal(bytes.readUInt16BE(0), 0xffd8);
  assert.ok(!bytes.equals(draw(photo, written, { upright: true })));
});
