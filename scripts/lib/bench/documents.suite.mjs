// reading and understanding the samples, beside bare tesseract; a thousand uploads at once
import { spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

import { defaultFolder, samples } from "../samples/index.mjs";
import { assemble } from "../samples/pdf.mjs";
import { compareFacts, f1, wordRecall } from "../samples/score.mjs";
import { peakMegabytes } from "../../../sdk/local/stack/memory.mjs";
import { root } from "../../../sdk/local/stack/paths.mjs";
import { Stack } from "../../../sdk/local/stack/stack.mjs";
import { drawBoxes } from "./documents/picture.mjs";
import { median } from "./engine/median.mjs";

export const parts = ["accuracy", "speed", "uploads"];

export default async function* measure({ progress, only }) {
  const stack = new Stack(`bench-documents-${process.pid}`, {
    parts: ["gateway", "relay", "storage", "workerd", "work"], onStep: (part) => progress(`starting ${part}`) });
  try {
    await stack.start();
    const user = await person(stack);
    if (only === null || only === "accuracy") yield* accuracy(stack, user, progress);
    if (only === null || only === "speed") yield* speed(stack, user, progress);
    if (only === null || only === "uploads") yield* uploads(stack, user, progress);
  } finally {
    progress("stopping");
    await stack.destroy();
  }
}

async function person(stack) {
  const headers = { authorization: `Bearer ${await stack.token({ role: "authenticated", sub: randomUUID() })}` };
  const address = `${stack.url}/functions/v1/documents/v1/documents`;
  const upload = async (body) => {
    const answer = await fetch(address, { method: "POST", headers, body });
    return { ...(await answer.json()), http: answer.status };
  };
  const ended = async (id, pause = 50) => {
    for (const deadline = Date.now() + 600_000; Date.now() < deadline; await new Promise((resolve) => setTimeout(resolve, pause))) {
      const document = await (await fetch(`${address}/${id}`, { headers })).json();
      if (["completed", "needs_review", "failed", "refused", "infected"].includes(document.status)) return document;
    }
    throw new Error(`document ${id} was not done after 10 minutes`);
  };
  return { upload, ended };
}

async function* accuracy(stack, user, progress) {
  progress("making the samples");
  const all = samples(defaultFolder());
  const uploaded = await Promise.all(all.map(async (sample) => ({ sample, ...(await user.upload(fs.readFileSync(sample.file))) })));
  const groups = {};
  for (const [at, { sample, id }] of uploaded.entries()) {
    progress(`reading ${at + 1} of ${uploaded.length}`);
    const document = await user.ended(id);
    if (!["completed", "needs_review"].includes(document.status)) throw new Error(`${sample.file} ended as ${document.status}: ${JSON.stringify(document.error)}`);
    const { rows } = await stack.postgres.query("select text from public.document_words where document_id = $1 order by page_number, word_number", [id]);
    const group = (groups[sample.form] ??= { recalls: [], hits: 0, truth: 0, found: 0, isClean: sample.isClean });
    group.recalls.push(wordRecall(sample.words, rows.map((row) => row.text)));
    const score = compareFacts(sample.facts, document.facts);
    for (const name of ["hits", "truth", "found"]) group[name] += score[name];
    for (const fact of score.missed) yield { note: `${path.basename(sample.file)} missed ${fact}` };
    for (const fact of score.invented) yield { note: `${path.basename(sample.file)} invented ${fact}` };
    if (sample.document === "lab-report" && sample.form === "noisy") yield* picture(stack, id, sample);
  }
  const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  for (const [form, group] of Object.entries(groups)) {
    const limit = group.isClean ? 0.97 : 0.85;
    const recall = mean(group.recalls);
    yield { metric: `word recall, ${form}`, value: recall, unit: "share", peer: `at least ${limit}`, ratio: recall / limit };
    yield { metric: `fact F1, ${form}`, value: f1(group), unit: "", ...(group.isClean && { peer: "at least 0.9", ratio: f1(group) / 0.9 }) };
  }
  const clean = Object.values(groups).filter(({ isClean }) => isClean)
    .reduce((sum, one) => ({ hits: sum.hits + one.hits, truth: sum.truth + one.truth, found: sum.found + one.found }));
  yield { metric: "fact F1, all clean forms", value: f1(clean), unit: "", peer: "at least 0.9", ratio: f1(clean) / 0.9 };
}

async function* picture(stack, id, sample) {
  const { rows: words } = await stack.postgres.query("select box from public.document_words where document_id = $1 and page_number = 1", [id]);
  const { rows: facts } = await stack.postgres.query("select box from public.document_facts where document_id = $1 and page_number = 1", [id]);
  const file = path.join(root, "build/bench/documents-boxes.png");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, drawBoxes(sample.file, words.map(({ box }) => box), facts.map(({ box }) => box)));
  yield { note: `words and facts on their page: ${path.relative(root, file)}` };
}

