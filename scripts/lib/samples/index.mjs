// The sample documents in five forms each, made once into a folder and the same on every machine with the same poppler.
//   node scripts/lib/samples/index.mjs FOLDER
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { documents, wordsOf } from "./documents.mjs";
import { noise, photograph, png, random, rotate, tiff, webp } from "./image.mjs";
import { imagePdf } from "./pdf.mjs";
import { DPI, inFolder, jpeg, render } from "./render.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));

const forms = {
  born: { extension: "pdf", mime: "application/pdf", pages: 2, isClean: true, make: ({ pdf }) => pdf },
  scan: { extension: "png", mime: "image/png", pages: 1, isClean: true, make: ({ images }) => png(images[0], DPI) },
  noisy: { extension: "pdf", mime: "application/pdf", pages: 1, isClean: false,
    make: ({ images, next }) => imagePdf([noise(rotate(images[0], 1.4), next)], DPI) },
  photo: { extension: "jpg", mime: "image/jpeg", pages: 1, isClean: false,
    make: ({ images, next }) => jpeg(photograph(images[0], next)) },
  tiff: { extension: "tif", mime: "image/tiff", pages: 2, isClean: true, make: ({ images }) => tiff(images, DPI) },
};

// What phones and browsers make besides: one document as each is enough to know that it is read.
const rareForms = {
  webp: { extension: "webp", mime: "image/webp", pages: 1, isClean: true, make: ({ images }) => webp(images[0]) },
  heic: { extension: "heic", mime: "image/heic", pages: 1, isClean: true, make: ({ images }) => heic(images[0]) },
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
        made ??= render(document);
        const seed = createHash("sha256").update(file.slice(folder.length)).digest().readUInt32LE(0);
        fs.writeFileSync(`${file}.part`, make({ ...made, next: random(seed) }));
        fs.renameSync(`${file}.part`, file);
      }
      return { document: document.name, form, file, mime, isClean, pages,
        facts: document.facts.filter((fact) => fact.page <= pages), words: wordsOf(document, pages) };
    });
  });
}

const CODE = ["documents.mjs", "image.mjs", "index.mjs", "pdf.mjs", "render.mjs"];

/** The folder that everything shares: keyed by the code that makes the samples. */
export function defaultFolder() {
  const code = CODE.map((file) => fs.readFileSync(path.join(here, file)));
  const key = createHash("sha256").update(Buffer.concat(code)).digest("hex").slice(0, 12);
  return path.join(cache(), `samples-${key}`);
}

/** Where samples stay between runs. */
export function cache() {
  return process.env.GRISTMILL_CACHE ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), ".cache"), "gristmill");
}

// libheif encodes.
function heic(image) {
  return inFolder((work) => {
    fs.writeFileSync(path.join(work, "in.png"), png(image, DPI));
    execFileSync("heif-enc", ["-q", "60", "in.png", "-o", "out.heic"], { cwd: work, stdio: "ignore" });
    return fs.readFileSync(path.join(work, "out.heic"));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { file, words } of samples(process.argv[2] ?? defaultFolder())) console.log(`${file}  ${fs.statSync(file).size} bytes, ${words.length} words`);
}
