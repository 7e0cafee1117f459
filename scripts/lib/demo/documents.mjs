// The sample documents, each in three forms, uploaded as a person would, until their facts and narratives are there.
import fs from "node:fs";
import path from "node:path";

import { defaultFolder, samples } from "../samples/index.mjs";
import { compareFacts, f1 } from "../samples/score.mjs";

export const order = 20;
export const title = "Documents were read and understood";
export const way = "documents (wasm) → storage → security → OCR → spatial → three passes (container worker)";

// All five forms are among them, and it stays short: the bench reads all fifteen.
const FORMS = { "lab-report": ["born", "scan", "noisy"], prescription: ["born", "photo", "tiff"], "discharge-summary": ["born", "scan", "photo"] };

export async function show({ stack, user, until }) {
  const headers = { authorization: user.headers.authorization };
  const address = `${stack.url}/functions/v1/documents/v1/documents`;
  const started = performance.now();
  const chosen = samples(defaultFolder()).filter(({ document, form }) => FORMS[document].includes(form));
  const uploaded = await Promise.all(chosen.map(async (sample) => {
    const name = path.basename(sample.file);
    const answer = await fetch(`${address}?filename=${name}`, { method: "POST", headers, body: fs.readFileSync(sample.file) });
    if (answer.status !== 202) throw new Error(`upload answered ${answer.status}: ${await answer.text()}`);
    return { sample, name, id: (await answer.json()).id };
  }));
  const read = [];
  for (const { sample, name, id } of uploaded) {
    const document = await until(`${name} is read`, async () => {
      const found = await (await fetch(`${address}/${id}`, { headers })).json();
      if (["failed", "refused", "infected"].includes(found.status)) throw new Error(`${name} ended as ${found.status}: ${JSON.stringify(found.error)}`);
      return ["completed", "needs_review"].includes(found.status) && found;
    }, 180);
    read.push({ sample, document });
  }
  const lines = {};
  for (const kind of new Set(read.map(({ sample }) => sample.document))) {
    const forms = read.filter(({ sample }) => sample.document === kind);
    // The form with most pages tells most; of the others, how much they agree with what is true.
    const { document } = forms.reduce((best, one) => (one.document.facts.length > best.document.facts.length ? one : best));
    lines[kind] = [
      forms.map(({ sample, document }) => `${sample.form} ${(100 * f1(compareFacts(sample.facts, document.facts))).toFixed(0)}%`).join(", ") + "   F1 of the facts by form",
      ...factLines(document.facts),
      ...document.narrative.sentences.map(({ text }) => `“${text}”`),
    ];
  }
  lines.took = `${((performance.now() - started) / 1000).toFixed(1)} s for ${uploaded.length} documents`;
  return lines;
}

/** A line for each kind of fact. */
function factLines(facts) {
  const kinds = [...new Set(facts.map(({ kind }) => kind))];
  return kinds.map((kind) => `${kind.padEnd(10)} ${facts.filter((fact) => fact.kind === kind).map(inWords).join("; ")}`);
}

function inWords({ kind, name, value }) {
  const range = value.low != null && value.high != null ? `(${value.low}–${value.high})` : null;
  const parts = {
    patient: [value.birth_date && `born ${value.birth_date}`], date: [value.date], medication: [value.dose, value.unit, value.frequency],
    lab: [value.value, value.unit, range],
  }[kind] ?? [];
  return [name, ...parts].filter((part) => part != null).join(" ");
}
