// The sample documents in five forms each, made once into a folder and the same on every machine with the same poppler.
//   node scripts/lib/samples/index.mjs FOLDER
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { documents, wordsOf } from "./documents.mjs";
import { noise, photograph, png, random, readPgm, rotate, tiff, webp } from "./image.mjs";
import { imagePdf, textPdf } from "./pdf.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const DPI = 300;

const forms = {
  born: { extension: "pdf", mime: "application/pdf", pages: 2, isClean: true, make: ({ pdf }) => pdf },
  scan: { extension: "png", mime: "image/png", pages: 1, isClean: true, make: ({ images }) => png(images[0], DPI) },
  noisy: { extension: "pdf", mime: "application/pdf", pages: 1, isClean: false,
    make: ({ images, next }) => imagePdf([noise(rotate(images[0], 1.4), next)], DPI) },
  photo: { extension: "jpg", mime: "image/jpeg", pages: 1, isClean: false,
    make: ({ images, next, folder }) => jpeg(photograph(images[0], next), folder) },
  tiff: { extension: "tif", mime: "image/tiff", pages: 2, isClean: true, make: ({ images }) => tiff(images, DPI) },
};

// What phones and browsers make besides: one document as each is enough to know that it is read.
const rareForms = {
  webp: { extension: "webp", mime: "image/webp", pages: 1, isClean: true, make: ({ images }) => webp(images[0]) },
  heic: { extension: "heic", mime: "image/heic", pages: 1, isClean: true, make: ({ images, folder }) => heic(images[0], folder) },
};

/** Makes what is missing and returns all: {document, form, file, mime, isClean, pages, facts, words}. */
export const samples = (folder) => make(folder, documents, forms);

/** The prescription in the rarer forms. */
export const rareSamples = (folder) => make(folder, documents.filter(({ name }) => name === "prescription"), rareForms);

function make(folder, chosen, forms) {
  fs.mkdirSync(folder, { recursive: true });
  return chosen.flatMap((document) => {
    let made = null;
    return Object.entries(forms).map(([form, { extension, mime, pages, isClean, make }]) => {
      const file = path.join(folder, `${document.name}-${form}.${extension}`);
      if (!fs.existsSync(file)) {
        made ??= render(document, folder);
        const seed = createHash("sha256").update(file.slice(folder.length)).digest().readUInt32LE(0);
        fs.writeFileSync(`${file}.part`, make({ ...made, next: random(seed), folder }));
        fs.renameSync(`${file}.part`, file);
      }
      return { document: document.name, form, file, mime, isClean, pages,
        facts: document.facts.filter((fact) => fact.page <= pages), words: wordsOf(document, pages) };
    });
  });
}

/** The folder that everything shares: keyed by the code that makes the samples. */
export function defaultFolder() {
  const code = fs.readdirSync(here).sort().map((file) => fs.readFileSync(path.join(here, file)));
  const key = createHash("sha256").update(Buffer.concat(code)).digest("hex").slice(0, 12);
  return path.join(process.env.GRISTMILL_CACHE ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), ".cache"), "gristmill"), `samples-${key}`);
}

/** A document as PDF and as pictures of its pages. */
export function render(document, folder, dpi = DPI) {
  const pdf = textPdf(document.pages);
  const work = fs.mkdtempSync(path.join(folder, "render-"));
  try {
    fs.writeFileSync(path.join(work, "in.pdf"), pdf);
    execFileSync("pdftoppm", ["-r", String(dpi), "-gray", "in.pdf", "page"], { cwd: work });
    const images = fs.readdirSync(work).filter((name) => name.endsWith(".pgm")).sort()
      .map((name) => readPgm(fs.readFileSync(path.join(work, name))));
    return { pdf, images };
  } finally {
    fs.rmSync(work, { recursive: true });
  }
}

// poppler encodes: the image goes into a page and comes out as a JPEG of the same pixels.
export function jpeg(image, folder) {
  const work = fs.mkdtempSync(path.join(folder, "jpeg-"));
  try {
    fs.writeFileSync(path.join(work, "in.pdf"), imagePdf([image], DPI));
    execFileSync("pdftoppm", ["-r", String(DPI), "-jpeg", "-jpegopt", "quality=72", "-singlefile", "in.pdf", "out"], { cwd: work });
    return fs.readFileSync(path.join(work, "out.jpg"));
  } finally {
    fs.rmSync(work, { recursive: true });
  }
}

// libheif encodes.
function heic(image, folder) {
  const work = fs.mkdtempSync(path.join(folder, "heic-"));
  try {
    fs.writeFileSync(path.join(work, "in.png"), png(image, DPI));
    execFileSync("heif-enc", ["-q", "60", "in.png", "-o", "out.heic"], { cwd: work, stdio: "ignore" });
    return fs.readFileSync(path.join(work, "out.heic"));
  } finally {
    fs.rmSync(work, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { file, words } of samples(process.argv[2] ?? defaultFolder())) console.log(`${file}  ${fs.statSync(file).size} bytes, ${words.length} words`);
}
