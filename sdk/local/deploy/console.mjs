// The console as a worker: the page that the binary carries, with its configuration and headers for this deployment.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { digest, Refusal } from "./files.mjs";

const TYPES = { html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8", json: "application/json" };

/** The code of the worker. `key` is the public key, which every page of the deployment shows. */
export function consoleWorker(binary, { url, key }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-console-"));
  try {
    execFileSync(binary, ["console", "--url", url, ...(key ? ["--anon-key", key] : []), "--write", folder], { stdio: ["ignore", "ignore", "pipe"] });
    const text = `const PAGE = ${JSON.stringify(pageIn(folder))};\n`;
    return text + fs.readFileSync(fileURLToPath(new URL("console-worker.mjs", import.meta.url)), "utf8");
  } catch (error) {
    throw new Refusal(`the console cannot be made: ${error.stderr?.toString().trim() || error.message}`);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function pageIn(folder) {
  const headers = Object.fromEntries(fs.readFileSync(path.join(folder, "_headers"), "utf8").split("\n").filter((line) => line.startsWith("  "))
    .map((line) => line.trim()).map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]));
  const names = fs.readdirSync(folder).filter((name) => name !== "_headers").sort();
  const files = Object.fromEntries(names.map((name) => {
    const text = fs.readFileSync(path.join(folder, name), "utf8");
    return [name, { type: TYPES[name.split(".").at(-1)] ?? "application/octet-stream", etag: `"${digest(text).slice(0, 16)}"`, text }];
  }));
  return { headers, files };
}
