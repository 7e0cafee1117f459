// Exports in every state, and the files that each has reserved, stored or left behind.
import assert from "node:assert/strict";

import { ADA, BOB } from "./actors.mjs";

export async function fill({ service, user, claim, settle }) {
  const request = async (owner, title) => {
    const document = await user(owner)("insert into public.documents (title, data) values ($1, '{\"basics\": {\"name\": \"A\"}}') returning id", title);
    return (await user(owner)("select public.request_export($1)", document)).id;
  };
  const begin = async (id) => {
    const job = await claim("exports", (found) => found.id === id);
    await service("select public.begin_export(p_job => $1, p_worker => $2, p_attempt => $3)", job.id, job.worker, job.attempt);
    return job;
  };
  const reserve = (job) => service("select public.reserve_export_file(p_job => $1, p_worker => $2, p_attempt => $3, p_size => 1000)", job.id, job.worker, job.attempt);
  const finish = async (id, title) => {
    const job = await begin(id);
    const path = await reserve(job);
    const ok = await service("select public.finish_export(p_job => $1, p_worker => $2, p_attempt => $3, p_path => $4, p_name => $5, p_pages => 2)",
      job.id, job.worker, job.attempt, path, `${title}.pdf`);
    assert.equal(ok, true);
  };

  await finish(await request(ADA, "completed"), "completed");
  const downloaded = await request(BOB, "downloaded");
  await finish(downloaded, "downloaded");
  await user(BOB)("select public.download_export($1)", downloaded);
  await settle(await begin(await request(ADA, "failed")), { outcome: "dead", error: { type: "render", message: "it cannot be set" } });
  await user(ADA)("select public.cancel_export($1)", await request(ADA, "cancelled"));
  const retrying = await begin(await request(BOB, "retrying"));
  await reserve(retrying); // its file is left behind
  await settle(retrying, { outcome: "failed", error: { type: "storage", message: "503", retryable: true } });
  await begin(await request(ADA, "begun"));
  await reserve(await begin(await request(ADA, "writing its file")));
  await request(ADA, "pending");
  const documents = [];
  for (const title of ["batch 1", "batch 2"]) documents.push(await user(BOB)("insert into public.documents (title) values ($1) returning id", title));
  await user(BOB)("select public.request_export_batch($1::uuid[])", documents);
}
