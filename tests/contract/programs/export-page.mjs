// The export client of the older system, as a page: it asks for PDFs, polls, listens with EventSource, cancels, downloads and deletes.
//
// It knows an address, a public key and the token of its user (window.ENV), and the real supabase-js. It is bundled and served by whoever runs it, from
// an origin of its own.
import { createClient } from "@supabase/supabase-js";

const { SUPABASE_URL, SUPABASE_ANON_KEY, USER_TOKEN } = window.ENV;
const supabase = createClient(SUPABASE_URL, SUPABASE_ANON_KEY, { accessToken: async () => USER_TOKEN });
const api = `${SUPABASE_URL}/api/v1/export`;

async function call(method, path, body, headers = {}) {
  const answer = await fetch(`${api}/${path}`, {
    method, body: body && JSON.stringify(body),
    headers: { authorization: `Bearer ${USER_TOKEN}`, apikey: SUPABASE_ANON_KEY, "content-type": "application/json", ...headers } });
  const json = await answer.json();
  return { status: answer.status, json, headers: Object.fromEntries(answer.headers) };
}

const must = ({ data, error }) => {
  if (error) throw new Error(JSON.stringify(error));
  return data;
};

export const writeDocument = async (title) =>
  must(await supabase.from("documents").insert({ title, data: { basics: { name: "Ada Lovelace" } } }).select("id").single()).id;

export const request = (documentId, options = {}, headers = {}) => call("POST", "pdf", { documentId, templateSlug: "modern", options }, headers);
export const requestBatch = (documentIds) => call("POST", "batch", { documentIds, options: {} });
export const show = (jobId) => call("GET", `job/${jobId}`);
export const cancel = (jobId) => call("DELETE", `job/${jobId}`);

export async function poll(jobId) {
  for (;;) {
    const { json: job } = await show(jobId);
    if (["completed", "failed", "cancelled"].includes(job.status)) return job;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

// Resolves with what was heard, once the job has ended; `heard` is readable meanwhile.
export const heard = [];
export async function listen(jobId) {
  const { json: { ticket } } = await call("POST", `job/${jobId}/stream/ticket`);
  const source = new EventSource(`${api}/job/${jobId}/stream?ticket=${ticket}`);
  return new Promise((resolve) => {
    source.addEventListener("open", () => heard.push({ event: "open" }));
    for (const event of ["progress", "timeout", "completed", "failed", "cancelled"]) {
      source.addEventListener(event, (message) => {
        heard.push({ event, data: JSON.parse(message.data) });
        if (!["progress", "timeout"].includes(event)) resolve(source.close());
      });
    }
    source.addEventListener("error", (message) => {
      heard.push({ event: "error", data: message.data ?? null, state: source.readyState });
      if (source.readyState === EventSource.CLOSED) resolve();
    });
  });
}

const bytesOf = async (answer) => new Uint8Array(await answer.arrayBuffer());
const readable = (answer, names) => Object.fromEntries(names.map((name) => [name, answer.headers.get(name)]));
const shownHeaders = ["content-disposition", "content-length", "content-range", "content-type", "accept-ranges", "etag"];

// As a link is followed: without a token.
export async function downloadByLink(url, range) {
  const answer = await fetch(url, range ? { headers: { range } } : {});
  const bytes = await bytesOf(answer);
  return { status: answer.status, size: bytes.length, begins: String.fromCharCode(...bytes.slice(0, 5)), headers: readable(answer, shownHeaders) };
}

// By the route that redirects: with a token, followed by the browser.
export async function downloadByRoute(historyId) {
  const answer = await fetch(`${api}/download/${historyId}`, { headers: { authorization: `Bearer ${USER_TOKEN}` } });
  const bytes = await bytesOf(answer);
  return { status: answer.status, redirected: answer.redirected, begins: String.fromCharCode(...bytes.slice(0, 5)), headers: readable(answer, shownHeaders) };
}

export async function downloadBatch(batchId) {
  const answer = await fetch(`${api}/batch/${batchId}/download`, { headers: { authorization: `Bearer ${USER_TOKEN}` } });
  if (answer.status === 206) return { status: 206, json: await answer.json() };
  const bytes = await bytesOf(answer);
  return { status: answer.status, size: bytes.length, begins: String.fromCharCode(...bytes.slice(0, 2)), headers: readable(answer, ["content-disposition", "content-type"]) };
}

export const history = async () => must(await supabase.from("export_history").select("*"));
export const downloadFromStorage = async (bucket, path) => (must(await supabase.storage.from(bucket).download(path))).size;
export const remove = async (id) => must(await supabase.from("export_history").delete().eq("id", id).select("id"));

// A file of the user's own, through the function that takes documents.
export async function upload(name, text) {
  const { data, error, response } = await supabase.functions.invoke(`upload/v1/documents?filename=${encodeURIComponent(name)}`, {
    body: new File([text], name, { type: "text/plain" }), headers: { "idempotency-key": crypto.randomUUID() } });
  if (error) throw new Error(`${response?.status} ${error.message}`);
  return data;
}

// What a page can see of a refusal.
export async function refusal(path) {
  const answer = await fetch(`${SUPABASE_URL}${path}`, { headers: { authorization: "Bearer nonsense", "x-client-info": "a page" } });
  return { status: answer.status, json: await answer.json() };
}

// What a page can see of anything: the kind of its failure where it can see nothing.
export async function attempt(path, init) {
  try {
    const answer = await fetch(`${SUPABASE_URL}${path}`, init);
    return { status: answer.status, text: await answer.text(), disposition: answer.headers.get("content-disposition") };
  } catch (error) {
    return { failed: error.name };
  }
}
