// A resume to PDF, with what its listeners heard on the way.
import fs from "node:fs";
import path from "node:path";

import { root } from "../../../sdk/local/stack/paths.mjs";

export const order = 4;
export const title = "A resume became a PDF";
export const way = "documents → export (wasm) → Postgres → worker (typst) → storage → a signed URL";

export async function show({ stack, user, until }) {
  const data = JSON.parse(fs.readFileSync(path.join(root, "render/samples/resume.json"), "utf8"));
  const post = async (url, body, headers = {}) => {
    const answer = await fetch(url, { method: "POST", headers: { ...user.headers, ...headers }, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const exports = `${stack.url}/functions/v1/export/v1/exports`;
  const [document] = await post(`${stack.url}/rest/v1/documents`, { title: "Resume", data }, { prefer: "return=representation" });
  const { id } = await post(exports, { document_id: document.id, template: "modern" });
  const done = await until(`export ${id} has ended`, async () => {
    const export_ = await (await fetch(`${exports}/${id}`, { headers: user.headers })).json();
    return export_.file && export_;
  });
  const events = await (await fetch(`${exports}/${id}/events`, { headers: user.headers })).text();
  const link = await fetch(`${exports}/${id}/download`, { headers: user.headers, redirect: "manual" });
  return {
    file: `${done.file.name}, ${done.file.pages} page, ${(done.file.size / 1024).toFixed(0)} KB, kept until ${done.file.expires_at.slice(0, 10)}`,
    progress: [...events.matchAll(/"progress": ?(\d+)/g)].map(([, percent]) => percent).join(" → "),
    took: `${Date.parse(done.finished_at) - Date.parse(done.created_at)} ms from request to downloadable`,
    look: link.headers.get("location"),
  };
}
