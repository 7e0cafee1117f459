// a document to PDF: request to downloadable through the running stack, and setting alone beside headless Chromium
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { gristmill, root } from "../../../sdk/local/stack/paths.mjs";
import { Stack } from "../../../sdk/local/stack/stack.mjs";
import { percentile } from "./progress.mjs";

export const parts = ["stack", "render"];
const sample = path.join(root, "render/samples/resume.json");
const TEMPLATES = ["minimal", "modern", "classic"];

export default async function* measure({ progress, full, only }) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-bench-"));
  try {
    if (only !== "render") yield* throughTheStack(progress, full ? 200 : 40);
    if (only !== "stack") yield* besideChromium(progress, full ? 100 : 25, scratch);
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

async function* throughTheStack(progress, count) {
  const stack = new Stack(`bench-exports-${process.pid}`, { parts: ["gateway", "storage", "work", "workerd"], onStep: (part) => progress(`starting ${part}`) });
  try {
    await stack.start();
    await stack.postgres.query("update mill.settings set value = '100000' where key = 'exports.daily_limit'");
    const data = JSON.parse(fs.readFileSync(sample, "utf8"));
    const headers = { authorization: `Bearer ${await stack.token({ role: "authenticated", sub: randomUUID() })}`, "content-type": "application/json" };
    const send = async (url, body, more) => (await fetch(url, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) })).json();
    const exports = `${stack.url}/functions/v1/export/v1/exports`;
    const [waits, makes] = [[], []];
    for (let at = -3; at < count; at++) {
      progress(`export ${Math.max(at + 1, 0)} of ${count}`);
      data.basics.label = `Staff Engineer ${at}`;
      const [document] = await send(`${stack.url}/rest/v1/documents`, { title: `Resume ${at}`, data }, { prefer: "return=representation" });
      const started = performance.now();
      const { id } = await send(exports, { document_id: document.id, template: TEMPLATES[(at + 3) % 3] });
      // The stream ends with the export: no polling of ours is in the figure.
      await (await fetch(`${exports}/${id}/events`, { headers })).text();
      const link = await fetch(`${exports}/${id}/download`, { headers, redirect: "manual" });
      if (link.status !== 302) throw new Error(`the download answered ${link.status}: ${await link.text()}`);
      const { rows: [job] } = await stack.postgres.query(
        "select extract(epoch from finished_at - started_at) * 1000 as ms from mill.job where id = $1", [id]);
      if (at < 0) continue;
      waits.push(performance.now() - started);
      makes.push(Number(job.ms));
    }
    for (const share of [0.5, 0.95]) yield { metric: `request to a signed URL, p${share * 100}`, value: percentile(waits, share), unit: "ms" };
    for (const share of [0.5, 0.95]) yield { metric: `claimed to completed, p${share * 100}`, value: percentile(makes, share), unit: "ms" };
    yield { note: "The worker polls every 100 to 250 ms here and the event stream every 200 ms and slower: both are in the first figure." };
  } finally {
    progress("stopping");
    await stack.destroy();
  }
}

async function* besideChromium(progress, count, scratch) {
  const typst = {};
  for (const template of TEMPLATES) {
    progress(`typst, ${template}`);
    const out = execFileSync(gristmill, ["render", "--template", template, sample, path.join(scratch, "t.pdf"), "--times", String(count + 3)], { encoding: "utf8" });
    typst[template] = out.trim().split("\n").map(Number).slice(2);
    for (const share of [0.5, 0.95]) {
      const value = percentile(typst[template], share);
      yield { metric: `one page with typst, ${template}, p${share * 100}`, value, unit: "ms", peer: "limit 150 ms", ratio: value / 150 };
    }
  }
  const ours = percentile(Object.values(typst).flat(), 0.5);
  const browser = chromium(progress);
  if (!browser) return yield { note: "There is no chromium here and apt-get could not install it: nothing to put beside." };
  const html = path.join(scratch, "page.html");
  fs.writeFileSync(html, page(JSON.parse(fs.readFileSync(sample, "utf8"))));
  progress("chromium, a process a page");
  const cold = [];
  for (let at = 0; at < Math.min(count, 8); at++) {
    const started = performance.now();
    execFileSync(browser, [...FLAGS, `--user-data-dir=${path.join(scratch, "profile")}`, `--print-to-pdf=${path.join(scratch, "c.pdf")}`, `file://${html}`], { stdio: "ignore" });
    cold.push(performance.now() - started);
  }
  const value = percentile(cold, 0.5);
  yield { metric: "one page with chromium --print-to-pdf, p50", value, unit: "ms", peer: `typst ${ours.toFixed(1)} ms`, ratio: value / ours };
  yield { note: "Chromium is started for each page, as a job that prints one would; typst is a library in a process that runs." };
}

const FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer"];

function chromium(progress) {
  const find = () => ["chromium", "google-chrome", "chrome"].find((name) => {
    try {
      execFileSync("which", [name], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  });
  if (!find() && process.getuid?.() === 0) {
    progress("installing chromium");
    try {
      execFileSync("apt-get", ["install", "-y", "--no-install-recommends", "chromium"], { stdio: "ignore" });
    } catch {
      return null;
    }
  }
  return find();
}

// The same words as the templates set, in the same order and fonts.
function page(data) {
  const safe = (text) => String(text ?? "").replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);
  const entry = (item, title, below) => `<div class="e"><div class="r"><b>${safe(title)}</b><span>${safe(item.startDate)} – ${safe(item.endDate ?? "present")}</span></div>
    <div class="q">${safe(below)}</div><p>${safe(item.summary ?? item.description)}</p><ul>${(item.highlights ?? []).map((point) => `<li>${safe(point)}</li>`).join("")}</ul></div>`;
  const { basics } = data;
  return `<!doctype html><meta charset="utf-8"><title>${safe(basics.name)}</title><style>
    @page { size: A4; margin: 0.8in 0.85in } body { font: 9.6pt/1.4 Inter, sans-serif; margin: 0 } h1 { font-size: 20pt; margin: 0 }
    h2 { font-size: 8pt; text-transform: uppercase; border-bottom: 0.5pt solid #ccc } .r { display: flex; justify-content: space-between } .q { color: #666 }
    ul { margin: 0; padding-left: 1em } p { margin: 0.3em 0 }</style>
    <h1>${safe(basics.name)}</h1><div class="q">${safe(basics.label)}</div>
    <div class="q">${[basics.email, basics.phone, basics.location.city, basics.url, ...basics.profiles.map((one) => one.url)].map(safe).join(" · ")}</div>
    <h2>Profile</h2><p>${safe(basics.summary)}</p><h2>Experience</h2>${data.work.map((item) => entry(item, item.position, `${item.name}, ${item.location}`)).join("")}
    <h2>Projects</h2>${data.projects.map((item) => entry(item, item.name, item.url)).join("")}
    <h2>Education</h2>${data.education.map((item) => entry(item, `${item.studyType}, ${item.area}`, item.institution)).join("")}
    <h2>Skills</h2>${data.skills.map((skill) => `<p><b>${safe(skill.name)}</b>: ${safe(skill.keywords.join(", "))}</p>`).join("")}
    <h2>Languages</h2><p>${data.languages.map((one) => `${safe(one.language)} (${safe(one.fluency)})`).join(" ")}</p>`;
}
