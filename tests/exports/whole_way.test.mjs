// A document becomes a PDF and is downloaded, on both runtimes with the built artefacts and a real worker.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import { author, readEvents, sample, startExports } from "./harness.mjs";

for (const runtime of ["workerd", "deno"]) {
  describe(`in ${runtime}`, () => {
    let stack, user, scratch;
    before(async () => {
      stack = await startExports(runtime, { runtime });
      user = await author(stack);
      scratch = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-exports-"));
    });
    after(async () => {
      fs.rmSync(scratch ?? "", { recursive: true, force: true });
      await stack?.destroy();
    });
    const sql = (text, values) => stack.postgres.query(text, values);
    const paused = async (work) => {
      await sql("update mill.queue set paused = true where queue = 'exports'");
      try {
        return await work();
      } finally {
        await sql("update mill.queue set paused = false where queue = 'exports'");
      }
    };

    test("a document is exported, and its PDF has selectable text, embedded fonts and metadata", async () => {
      const export_ = await user.order(await user.write("My / resume"), { template: "modern", options: { page_size: "Letter" } });
      const done = await user.ended(export_.id);
      assert.equal(done.status, "completed", JSON.stringify(done));
      assert.equal(done.progress, 100);
      assert.equal(done.file.pages, 1);
      const days = (new Date(done.file.expires_at) - new Date(done.finished_at)) / 86_400_000;
      assert.ok(Math.abs(days - 7) < 0.01, `${days} days`);

      const redirect = await user.open(`v1/exports/${export_.id}/download`, { redirect: "manual" });
      assert.equal(redirect.status, 302);
      const file = await fetch(redirect.headers.get("location")); // without a token: the URL is signed
      assert.equal(file.status, 200);
      assert.equal(file.headers.get("content-disposition"), "attachment; filename=\"My - resume.pdf\"; filename*=UTF-8''My%20-%20resume.pdf");
      const pdf = path.join(scratch, "one.pdf");
      fs.writeFileSync(pdf, Buffer.from(await file.arrayBuffer()));
      assert.equal(fs.statSync(pdf).size, done.file.size);
      const tool = (name, ...args) => execFileSync(name, [...args], { encoding: "utf8" });
      assert.match(tool("pdftotext", pdf, "-"), /Katharina Brandt[\s\S]*Havelwerk/);
      const info = tool("pdfinfo", pdf);
      assert.match(info, /Title:\s+My \/ resume/);
      assert.match(info, /Creator:\s+Gristmill/);
      assert.match(info, /Author:\s+Katharina Brandt/);
      assert.match(info, /CreationDate:/);
      assert.match(info, /612 x 792 pts \(letter\)/);
      const fonts = tool("pdffonts", pdf).trim().split("\n").slice(2);
      assert.ok(fonts.length > 0 && fonts.every((line) => / yes +(yes|no) +(yes|no) +\d+/.test(line)), fonts.join("\n"));
      assert.equal((await user.call("GET", `v1/exports/${export_.id}`)).json.file.downloads, 1);
    });

    test("the same document, version and options pending is the same export; another version is another", () => paused(async () => {
      const document = await user.write("Twice");
      const first = await user.order(document);
      assert.equal((await user.order(document)).id, first.id);
      assert.notEqual((await user.order(document, { template: "classic" })).id, first.id);
      await sql("update public.documents set data = '{}' where id = $1", [document]);
      assert.notEqual((await user.order(document)).id, first.id);
    }));

    test("a poll that would bring nothing new is a 304", () => paused(async () => {
      const { id } = await user.order(await user.write("Polled"));
      const first = await user.call("GET", `v1/exports/${id}`);
      const etag = first.headers.get("etag");
      const again = await user.open(`v1/exports/${id}`, { headers: { "if-none-match": etag } });
      assert.deepEqual([again.status, await again.text()], [304, ""]);
      await user.call("DELETE", `v1/exports/${id}`);
      const changed = await user.call("GET", `v1/exports/${id}`, { headers: { "if-none-match": etag } });
      assert.deepEqual([changed.status, changed.json.status], [200, "cancelled"]);
    }));

    test("events tell every step in order, and a reconnect misses nothing", async () => {
      const { id } = await user.order(await user.write("Watched"));
      const { events } = await readEvents(await user.open(`v1/exports/${id}/events`));
      assert.deepEqual(events.map(({ event, data }) => [event, data.progress]), [
        ["progress", 0], ["progress", 25], ["progress", 50], ["progress", 75], ["progress", 90], ["completed", 100]]);
      const ids = events.map((event) => event.id);
      assert.deepEqual(ids, [...ids].sort((a, b) => a - b));
      for (const [seen, event] of events.entries()) {
        const answer = await user.open(`v1/exports/${id}/events`, { headers: { "last-event-id": String(event.id) } });
        if (seen === events.length - 1) assert.equal(answer.status, 204);
        else assert.deepEqual((await readEvents(answer)).events, events.slice(seen + 1));
      }
    });

    test("a waiting export is cancelled at once, and its listeners hear of it", () => paused(async () => {
      const { id } = await user.order(await user.write("Unwanted"));
      const listening = user.open(`v1/exports/${id}/events`).then((answer) => readEvents(answer));
      const cancelled = await user.call("DELETE", `v1/exports/${id}`);
      assert.deepEqual([cancelled.status, cancelled.json.status], [200, "cancelled"]);
      assert.equal((await listening).events.at(-1).event, "cancelled");
      const again = await user.call("DELETE", `v1/exports/${id}`);
      assert.deepEqual([again.status, again.json.code], [409, "already_finished"]);
      assert.equal((await user.call("GET", `v1/exports/${id}/download`)).status, 409);
    }));

    test("a batch becomes a ZIP of safe and unique names that Info-ZIP and Python open", async () => {
      const titles = ["Lebenslauf Müller", "../../etc/passwd", "Resume", "Resume", "resume", "CON", "a/b\\c:d*e", "履歴書", ". .", "x".repeat(280)];
      const document_ids = [];
      for (const title of titles) document_ids.push(await user.write(title, sample("chinese")));
      const { json: batch, status } = await user.call("POST", "v1/exports/batch", { body: { document_ids, template: "minimal" } });
      assert.deepEqual([status, batch.total, batch.exports.map((one) => one.title)], [202, 10, titles]);
      const { events } = await readEvents(await user.open(`v1/exports/batch/${batch.id}/events`));
      assert.equal(events.filter((event) => event.event === "completed").length, 10);
      assert.equal((await user.call("GET", `v1/exports/batch/${batch.id}`)).json.completed, 10);

      const zip = path.join(scratch, "batch.zip");
      const answer = await user.open(`v1/exports/batch/${batch.id}.zip`);
      assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "application/zip"]);
      fs.writeFileSync(zip, Buffer.from(await answer.arrayBuffer()));
      assert.match(execFileSync("unzip", ["-t", zip], { encoding: "utf8" }), /No errors detected/);
      const names = JSON.parse(execFileSync("python3", ["-c",
        "import sys, json, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nassert all(z.read(i)[:5] == b'%PDF-' for i in z.infolist())\nprint(json.dumps(z.namelist()))", zip], { encoding: "utf8" }));
      assert.deepEqual(names, ["Lebenslauf Müller.pdf", "-..-etc-passwd.pdf", "Resume.pdf", "Resume (2).pdf", "resume (3).pdf",
        "_CON.pdf", "a-b-c-d-e.pdf", "履歴書.pdf", "document.pdf", `${"x".repeat(120)}.pdf`]);
    });

    test("a batch of which one is finished, one has failed and one waits is a 409 with counts, or a ZIP of the finished one", async () => {
      const document_ids = [await user.write("Finished"), await user.write("Failed"), await user.write("Waiting")];
      const put = (id, when) => sql("update mill.job_live set state = 'deferred', waits = true, run_at = now() + $2::interval where id = $1", [id, when]);
      const limit = (bytes) => sql("update mill.settings set value = $1 where key = 'exports.storage_limit_bytes'", [bytes]);
      const batch = await paused(async () => {
        const { json } = await user.call("POST", "v1/exports/batch", { body: { document_ids } });
        for (const { id } of json.exports.slice(1)) await put(id, "1 hour");
        return json;
      });
      const [finished, failed] = batch.exports;
      assert.equal((await user.ended(finished.id, 60_000)).status, "completed");
      await limit("100"); // too little for any
      try {
        await put(failed.id, "0 seconds");
        assert.equal((await user.ended(failed.id, 60_000)).status, "failed");
      } finally {
        await limit("104857600");
      }
      const whole = await user.call("GET", `v1/exports/batch/${batch.id}.zip`);
      assert.deepEqual([whole.status, whole.json.code, whole.json.done, whole.json.total], [409, "not_finished", 2, 3]);
      const part = await user.open(`v1/exports/batch/${batch.id}.zip?partial=1`);
      assert.equal(part.status, 200);
      const zip = path.join(scratch, "part.zip");
      fs.writeFileSync(zip, Buffer.from(await part.arrayBuffer()));
      assert.equal(execFileSync("python3", ["-c",
        "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint(z.namelist())", zip], { encoding: "utf8" }).trim(), "['Finished.pdf']");
      await user.call("DELETE", `v1/exports/${batch.exports[2].id}`);
    });

    test("a batch that has no file yet is a 409 with counts, in part as well", async () => {
      const [one, two] = [await user.write("Quick"), await user.write("Slow")];
      await paused(async () => {
        const { json: batch } = await user.call("POST", "v1/exports/batch", { body: { document_ids: [one, two] } });
        const early = await user.call("GET", `v1/exports/batch/${batch.id}.zip`);
        assert.deepEqual([early.status, early.json.code, early.json.done, early.json.total], [409, "not_finished", 0, 2]);
        await user.call("DELETE", `v1/exports/${batch.exports[0].id}`);
        const later = await user.call("GET", `v1/exports/batch/${batch.id}.zip`);
        assert.deepEqual([later.json.done, later.json.total], [1, 2]);
        assert.equal((await user.call("GET", `v1/exports/batch/${batch.id}.zip?partial=1`)).status, 409);
      });
    });

    test("the compatible routes still work", async () => {
      const document = await user.write("Compatible");
      const asked = await user.call("POST", "api/v1/export/pdf", { body: { documentId: document, templateSlug: "classic", options: { pageSize: "A4", anything: true } } });
      assert.equal(asked.status, 202);
      await user.ended(asked.json.jobId);
      const job = await user.call("GET", `api/v1/export/job/${asked.json.jobId}`);
      assert.deepEqual([job.json.status, job.json.progress], ["completed", 100]);
      assert.equal((await fetch(job.json.resultUrl)).status, 200);
      assert.equal((await user.open(`api/v1/export/download/${job.json.id}`, { redirect: "manual" })).status, 302);
      assert.equal((await user.call("DELETE", `api/v1/export/job/${asked.json.jobId}`)).status, 409);
      const { events } = await readEvents(await user.open(`api/v1/export/job/${asked.json.jobId}/stream`));
      assert.equal(events.at(-1).event, "completed");
      const batch = await user.call("POST", "api/v1/export/batch", { body: { documentIds: [document], options: {} } });
      assert.deepEqual([batch.status, batch.json.jobs.length], [202, 1]);
      await user.ended(batch.json.jobs[0].jobId);
      assert.equal((await user.open(`api/v1/export/batch/${batch.json.batchId}/download`)).status, 200);
    });

    test("history is listed newest first, a page at a time, and only one's own", async () => {
      const other = await author(stack);
      const document = await other.write("Listed");
      const ids = [];
      for (const template of ["minimal", "modern", "classic"]) ids.unshift((await other.order(document, { template })).id);
      const list = async (query) => (await other.call("GET", `v1/exports?${query}`)).json.map((one) => one.id);
      assert.deepEqual(await list("limit=2"), ids.slice(0, 2));
      assert.deepEqual(await list(`limit=2&before=${ids[1]}`), ids.slice(2));
      assert.ok(!(await list("")).some((id) => !ids.includes(id)));
    });

    test("what is another's looks like what does not exist", async () => {
      const other = await author(stack);
      const [document, absent] = [await user.write("Private"), randomUUID()];
      const { id } = await user.order(document);
      const { json: batch } = await user.call("POST", "v1/exports/batch", { body: { document_ids: [document] } });
      const requests = [["GET", "v1/exports/ID"], ["DELETE", "v1/exports/ID"], ["GET", "v1/exports/ID/events"], ["GET", "v1/exports/ID/download"],
        ["GET", "v1/exports/batch/BATCH"], ["GET", "v1/exports/batch/BATCH.zip"], ["GET", "v1/exports/batch/BATCH/events"]];
      for (const [method, route] of requests) {
        const asked = await other.call(method, route.replace("ID", id).replace("BATCH", batch.id));
        const unknown = await other.call(method, route.replace("ID", absent).replace("BATCH", absent));
        assert.deepEqual({ ...asked.json, correlation_id: "" }, { ...unknown.json, correlation_id: "" }, route);
        assert.equal(asked.status, 404, route);
      }
      const order = (document_id) => other.call("POST", "v1/exports", { body: { document_id } });
      const [foreign, none] = [await order(document), await order(absent)];
      assert.equal(foreign.status, 404);
      assert.deepEqual({ ...foreign.json, correlation_id: "" }, { ...none.json, correlation_id: "" });
    });

    const refused = [
      ["an unknown template", { template: "gothic" }, 400, "template"],
      ["margins over two inches", { options: { margins: { top: 3 } } }, 400, undefined],
      ["an unknown option", { options: { dpi: 300 } }, 400, "options.dpi"],
      ["a field that is not known", { colour: "red" }, 400, "colour"],
    ];
    for (const [what, more, status, field] of refused) {
      test(`${what} is refused by name`, async () => {
        const answer = await user.call("POST", "v1/exports", { body: { document_id: randomUUID(), ...more } });
        assert.deepEqual([answer.status, answer.json.code, answer.json.field], [status, "invalid_field", field]);
      });
    }
  });
}
