// Turns pages of items into pictures of those pages, with poppler.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { readPgm } from "./image.mjs";
import { imagePdf, textPdf } from "./pdf.mjs";

export const DPI = 300;

/** The document as a PDF, and each of its pages as a grey image. */
export function render(document, dpi = DPI) {
  const pdf = textPdf(document.pages);
  return inFolder((work) => {
    fs.writeFileSync(path.join(work, "in.pdf"), pdf);
    execFileSync("pdftoppm", ["-r", String(dpi), "-gray", "in.pdf", "page"], { cwd: work });
    const images = fs.readdirSync(work).filter((name) => name.endsWith(".pgm")).sort()
      .map((name) => readPgm(fs.readFileSync(path.join(work, name))));
    return { pdf, images };
  });
}

/** Poppler encodes: the image goes into a page and comes out as a JPEG of the same pixels. */
export function jpeg(image) {
  return inFolder((work) => {
    fs.writeFileSync(path.join(work, "in.pdf"), imagePdf([image], DPI));
    execFileSync("pdftoppm", ["-r", String(DPI), "-jpeg", "-jpegopt", "quality=72", "-singlefile", "in.pdf", "out"], { cwd: work });
    return fs.readFileSync(path.join(work, "out.jpg"));
  });
}

/** Runs `make` with a new empty folder, which is removed afterwards. */
export function inFolder(make) {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-samples-"));
  try {
    return make(work);
  } finally {
    fs.rmSync(work, { recursive: true });
  }
}
