// The screens of applications, as operators use them. What the worker would have written is written by SQL: reading documents is tested in tests/documents.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import fs from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";

import { startConsole } from "./support.mjs";

const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const DOCUMENT = "44444444-4444-4444-8444-444444444441";
const DOUBTED = "44444444-4444-4444-8444-444444444449";
const PROFILE = "33333333-3333-4333-8333-333333333333";

let console;
before(async () => {
  console = await startConsole("applications", { applications: "all" });
  await console.stack.postgres.query(`
    insert into public.user_profiles (id, user_id, is_default) values ('${PROFILE}', '11111111-1111-4111-8111-111111111111', true);
    insert into public.shell_files (id, patient_id, filename, original_filename, mime_type, file_size_bytes, storage_path, status, stage, created_at, updated_at, uploaded_at, scanned_at, page_count)
      select ('44444444-4444-4444-8444-44444444444' || n)::uuid, '${PROFILE}', 'f', case n when 1 then 'report <b>of Ada</b>.png' else n || '.pdf' end, 'image/png', 4096,
        '${PROFILE}/44444444-4444-4444-8444-44444444444' || n || '/f', case n when 3 then 'failed' else 'completed' end, 'pass3', now() - n * interval '1 hour', now(), now() - n * interval '1 hour', now(), 2
      from generate_series(1, 3) n;
    insert into public.document_pages (document_id, page_number, source, width, height, text, confidence)
      select f.id, p, 'tesseract', 600, 800, 'Aspirin 100 mg', 0.95 from public.shell_files f, generate_series(1, 2) p;
    insert into public.document_words (document_id, page_number, word_number, text, box, confidence) values
      ('${DOCUMENT}', 1, 1, 'Aspirin', '{0.1,0.1,0.2,0.12}', 0.99), ('${DOCUMENT}', 1, 2, '100', '{0.22,0.1,0.25,0.12}', 0.4), ('${DOCUMENT}', 2, 1, 'Metformin', '{0.1,0.5,0.3,0.52}', 0.9);
    insert into public.document_facts (document_id, fact_number, kind, name, value, page_number, box, confidence) values
      ('${DOCUMENT}', 1, 'medication', 'Aspirin', '{"dose": "100", "unit": "mg"}', 1, '{0.1,0.1,0.25,0.12}', 0.95),
      ('${DOCUMENT}', 2, 'medication', 'Metformin', '{"dose": "500", "unit": "mg"}', 2, '{0.1,0.5,0.3,0.52}', 0.4);
    insert into public.shell_files (id, patient_id, filename, original_filename, mime_type, file_size_bytes, storage_path, status, stage, created_at, updated_at, uploaded_at, scanned_at, page_count)
      values ('${DOUBTED}', '${PROFILE}', 'f', 'letter.png', 'image/png', 4096, '${PROFILE}/${DOUBTED}/f', 'needs_review', 'pass3', now() - interval '40 days', now(), now() - interval '40 days', now(), 1);
    insert into public.document_pages (document_id, page_number, source, width, height, text, confidence, turned) values ('${DOUBTED}', 1, 'tesseract', 600, 800, 'STOP', 0.5, 182.4);
    insert into public.document_facts (document_id, fact_number, kind, name, value, page_number, box, confidence, status, written, decided_by, doubts) values
      ('${DOUBTED}', 1, 'medication', 'aspirin', '{"dose": 100}', 1, '{0.1,0.1,0.25,0.12}', 0.95, 'stopped', 'Aspirin 100', '{"text": "STOP", "page": 1, "box": [0,0,1,1]}', '[{"reason": "low_confidence"}]');
    insert into public.document_doubts (document_id, doubt_number, stage, reason, page_number, box, text, fact_number) values
      ('${DOUBTED}', 1, 'ocr', 'turned_page_corrected', 1, null, null, null), ('${DOUBTED}', 2, 'pass2', 'row_not_understood', 1, '{0.1,0.5,0.9,0.52}', 'K+ 5.9 ???', null);
    insert into mill.usage_of_month (profile_id, month, files_uploaded, pages, ai_tokens, ai_calls, updated_at)
      select '${PROFILE}', (date_trunc('month', now() at time zone 'utc') - m * interval '1 month')::date, 5, 120 - m, 1000, 10, now() from generate_series(0, 3) m;
    insert into public.supported_symbols (symbol) values ('AAPL') on conflict do nothing;
    insert into public.active_subscriptions_v2 (user_id, symbol, data_type) select '11111111-1111-4111-8111-111111111111'::uuid, 'AAPL', r.data_type from public.data_type_registry r;
    insert into public.api_data_usage (created_at, provider, data_type, calls, data_size_bytes) values (now() - interval '2 minutes', 'fmp', 'profile', 3, 3000);
    select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', false);
    insert into public.documents (id, owner, title, data) values ('55555555-5555-4555-8555-555555555555', '11111111-1111-4111-8111-111111111111', 'Resume', '{"basics": {"name": "Ada"}}');
    select public.request_export('55555555-5555-4555-8555-555555555555')`);
});
after(() => console?.close());
afterEach(() => console?.leave());

