// The words of a document with their boxes, by the same programs as in the worker, and the facts that the reading crate finds in them.
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import { forms, made } from "../../samples/generate.mjs";
import { DPI } from "../../samples/render.mjs";
import { root } from "../../../../sdk/local/stack/paths.mjs";

const run = promisify(execFile);
const generous = { maxBuffer: 64 << 20 };

/** The pages of a document as the reading crate takes them: {number, width, height, confidence, words: [{t, b, c, l}]}. */
export async function pagesOf(document, written) {
  if (!forms[document.form].isScan) return textPages((await run("pdftotext", ["-bbox-layout", made(document, written), "-"], generous)).stdout);
  // A page that was turned is read as the worker reads it once it has turned it back.
  const file = made(document, written, { upright: document.form === "turned" });
  const kept = `${file}.words-${createHash("sha256").update(fs.readFileSync(new URL(import.meta.url))).digest("hex").slice(0, 8)}.json`;
  if (!fs.existsSync(kept)) {
    const pages = await scannedPages(file);
    fs.writeFileSync(`${kept}.${process.pid}`, JSON.stringify(pages));
    fs.renameSync(`${kept}.${process.pid}`, kept);
  }
  return JSON.parse(fs.readFileSync(kept, "utf8"));
}

/** The reading crate's example `read`, as the tests compile it: without a change there is nothing to compile. */
export function reader() {
  const build = ["build", "--profile", "quick", "--locked", "-p", "gristmill-reading", "--example", "read"];
  execFileSync("cargo", build, { cwd: root, stdio: ["ignore", 2, 2], env: { ...process.env, RUSTC_WORKSPACE_WRAPPER: path.join(root, "scripts/lib/linting-rustc.sh") } });
  return path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, "target"), "quick/examples/read");
}

/** What the reading crate makes of pages: {facts, doubts, narrative}. `read` is its example's program. */
export function read(program, pages) {
  return new Promise((resolve, reject) => {
    const child = execFile(program, [], generous, (error, stdout) => {
      if (error) reject(error);
      else resolve(JSON.parse(stdout));
    });
    child.stdin.on("error", () => {}); // the program's own error says more
    child.stdin.end(JSON.stringify({ pages }));
  });
}

function textPages(xml) {
  const pages = [];
  let line = 0;
  for (const row of xml.split("\n").map((each) => each.trim())) {
    const number = (name) => Number(new RegExp(`${name}="([^"]*)"`).exec(row)?.[1]);
    const page = pages.at(-1);
    if (row.startsWith("<page ")) pages.push({ number: pages.length + 1, width: number("width"), height: number("height"), confidence: null, words: [] });
    else if (row.startsWith("<line ")) line += 1;
    else if (row.startsWith("<word ")) {
      const text = row.slice(row.indexOf(">") + 1).replace("</word>", "")
        .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
      page.words.push({ t: text, b: [number("xMin") / page.width, number("yMin") / page.height, number("xMax") / page.width, number("yMax") / page.height], l: line });
    }
  }
  return pages;
}

async function scannedPages(file) {
  if (!file.endsWith(".pdf")) return [await scannedPage(file, 1)];
  const work = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-words-"));
  try {
    await run("pdftoppm", ["-r", String(DPI), "-gray", file, path.join(work, "page")]);
    const pages = [];
    for (const image of fs.readdirSync(work).sort()) pages.push(await scannedPage(path.join(work, image), pages.length + 1));
    return pages;
  } finally {
    fs.rmSync(work, { recursive: true });
  }
}

async function scannedPage(image, number) {
  const { stdout } = await run("tesseract", [image, "stdout", "-l", "eng", "--dpi", String(DPI), "--psm", "3", "tsv"],
    { ...generous, env: { ...process.env, OMP_THREAD_LIMIT: "1" } });
  const page = { number, width: 1, height: 1, confidence: null, words: [] };
  let line = 0;
  for (const row of stdout.split("\n").slice(1)) {
    const cells = row.split("\t");
    const [left, top, width, height] = cells.slice(6, 10).map(Number);
    if (cells[0] === "1") Object.assign(page, { width, height });
    else if (cells[0] === "4") line += 1;
    else if (cells[0] === "5" && cells[11].trim()) {
      page.words.push({ t: cells[11].trim(), b: [left / page.width, top / page.height, (left + width) / page.width, (top + height) / page.height], c: Number(cells[10]) / 100, l: line });
    }
  }
  if (page.words.length > 0) page.confidence = page.words.reduce((sum, { c }) => sum + c, 0) / page.words.length;
  return page;
}