// The stage of the worker, from claim to settled by the database's clock, beside the bare program on the same file; and the
// processor time of the whole worker, every stage and its idle looks at the queue included, beside the program's.
async function* speed(stack, user, progress) {
  const scans = samples(defaultFolder()).filter(({ form }) => form === "scan");
  const [bare, staged] = [[], []].map(() => ({ wall: [], cpu: [] }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { file } of scans) {
      progress(`round ${round + 1} of ${ROUNDS}, ${path.basename(file)}`);
      const { wall, cpu } = tesseract(file);
      bare.wall.push(wall);
      bare.cpu.push(cpu);
      const before = cpuMilliseconds(stack.parts.work.pid);
      const { id } = await user.upload(fs.readFileSync(file));
      await user.ended(id, 300);
      staged.cpu.push(cpuMilliseconds(stack.parts.work.pid) - before);
      const { rows } = await stack.postgres.query(
        "select extract(epoch from finished_at - started_at) * 1000 as ms from mill.job where kind = 'fast_queue_ocr' and payload ->> 'document_id' = $1", [id]);
      staged.wall.push(Number(rows[0].ms));
    }
  }
  for (const [kind, name, what] of [["wall", "time", "OCR stage, the same page, time"], ["cpu", "processor time", "worker, all stages of the same page, processor time"]]) {
    const ratios = staged[kind].map((ms, at) => ms / bare[kind][at]);
    yield { metric: `bare tesseract, a page, ${name}`, value: median(bare[kind]), unit: "ms" };
    yield { metric: what, value: median(staged[kind]), unit: "ms", peer: "bare, limit 1.1", ratio: median(ratios) };
  }
}

const ROUNDS = 5;

function tesseract(file) {
  const started = performance.now();
  const run = "TIMEFORMAT='%U %S'; time tesseract \"$0\" stdout -l eng --dpi 300 --psm 3 tsv >/dev/null 2>&1";
  const { stderr } = spawnSync("bash", ["-c", run, file], { env: { ...process.env, OMP_THREAD_LIMIT: "1" }, encoding: "utf8" });
  const wall = performance.now() - started;
  return { wall, cpu: stderr.trim().split(" ").reduce((sum, seconds) => sum + Number(seconds) * 1000, 0) };
}

// Its own and that of the children it has waited for. Linux counts in hundredths of a second.
function cpuMilliseconds(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

async function* uploads(stack, user, progress) {
  const COUNT = 1000;
  progress(`${COUNT} uploads at once`);
  // Nothing is processed meanwhile: what is measured is the front door.
  await stack.postgres.query("update mill.queue set paused = true where queue = 'fast'");
  const before = { workerd: peakMegabytes(stack.parts.workerd.pid), work: peakMegabytes(stack.parts.work.pid) };
  const bodies = Array.from({ length: COUNT }, () => padded(200 * 1024));
  const started = performance.now();
  const answers = await Promise.all(bodies.map(user.upload));
  const seconds = (performance.now() - started) / 1000;
  const accepted = answers.filter(({ http }) => http === 202).length;
  const ids = answers.map(({ id }) => id);
  const { rows } = await stack.postgres.query("select storage_path from public.shell_files where id = any ($1) and status = 'uploaded'", [ids]);
  const stored = await everything(stack);
  const { rows: named } = await stack.postgres.query("select storage_path from public.shell_files where storage_path is not null");
  const known = new Set(named.map(({ storage_path }) => storage_path));
  yield { metric: "uploads of 200 KB at once, accepted", value: accepted, unit: `of ${COUNT}` };
  yield { metric: "registered", value: rows.length, unit: `of ${COUNT}` };
  yield { metric: "objects that no row names", value: stored.filter((key) => !known.has(key)).length, unit: "" };
  yield { metric: "throughput", value: COUNT / seconds, unit: "uploads/s" };
  yield { metric: "peak memory of workerd", value: peakMegabytes(stack.parts.workerd.pid), unit: "MB", peer: `${before.workerd.toFixed(0)} MB before` };
  yield { metric: "peak memory of the worker", value: peakMegabytes(stack.parts.work.pid), unit: "MB", peer: `${before.work.toFixed(0)} MB before` };
}

// A PDF of one page and as many bytes as wanted, no two alike.
function padded(size) {
  const noise = randomBytes(size - 600);
  return assemble([
    Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"), Buffer.from("<< /Type /Pages /Count 1 /Kids [3 0 R] >>"),
    Buffer.from("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>"),
    Buffer.concat([Buffer.from(`<< /Length ${noise.length} >>\nstream\n`), noise, Buffer.from("\nendstream")])]);
}

async function everything(stack) {
  const keys = [];
  let cursor = null;
  do {
    const answer = await fetch(`${stack.url}/storage/v1/object/list-v2/gristmill`, {
      method: "POST", headers: { authorization: `Bearer ${stack.serviceKey}`, "content-type": "application/json" }, body: JSON.stringify({ limit: 1000, cursor }) });
    const part = await answer.json();
    keys.push(...part.objects.map(({ name }) => name));
    cursor = part.nextCursor ?? null;
  } while (cursor);
  return keys;
}
