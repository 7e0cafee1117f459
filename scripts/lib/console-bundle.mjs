// Bundles the console into the three files that every host serves, and holds them to their size. --measure: says the size and leaves console/dist as it is.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

const root = fileURLToPath(new URL("../../", import.meta.url));
const from = path.join(root, "console/src");
const to = path.join(root, "console/dist");
const MOST = 100 * 1024; // of all files, gzipped

const work = fs.mkdtempSync(path.join(root, "console/.dist-"));
try {
  await build({
    entryPoints: [{ in: path.join(from, "main.js"), out: "app" }], outdir: work, bundle: true, format: "esm", target: ["chrome115", "firefox115", "safari16.4"],
    minify: true, legalComments: "none", logLevel: "warning",
  });
  fs.copyFileSync(path.join(from, "index.html"), path.join(work, "index.html"));
  const sizes = fs.readdirSync(work).sort().map((file) => [file, gzipSync(fs.readFileSync(path.join(work, file)), { level: 9 }).length]);
  const whole = sizes.reduce((sum, [, size]) => sum + size, 0);
  const text = `console ${(whole / 1024).toFixed(1)} KB gzipped of at most ${MOST / 1024} (${sizes.map(([file, size]) => `${file} ${(size / 1024).toFixed(1)}`).join(", ")})`;
  if (whole > MOST) throw new Error(`${text}: too large. Leave something out, or say in the review why it is worth more.`);
  if (process.argv.includes("--measure")) {
    fs.rmSync(work, { recursive: true, force: true });
  } else {
    fs.rmSync(to, { recursive: true, force: true });
    fs.renameSync(work, to);
  }
  console.log(text);
} catch (error) {
  fs.rmSync(work, { recursive: true, force: true });
  console.error(error.message);
  process.exit(1);
}
