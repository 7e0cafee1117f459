// Makes medical documents with what is true of them, by template, layout, seed and form; the same seed makes the same document.
//   node scripts/lib/samples/generate.mjs [--half known|held-out] [--kind KIND] [--seed N] [--out FOLDER]
// Without --out it lists what there is. With --out it writes each document and, beside it, its facts as JSON.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { noise, photograph, png, quarterTurns, random as numbers, rotate, withOrientation } from "./image.mjs";
import { cache } from "./index.mjs";
import { imagePdf } from "./pdf.mjs";
import { DPI, jpeg, render } from "./render.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const FOLDERS = { known: "templates", "held-out": "held_out" };
export const HALVES = Object.keys(FOLDERS);

/** The templates of one half: {name, half, kind, layouts, write}. A file without a `write` is a helper of others. */
export async function templates(half) {
  const folder = path.join(here, FOLDERS[half]);
  if (!fs.existsSync(folder)) return [];
  const files = fs.readdirSync(folder).filter((file) => file.endsWith(".mjs")).sort();
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(path.join(folder, file)).href)));
  return modules.flatMap(({ default: template }, at) => (template?.write ? [{ ...template, name: path.basename(files[at], ".mjs"), half }] : []));
}

/** What templates draw from. */
export function seeded(...seed) {
  const next = numbers(createHash("sha256").update(seed.join("|")).digest().readUInt32LE(0));
  const int = (low, high) => low + Math.floor(next() * (high - low + 1));
  return {
    int,
    pick: (list) => list[int(0, list.length - 1)],
    chance: (probability) => next() < probability,
    shuffle: (list) => list.map((one) => [next(), one]).sort((a, b) => a[0] - b[0]).map(([, one]) => one),
    // No day above 28, so that every day exists in every month.
    date: (fromYear, toYear) => `${int(fromYear, toYear)}-${String(int(1, 12)).padStart(2, "0")}-${String(int(1, 28)).padStart(2, "0")}`,
  };
}

/** How a document reaches us. `pages` is how many of its pages are in the file. */
export const forms = {
  text: { extension: "pdf", isScan: false, pages: Infinity, make: ({ pdf }) => pdf },
  scan: { extension: "png", isScan: true, pages: 1, make: ({ images }) => png(images[0], DPI) },
  noisy: { extension: "pdf", isScan: true, pages: Infinity,
    make: ({ images, next }) => {
      const degrees = (1 + next()) * (next() < 0.5 ? -1 : 1);
      return imagePdf(images.map((image) => noise(rotate(image, degrees), next)), DPI);
    } },
  turned: { extension: "jpg", isScan: true, pages: 1,
    make: ({ images, next }) => {
      const [, quarters, orientation] = turning(next);
      const picture = jpeg(quarterTurns(photograph(images[0], next), (quarters + 4) % 4));
      return orientation === null ? picture : withOrientation(picture, orientation);
    },
    upright: ({ images, next }) => {
      turning(next);
      return jpeg(photograph(images[0], next));
    } },
};

// By how many right angles the pixels are turned, and what EXIF says of them; null where it says nothing.
const turnings = [["exif", 3, 6], ["exif", 1, 8], ["exif", 2, 3], ["turned", 1, null], ["turned", 2, null], ["turned", 3, null]];
const turning = (next) => turnings[Math.floor(next() * turnings.length)];

// Each layout twice as text, once as a clean scan and once as what is harder to read.
const plan = (at) => [["text", 1], ["text", 2], ["scan", 3], [at % 2 === 0 ? "noisy" : "turned", 4]];

/** Every document of the bench: {id, half, kind, template, layout, seed, form}, with a `seed` of one's choice in all forms instead. */
export async function documents({ halves = HALVES, kind = null, seed = null } = {}) {
  const found = (await Promise.all(halves.map(templates))).flat().filter((template) => kind === null || template.kind === kind);
  return found.flatMap((template, t) => template.layouts.flatMap((layout, l) =>
    (seed === null ? plan(t + l) : Object.keys(forms).map((form) => [form, seed])).map(([form, number]) => ({
      id: `${template.name}-${layout}-${number}-${form}`, half: template.half, kind: template.kind, template, layout, seed: number, form }))));
}

/** What a document says and what is true of it, as far as its form shows it. */
export function write({ template, layout, seed, form }) {
  const { pages, facts, language = "en" } = template.write(seeded(template.name, layout, seed), layout);
  const shown = Math.min(pages.length, forms[form].pages);
  return { pages: pages.slice(0, shown), facts: facts.filter((fact) => (fact.page ?? 1) <= shown), language };
}

/** The bytes of a document in its form; `upright`: a turned photo before it was turned. */
export function draw(document, written, { upright = false } = {}) {
  const form = forms[document.form];
  const make = upright ? form.upright ?? form.make : form.make;
  return make({ ...render(written), next: numbers(createHash("sha256").update(document.id).digest().readUInt32LE(0)) });
}

/** Makes the file where it is missing; its name says what it was made of, so a changed template makes another. */
export function made(document, written, options = {}) {
  const code = ["generate.mjs", "image.mjs", "pdf.mjs", "render.mjs"].map((file) => fs.readFileSync(path.join(here, file)));
  const key = createHash("sha256").update(JSON.stringify(written.pages)).update(Buffer.concat(code)).digest("hex").slice(0, 12);
  const folder = path.join(cache(), "understanding");
  const file = path.join(folder, `${document.half}-${document.id}${options.upright ? "-upright" : ""}-${key}.${forms[document.form].extension}`);
  if (!fs.existsSync(file)) {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(`${file}.${process.pid}`, draw(document, written, options));
    fs.renameSync(`${file}.${process.pid}`, file);
  }
  return file;
}

async function main() {
  const { values } = parseArgs({ options: { half: { type: "string" }, kind: { type: "string" }, seed: { type: "string" }, out: { type: "string" } } });
  if (values.half !== undefined && !HALVES.includes(values.half)) stop(`there is no half '${values.half}'; there are ${HALVES.join(", ")}`);
  if (values.seed !== undefined && !/^\d+$/.test(values.seed)) stop(`a seed is a whole number, not '${values.seed}'`);
  const chosen = await documents({ halves: values.half ? [values.half] : HALVES, kind: values.kind ?? null, seed: values.seed === undefined ? null : Number(values.seed) });
  if (chosen.length === 0) stop("no template fits; leave out --kind to see which kinds there are");
  for (const document of chosen) {
    const written = write(document);
    console.log(`${document.half}  ${document.id}.${forms[document.form].extension}  ${document.kind}, ${written.pages.length} of its pages, ${written.facts.length} facts`);
    if (values.out === undefined) continue;
    const base = path.join(values.out, document.half, document.id);
    fs.mkdirSync(path.dirname(base), { recursive: true });
    fs.writeFileSync(`${base}.${forms[document.form].extension}`, draw(document, written));
    fs.writeFileSync(`${base}.json`, `${JSON.stringify({ kind: document.kind, layout: document.layout, language: written.language, facts: written.facts }, null, 2)}\n`);
  }
}

function stop(message) {
  console.error(`error: ${message}`);
  process.exit(2);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