describe("documents", () => {
  test("what needs review stands first, with why", async () => {
    const page = await console.open({ role: "viewer", at: "/documents" });
    const review = page.getByRole("table", { name: "Needs review" });
    await review.getByText("report <b>of Ada</b>.png").waitFor();
    assert.equal(await review.getByRole("row").count(), 4, "a heading and three documents");
    assert.match(await review.getByRole("row").nth(1).innerText(), /letter\.png/, "the one that waits for a review, although it is the oldest");
    await review.getByText("a row was not understood").waitFor();
    await review.getByText("1 unsure fact").waitFor();
    await review.getByText("did not come through").waitFor();
    await page.getByRole("table", { name: "Everything else" }).getByText("2.pdf").waitFor();
    assert.equal(await page.getByText("Drop files here").count(), 0, "a viewer uploads nothing");
  });

  test("a viewer sees boxes and confidences, and no text", async () => {
    const page = await console.open({ role: "viewer", at: `/document/${DOCUMENT}` });
    await page.getByRole("img", { name: "Page 1: 2 words, 1 fact" }).waitFor();
    assert.equal(await page.locator(".sheet .word").count(), 2);
    assert.equal(await page.locator(".sheet .word.unsure").count(), 1);
    assert.equal(await page.getByText("Aspirin").count(), 0);
    assert.ok(await page.getByRole("button", { name: "Reveal" }).isDisabled());
  });

  test("an operator sees what is in doubt and whether each fact holds, and ends the review with a reason", async () => {
    const page = await console.open({ role: "operator", at: `/document/${DOUBTED}` });
    const doubts = page.getByRole("region", { name: "In doubt" });
    await doubts.getByText("a page was turned").waitFor();
    await doubts.getByText("a row was not understood").waitFor();
    assert.equal(await page.locator(".sheet .doubt-box").count(), 1, "the row stands on the page with a box of its own");
    await page.locator("#fact-1").getByText("stopped").waitFor();
    await page.locator("#fact-1").getByText("a fact is unsure").waitFor();
    await page.getByText("turned by 182.4°").waitFor();
    await doubts.getByRole("button", { name: "Confirm" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("compared with the paper");
    await page.getByRole("dialog").getByRole("button", { name: "Confirm" }).click();
    await page.getByRole("region", { name: "Review" }).getByText("confirmed").waitFor();
    await page.locator(".verdict").getByText("completed").waitFor();
    const [row] = (await console.stack.postgres.query("select status, review ->> 'note' as note from public.shell_files where id = $1", [DOUBTED])).rows;
    assert.deepEqual(row, { status: "completed", note: "compared with the paper" });
  });

  test("an admin reveals a document with a reason, and follows a fact to its box on another page", async () => {
    const page = await console.open({ role: "admin", at: `/document/${DOCUMENT}` });
    await page.getByRole("button", { name: "Reveal" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("a user asks");
    await page.getByRole("dialog").getByRole("button", { name: /Reveal/ }).click();
    await page.getByText("Revealed for ten minutes.").waitFor();
    await page.locator("#fact-2").getByText("500 mg").waitFor();
    await page.locator("#fact-2 button").click();
    await page.getByRole("img", { name: "Page 2: 1 word, 1 fact" }).waitFor();
    await page.locator(".fact-box.on.unsure").waitFor();
    assert.match(page.url(), /page=2/);
    await page.getByText("a user asks").waitFor(); // the audit rows
    await page.keyboard.press("[");
    await page.getByRole("img", { name: /^Page 1:/ }).waitFor();
  });
});

test("refresh shows freshness per type, calls beside their limit, and the quota with a forecast", async () => {
  const page = await console.open({ role: "viewer", at: "/refresh" });
  const types = page.getByRole("table", { name: "Data types" });
  await types.getByText("0 of 1").first().waitFor();
  await page.getByText(/of 19 GB in 30 days/).waitFor();
  await page.getByText(/the quota is not reached at this pace/).waitFor();
  await page.getByRole("table", { name: "Watched symbols" }).getByText("AAPL").waitFor();
});

test("exports of every user are listed; only an admin opens a PDF", async () => {
  const page = await console.open({ role: "operator", at: "/exports" });
  const row = page.getByRole("row").filter({ hasText: "Resume" });
  await row.getByText("pending").waitFor();
  await page.getByRole("button", { name: "Completed" }).click();
  await page.getByText("No export matches").waitFor();
});

test("usage shows who is over their plan, and a month that is chosen", async () => {
  const page = await console.open({ role: "viewer", at: "/usage" });
  await page.getByRole("table", { name: "Profiles" }).getByText("120 of 100").waitFor();
  const months = page.getByRole("group", { name: "Months" }).getByRole("button");
  assert.equal(await months.count(), 4);
  await months.first().click();
  await page.getByRole("table", { name: "Profiles" }).getByText("117 of 100").waitFor();
  assert.match(page.url(), /month=/);
});

for (const how of [{ dark: false, phone: false }, { dark: true, phone: false }, { dark: false, phone: true }]) {
  test(`screens of applications have no fault that axe finds${how.dark ? ", in the dark" : how.phone ? ", on a phone" : ""}`, async () => {
    for (const at of ["/documents", `/document/${DOCUMENT}`, "/refresh", "/exports", "/usage"]) {
      const page = await console.open({ at, ...how });
      await page.locator("main .panel").first().waitFor();
      await page.locator("main .skeleton").first().waitFor({ state: "detached" });
      // In a world of its own: the page's policy would not let it run there.
      const session = await page.context().newCDPSession(page);
      const { frameTree } = await session.send("Page.getFrameTree");
      const { executionContextId } = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id });
      await session.send("Runtime.evaluate", { contextId: executionContextId, expression: axe });
      const { result } = await session.send("Runtime.evaluate", { contextId: executionContextId, awaitPromise: true, returnByValue: true,
        expression: "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(({ html }) => html).join(' | ')}`))" });
      assert.deepEqual(result.value, [], at);
      if (how.phone) assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${at} is no wider than a phone`);
      await page.context().close();
    }
  });
}
