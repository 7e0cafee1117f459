// A page of an application that uses a deployment: it uploads, follows with EventSource, exports, downloads by links, and plays audio that a workflow made.
//
// It knows one address, a public key and the token of its user (window.ENV), and the real supabase-js. It is bundled and served by whoever runs it, from
// an origin of its own.
import { createClient } from "@supabase/supabase-js";

const { SUPABASE_URL, SUPABASE_ANON_KEY, USER_TOKEN } = window.ENV;
const supabase = createClient(SUPABASE_URL, SUPABASE_ANON_KEY, { accessToken: async () => USER_TOKEN });

async function invoke(path, options = {}) {
  const { data, error, response } = await supabase.functions.invoke(path, options);
  if (error) throw new Error(`${path}: ${response?.status} ${await response?.text().catch(() => "")} ${error.message}`);
  return data;
}

const must = ({ data, error }) => {
  if (error) throw new Error(JSON.stringify(error));
  return data;
};

const ENDS = ["completed", "failed", "refused", "infected"];

// What a stream says until its end. The ticket is in the address: an EventSource sends no header.
async function follow(stream) {
  const { ticket } = await invoke(`${stream}/ticket`, { method: "POST" });
  const source = new EventSource(`${SUPABASE_URL}/functions/v1/${stream}?ticket=${encodeURIComponent(ticket)}`);
  const heard = [];
  return new Promise((resolve, reject) => {
    for (const event of ["progress", "completed", "failed", "cancelled"]) {
      source.addEventListener(event, ({ data }) => {
        // The last event of a document is a progress whose status is an end.
        const said = event === "progress" && ENDS.includes(JSON.parse(data).status) ? JSON.parse(data).status : event;
        heard.push(said);
        if (said !== "progress") resolve(source.close() ?? heard);
      });
    }
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) reject(new Error(`the stream was refused after ${heard.join(", ") || "nothing"}`));
    });
  });
}

const shown = async (answer) => {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return { status: answer.status, size: bytes.length, begins: String.fromCharCode(...bytes.slice(0, 5)), range: answer.headers.get("content-range"),
    disposition: answer.headers.get("content-disposition"), length: answer.headers.get("content-length") };
};
const withToken = { headers: { authorization: `Bearer ${USER_TOKEN}`, apikey: SUPABASE_ANON_KEY } };

export async function upload(name, text) {
  const { id } = await invoke(`documents/v1/documents?filename=${encodeURIComponent(name)}`, {
    body: new File([text], name, { type: "text/plain" }), headers: { "idempotency-key": crypto.randomUUID() } });
  const heard = await follow(`documents/v1/documents/${id}/events`);
  const document = await invoke(`documents/v1/documents/${id}`, { method: "GET" });
  // The browser follows the redirect to the signed link.
  const file = await shown(await fetch(`${SUPABASE_URL}/functions/v1/documents/v1/documents/${id}/file`, withToken));
  return { status: document.status, facts: document.facts?.length, heard, file };
}

export async function exportPdf(title) {
  const { id: documentId } = must(await supabase.from("documents").insert({ title, data: { basics: { name: "Ada Lovelace" } } }).select("id").single());
  const { id } = await invoke("export/v1/exports", { body: { document_id: documentId }, headers: { "idempotency-key": crypto.randomUUID() } });
  const heard = await follow(`export/v1/exports/${id}/events`);
  const routed = await shown(await fetch(`${SUPABASE_URL}/functions/v1/export/v1/exports/${id}/download`, withToken));
  // The compatible path at the root of the address answers a link that needs no token.
  const older = await (await fetch(`${SUPABASE_URL}/api/v1/export/job/${id}`, withToken)).json().catch((error) => ({ error: error.message }));
  const linked = older.resultUrl ? await shown(await fetch(older.resultUrl, { headers: { range: "bytes=0-4" } })) : older;
  return { heard, routed, linked };
}

export async function makeAudio(params) {
  const { id } = await invoke("workflows/v1/jobs", { body: { type: "nuclear_v2", params } });
  const heard = await follow(`workflows/v1/jobs/${id}/events`);
  const job = await invoke(`workflows/v1/jobs/${id}`, { method: "GET" });
  return { status: job.status, heard, error: job.error, artifacts: job.artifacts.map(({ type, url }) => ({ type, url })) };
}

// As a player does it: the element asks for the parts that it needs.
export async function seek(url) {
  const audio = document.body.appendChild(new Audio());
  const happens = (event) => new Promise((resolve, reject) => {
    audio.addEventListener(event, resolve, { once: true });
    audio.addEventListener("error", () => reject(new Error(`audio: ${audio.error?.code} ${audio.error?.message}`)), { once: true });
  });
  const loaded = happens("loadedmetadata");
  audio.preload = "auto";
  audio.src = url;
  await loaded;
  const sought = happens("seeked");
  audio.currentTime = audio.duration * 0.8;
  await sought;
  const part = await fetch(url, { headers: { range: "bytes=100-199" } });
  return { duration: audio.duration, at: audio.currentTime, ranges: audio.seekable.length, part: await shown(part) };
}

/** What a page of an origin that is not allowed sees. */
export async function attempt(path, init = withToken) {
  try {
    return { status: (await fetch(`${SUPABASE_URL}${path}`, init)).status };
  } catch (error) {
    return { failed: error.name };
  }
}
