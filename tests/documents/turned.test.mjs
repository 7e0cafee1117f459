// Pages that lie otherwise than they are read: photos that say so by EXIF, scans that say nothing. One stack reads them all, side by side.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { documents, wordsOf } from "../../scripts/lib/samples/documents.mjs";
import { png, quarterTurns, rotate, storedAs, tiff, withOrientation } from "../../scripts/lib/samples/image.mjs";
import { jpeg, render } from "../../scripts/lib/samples/render.mjs";
import { wordRecall } from "../../scripts/lib/samples/score.mjs";
import { uploader } from "../documents.mjs";
import { startStack } from "../support.mjs";

const PATIENCE = 120_000;
const prescription = documents.find(({ name }) => name === "prescription");

describe("turned pages", () => {
  let stack, user;
  const read = {}; // what was read of each, by its name
  before(async () => {
    const { images: [page] } = render(prescription, 150);
    const files = { upright: png(page, 150) };
    for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) files[`EXIF orientation ${orientation}`] = withOrientation(jpeg(storedAs(page, orientation)), orientation);
    for (const times of [1, 2, 3]) files[`a scan turned by ${times * 90} degrees`] = png(quarterTurns(page, times), 150);
    for (const degrees of [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]) files[`a scan turned by ${degrees} degrees`] = png(rotate(page, degrees), 150);
    files["the second page of a TIFF, turned by 180 and 2 degrees"] = tiff([page, rotate(quarterTurns(page, 2), 2)], 150);
    files["a blank page"] = png({ ...page, data: Buffer.alloc(page.data.length, 250) }, 150);
    stack = await startStack("turned", { parts: ["gateway", "storage", "workerd", "work"], functions: ["documents"] });
    user = await uploader(stack);
    await Promise.all(Object.entries(files).map(async ([name, file]) => {
      const { json } = await user.upload(file);
      const document = await user.ended(json.id, PATIENCE);
      const { rows } = await stack.postgres.query(`select p.orientation, p.turned, p.text, p.width, p.height,
        (select json_agg(json_build_object('text', w.text, 'box', w.box)) from public.document_words w where w.document_id = p.document_id and w.page_number = p.page_number) as words
        from public.document_pages p where p.document_id = $1 order by p.page_number desc limit 1`, [json.id]);
      read[name] = { document, page: rows[0] };
    }));
  });
  after(async () => {
    await stack?.destroy();
  });

  const truth = wordsOf(prescription, 1);
  const recall = (name) => wordRecall(truth, read[name].page.text.split(/\s+/));
  const readsLikeUpright = (name) => {
    const [found, upright] = [recall(name), recall("upright")];
    assert.ok(upright > 0.95, `the upright page is read: ${upright}`);
    assert.ok(found >= upright - 0.02, `${found} of the words, and ${upright} of the upright page`);
    // Its boxes are those of the page as it is shown upright: the first words stand at its head.
    const top = (words) => words.find(({ text }) => text.length > 4).box;
    const [here, there] = [top(read[name].page.words), top(read.upright.page.words)];
    assert.ok(here.every((side, at) => Math.abs(side - there[at]) < 0.09), `${here} is about ${there}`);
  };
  const reasons = (name) => read[name].document.doubts.map(({ reason }) => reason);

  for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
    test(`a photo with EXIF orientation ${orientation} reads like the upright page, and that is no doubt`, () => {
      const name = `EXIF orientation ${orientation}`;
      readsLikeUpright(name);
      assert.equal(read[name].page.orientation, orientation);
      assert.equal(read[name].page.turned, 0);
      assert.ok(!reasons(name).includes("turned_page_corrected"), `${reasons(name)}`);
    });
  }
  for (const degrees of [90, 180, 270]) {
    test(`a scan turned by ${degrees} degrees reads like the upright page, and its document says that it was turned`, () => {
      const name = `a scan turned by ${degrees} degrees`;
      readsLikeUpright(name);
      assert.equal(read[name].page.turned, 360 - degrees);
      assert.ok(reasons(name).includes("turned_page_corrected"), `${reasons(name)}`);
      assert.equal(read[name].document.status, "needs_review");
    });
  }
  for (const degrees of [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]) {
    test(`a scan that leans by ${degrees} degrees reads like the upright page, and the angle is kept`, () => {
      const name = `a scan turned by ${degrees} degrees`;
      readsLikeUpright(name);
      assert.ok(Math.abs(read[name].page.turned + degrees) < 0.15, `${read[name].page.turned}`);
      assert.ok(!reasons(name).includes("turned_page_corrected"), `${reasons(name)}`);
    });
  }
  test("a later page of a TIFF that lies upside down and leans is turned for itself", () => {
    const name = "the second page of a TIFF, turned by 180 and 2 degrees";
    readsLikeUpright(name);
    assert.ok(Math.abs(read[name].page.turned - 178) < 0.15, `${read[name].page.turned}`);
    assert.deepEqual(read[name].document.doubts.filter(({ reason }) => reason === "turned_page_corrected").map(({ page }) => page), [2]);
  });
  test("a blank page is no reason for a review", () => {
    assert.deepEqual([read["a blank page"].document.status, reasons("a blank page")], ["completed", []]);
  });
});
