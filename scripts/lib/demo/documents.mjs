// The sample documents, uploaded as a person would, until their facts and narratives are there.
import fs from "node:fs";
import path from "node:path";

import { defaultFolder, samples } from "../samples/index.mjs";

export const order = 20;
export const title = "Documents were read and understood";
export const way = "upload (wasm) → storage → security → OCR → spatial → three passes (container worker)";

export async function show({ stack, user, until }) {
  const headers = { authorization: user.headers.authorization };
  const address = `${stack.url}/functions/v1/upload/v1/documents`;
  const started = performance.now();
  // One of each form, so that it stays short: the bench reads all fifteen.
  const chosen = samples(defaultFolder()).filter(({ document, form }) =>
    ["lab-report-born", "lab-report-photo", "prescription-scan", "prescription-tiff", "discharge-summary-noisy"].includes(`${document}-${form}`));
  const uploaded = await Promise.all(chosen.map(async (sample) => {
    const answer = await fetch(`${address}?filename=${path.basename(sample.file)}`, { method: "POST", headers, body: fs.readFileSync(sample.file) });
    if (answer.status !== 202) throw new Error(`upload answered ${answer.status}: ${await answer.text()}`);
    return { sample, id: (await answer.json()).id };
  }));
  const lines = {};
  for (const { sample, id } of uploaded) {
    const document = await until(`${path.basename(sample.file)} is completed`, async () => {
      const found = await (await fetch(`${address}/${id}`, { headers })).json();
      if (["failed", "refused", "infected"].includes(found.status)) throw new Error(`${path.basename(sample.file)} ended as ${found.status}: ${JSON.stringify(found.error)}`);
      return found.status === "completed" && found;
    });
    lines[path.basename(sample.file)] = [
      `${document.facts.length} facts: ${document.facts.slice(0, 4).map(({ kind, name }) => `${kind} ${name}`).join(", ")}, …`,
      ...document.narrative.sentences.map(({ text }) => text),
    ];
  }
  lines.took = `${((performance.now() - started) / 1000).toFixed(1)} s for ${uploaded.length} documents`;
  return lines;
}
