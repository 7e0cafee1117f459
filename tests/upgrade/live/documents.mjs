// Documents in every status and in every stage, waiting and being worked on.
import assert from "node:assert/strict";

import { ADA, BOB } from "./actors.mjs";

const STAGES = ["security", "ocr", "spatial", "pass1", "pass2", "pass3"];
const queueOf = (stage) => (stage.startsWith("pass") ? "ai" : "fast");
const BOX = [0, 0, 1, 1];
const PAGE = { number: 1, source: "plain", width: 100, height: 100, confidence: 0.9, text: "Ada Lovelace", words: [{ t: "Ada", b: BOX, c: 0.9, l: 1 }] };
const FOUND = {
  security: (work) => ({ page_count: 1, size: 5, sha256: "b".repeat(64), mime_type: "text/plain", place: work.keep_at }),
  ocr: () => ({ page_count: 1, pages: [PAGE] }),
  spatial: () => ({ blocks: [{ page: 1, kind: "line", text: "Ada Lovelace", box: BOX }] }),
  pass1: () => ({ entities: [{ kind: "person", text: "Ada Lovelace", page: 1, box: BOX, confidence: 0.9 }], usage: { tokens: 10, seconds: 1 } }),
  pass2: () => ({ facts: [{ kind: "patient", name: "name", value: { text: "Ada Lovelace" }, page: 1, box: BOX }], usage: { tokens: 10, seconds: 1 } }),
  pass3: () => ({ sentences: [{ text: "The letter is about Ada Lovelace.", facts: [1] }], timeline: [], usage: { tokens: 10, seconds: 1 } }),
};

/** What a stage finds in a document that it works on. */
export const found = (work) => FOUND[work.stage](work);

/** The steps of a document's way. */
function pipeline({ service, user, claim }) {
  const upload = async (owner, name) => {
    const { id, place } = await user(owner)("select public.begin_document_upload('text/plain', $1)", name);
    await user(owner)("select public.finish_document_upload($1, $2, 5, repeat('a', 64))", id, place);
    return id;
  };
  const begin = async (id, stage, worker) => {
    const job = await claim(queueOf(stage), (one) => one.payload.document_id === id, worker);
    const work = await service("select public.begin_document_stage(p_job => $1, p_worker => $2, p_attempt => $3)", job.id, job.worker, job.attempt);
    assert.equal(work.outcome, "work", JSON.stringify(work));
    return { job, work };
  };
  const finish = async ({ job, work }) => {
    const ok = await service("select public.finish_document_stage(p_job => $1, p_worker => $2, p_attempt => $3, p_result => $4)",
      job.id, job.worker, job.attempt, JSON.stringify(found(work)));
    assert.equal(ok, true);
  };
  /** A document whose stages before `stage` are done, so that `stage` waits. */
  const upTo = async (stage, name) => {
    const id = await upload(ADA, name);
    for (const earlier of STAGES.slice(0, STAGES.indexOf(stage))) await finish(await begin(id, earlier));
    return id;
  };
  return { upload, begin, finish, upTo };
}

export async function fill(actors) {
  const { service, user, settle } = actors;
  const { upload, begin, finish, upTo } = pipeline(actors);
  await user(ADA)("select public.begin_document_upload('text/plain', 'being uploaded.txt')");
  for (const stage of STAGES) {
    await upTo(stage, `waits for ${stage}.txt`);
    await begin(await upTo(stage, `in ${stage}.txt`), stage);
  }

  const done = await upTo("pass3", "completed.txt");
  await finish(await begin(done, "pass3"));
  const failed = await upTo("ocr", "failed.txt");
  await settle((await begin(failed, "ocr")).job, { outcome: "dead", error: { type: "ocr_failure", message: "unreadable" } });
  const infected = await begin(await upload(BOB, "infected.txt"), "security");
  await service(`select public.refuse_document(p_job => $1, p_worker => $2, p_attempt => $3, p_status => 'infected',
    p_error => '{"type": "infected", "reason": "infected", "message": "a test signature"}', p_place => $4, p_measured => $5)`,
    infected.job.id, infected.job.worker, infected.job.attempt, `quarantine/${infected.work.id}/x.txt`, JSON.stringify({ size: 5, sha256: "c".repeat(64) }));
  await user(BOB)("select public.begin_erase_document($1)", await upload(BOB, "being erased.txt"));
}

/** A worker has read one page, and was never heard of again. */
export async function lose(actors) {
  const { upTo, begin } = pipeline(actors);
  const id = await upTo("ocr", "lost in ocr.txt");
  const { job } = await actors.ago(3600, () => begin(id, "ocr", "worker-gone"));
  await actors.service("select public.save_document_page(p_job => $1, p_worker => $2, p_attempt => $3, p_page => $4)", job.id, job.worker, job.attempt, JSON.stringify(PAGE));
}
