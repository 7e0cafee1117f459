// The lines of a smoke test. Each goes one way through the deployment, throws what went wrong, and answers what is worth reading.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { FUNCTIONS } from "../deploy/functions.mjs";

/** What is not deployed is no failure. */
export class Skipped extends Error {}

const TEXT = "Patient: Ann Example    DOB: 01/02/1970\nGlucose 142 mg/dL 70 - 99 H\nMedication: Metformin 500 mg daily\n";
const UNLISTED = "https://unlisted.example";

export const LINES = [
  { name: "functions", run: functions },
  { name: "health", run: health },
  { name: "enqueue → completed", run: job },
  { name: "latency", run: latency },
  { name: "upload → understood → download", run: upload },
  { name: "export → download", run: exported },
  { name: "workflow", run: workflow },
  { name: "events", run: events },
  { name: "realtime", run: realtime },
  { name: "CORS", run: cors },
  { name: "database", run: database },
];

/** One call of a function, or of REST where the path says so. */
async function call(context, method, at, { body, headers, ...init } = {}) {
  const { url, user, timeout } = context;
  const isJson = body !== undefined && !(body instanceof Uint8Array);
  const answer = await fetch(at.startsWith("http") ? at : at.startsWith("/") ? `${url}${at}` : `${url}/functions/v1/${at}`, { method, signal: AbortSignal.timeout(timeout), ...init,
    body: isJson ? JSON.stringify(body) : body, headers: { ...user.headers, ...(isJson && { "content-type": "application/json" }), ...headers } });
  return answer;
}

async function json(context, method, at, { expect, ...init } = {}) {
  const answer = await call(context, method, at, init);
  const text = await answer.text();
  if (expect ? answer.status !== expect : !answer.ok) throw new Error(`${method} ${at.split("?")[0]} answers ${answer.status}: ${text.slice(0, 300)}`);
  return text === "" ? null : JSON.parse(text);
}

async function until(context, what, look) {
  const deadline = Date.now() + context.timeout;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`${what} took longer than ${context.timeout / 1000} s`);
    await sleep(50);
  }
}

function needs(context, name) {
  if (!context.facts.versions?.[name]) throw new Skipped(`${name} is not deployed`);
}

async function functions(context) {
  const versions = {};
  const wrong = [];
  for (const name of Object.keys(FUNCTIONS)) {
    const answer = await call(context, "GET", `${name}/health`).catch((error) => error);
    if (answer.status === 404) continue;
    const said = await answer.json?.().catch(() => null);
    if (said?.function === name) versions[name] = said.version;
    else if (name === "health" && said?.checks) versions[name] = said.version ?? "";
    else wrong.push(`${name}: ${answer.status ? `${answer.status} ${said?.detail ?? ""}`.trim() : answer.cause?.code ?? answer.message}`);
  }
  context.facts.versions = versions;
  if (wrong.length > 0) throw new Error(wrong.join("; "));
  const known = [...new Set(Object.values(versions).filter(Boolean))];
  if (Object.keys(versions).length === 0) throw new Error("no function answers below /functions/v1");
  if (known.length > 1) throw new Error(`functions of several versions: ${known.join(", ")}`);
  return `${Object.keys(versions).length} functions, version ${known.join()}`;
}

async function health(context) {
  const { HEALTH_TOKEN } = context.env;
  const answer = await call(context, "GET", "health", { headers: HEALTH_TOKEN ? { authorization: `Bearer ${HEALTH_TOKEN}` } : {} });
  const { checks = [], notes = [] } = await answer.json();
  const ailing = checks.filter(({ ok }) => !ok).map(({ name, details, problems }) => [name, ...[details ?? problems ?? []].flat()].join(": "));
  if (!answer.ok) throw new Error(`${answer.status}: ${ailing.join("; ") || "no check is named"}`);
  return [`${checks.length} checks`, ...notes].join("; ");
}

const submit = (context) => json(context, "POST", "enqueue", { expect: 202, body: { kind: "echo", payload: { smoke: true } } });
const ended = (context, id) => until(context, "the job", async () => {
  const found = await json(context, "GET", `enqueue/${id}`);
  return ["completed", "failed"].includes(found.state) && found;
});

async function job(context) {
  needs(context, "enqueue");
  const { id } = await submit(context);
  const found = await ended(context, id);
  if (found.state !== "completed") throw new Error(`the job is ${found.state}: ${JSON.stringify(found.error)}`);
  return `attempt ${found.attempt}`;
}

const quantile = (sorted, q) => Math.round(sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * q) - 1)]);
const quantiles = (values) => {
  const sorted = values.toSorted((one, other) => one - other);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) };
};

async function latency(context) {
  needs(context, "enqueue");
  const [seen, inPostgres] = [[], []];
  for (let n = 0; n < context.jobs; n++) {
    const begun = performance.now();
    const { id } = await submit(context);
    const found = await ended(context, id);
    seen.push(performance.now() - begun);
    inPostgres.push(new Date(found.finished_at) - new Date(found.created_at));
  }
  context.facts.latency = { jobs: context.jobs, seen: quantiles(seen), inPostgres: quantiles(inPostgres) };
  const { inPostgres: { p50, p95 } } = context.facts.latency;
  return `${context.jobs} jobs, one after another: p50 ${p50} ms, p95 ${p95} ms in Postgres`;
}

async function upload(context) {
  needs(context, "documents");
  const bytes = new TextEncoder().encode(TEXT);
  const { id } = await json(context, "POST", "documents/v1/documents?filename=smoke.txt", { expect: 202, body: bytes, headers: { "content-type": "text/plain", "idempotency-key": randomUUID() } });
  const at = `documents/v1/documents/${id}`;
  context.made.push({ what: "the document", remove: () => json(context, "DELETE", at) });
  const document = await until(context, "the document (is the container worker running?)", async () => {
    const found = await json(context, "GET", at);
    return ["completed", "needs_review", "failed", "refused", "infected"].includes(found.status) && found;
  });
  if (!["completed", "needs_review"].includes(document.status)) throw new Error(`the document is ${document.status}: ${JSON.stringify(document.error)}`);
  const file = await download(context, `${at}/file`);
  if (Buffer.compare(Buffer.from(file), Buffer.from(bytes)) !== 0) throw new Error("what was downloaded is not what was uploaded");
  return `${document.facts?.length ?? 0} facts; ${file.byteLength} bytes came back`;
}

// As a browser does it: the redirect is followed without the token.
async function download(context, at) {
  const routed = await call(context, "GET", at, { redirect: "manual" });
  const link = routed.headers.get("location");
  if (!link) throw new Error(`${at.split("/")[0]} answers ${routed.status} in the place of a link`);
  const answer = await fetch(new URL(link, context.url), { signal: AbortSignal.timeout(context.timeout) });
  if (!answer.ok) throw new Error(`the signed link answers ${answer.status}`);
  const bytes = await answer.arrayBuffer();
  const part = await fetch(new URL(link, context.url), { headers: { range: "bytes=1-4" }, signal: AbortSignal.timeout(context.timeout) });
  const piece = await part.arrayBuffer();
  if (part.status !== 206 || Buffer.compare(Buffer.from(piece), Buffer.from(bytes.slice(1, 5))) !== 0) throw new Error(`a part of the file was asked for: ${part.status}, ${piece.byteLength} bytes`);
  return bytes;
}

async function exported(context) {
  needs(context, "export");
  const profile = context.env.EXPORTS_SCHEMA ? { "content-profile": context.env.EXPORTS_SCHEMA, "accept-profile": context.env.EXPORTS_SCHEMA } : {};
  const [{ id: document }] = await json(context, "POST", "/rest/v1/documents", { expect: 201, body: { title: "Smoke", data: { basics: { name: "Ada Lovelace" } } },
    headers: { ...profile, prefer: "return=representation" } });
  context.made.push({ what: "the document of the export", remove: () => json(context, "DELETE", `/rest/v1/documents?id=eq.${document}`, { headers: profile }) });
  const { id } = await json(context, "POST", "export/v1/exports", { expect: 202, body: { document_id: document } });
  context.made.push({ what: "the export", remove: () => json(context, "DELETE", `/rest/v1/export_history?id=eq.${id}`, { headers: profile }) });
  const found = await until(context, "the export (is the container worker running?)", async () => {
    const export_ = await json(context, "GET", `export/v1/exports/${id}`);
    return ["completed", "failed", "cancelled"].includes(export_.status) && export_;
  });
  if (found.status !== "completed") throw new Error(`the export is ${found.status}: ${JSON.stringify(found.error)}`);
  const file = await download(context, `export/v1/exports/${id}/download`);
  if (!Buffer.from(file).subarray(0, 5).equals(Buffer.from("%PDF-"))) throw new Error("what was downloaded is no PDF");
  return `a PDF of ${file.byteLength} bytes`;
}

const start = (context) => json(context, "POST", "workflows/v1/jobs", { expect: 202, body: { type: "echo", params: { message: "smoke" } } });

async function workflow(context) {
  needs(context, "workflows");
  const { id } = await start(context);
  const found = await until(context, "the workflow", async () => {
    const state = await json(context, "GET", `workflows/v1/jobs/${id}`);
    return ["completed", "failed", "cancelled"].includes(state.status) && state;
  });
  if (found.status !== "completed") throw new Error(`the workflow is ${found.status}: ${JSON.stringify(found.error)}`);
  return `${found.steps?.length ?? 0} steps`;
}

// With a ticket and no header: as an EventSource does it.
async function events(context) {
  needs(context, "workflows");
  const { id } = await start(context);
  const stream = `workflows/v1/jobs/${id}/events`;
  const { ticket } = await json(context, "POST", `${stream}/ticket`);
  const heard = [];
  let last = "";
  const deadline = Date.now() + context.timeout;
  while (Date.now() < deadline) {
    const answer = await fetch(`${context.url}/functions/v1/${stream}?ticket=${encodeURIComponent(ticket)}`, {
      headers: { accept: "text/event-stream", ...(last && { "last-event-id": last }) }, signal: AbortSignal.timeout(context.timeout) });
    if (answer.status !== 200) throw new Error(`the stream answers ${answer.status}`);
    if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) throw new Error(`the stream is ${answer.headers.get("content-type")}`);
    let text = "";
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop();
      for (const block of blocks) {
        last = /^id: (.*)$/m.exec(block)?.[1] ?? last;
        const event = /^event: (.*)$/m.exec(block)?.[1];
        if (event) heard.push(event);
      }
      if (heard.at(-1) === "completed") return `${heard.length} events`;
      if (["failed", "cancelled"].includes(heard.at(-1))) throw new Error(`the last event is ${heard.at(-1)}`);
    }
  }
  throw new Error(`no end was heard within ${context.timeout / 1000} s; heard: ${heard.join(", ") || "nothing"}`);
}

async function realtime(context) {
  const { default: WebSocket } = await import("ws");
  const url = new URL(`${context.url}/realtime/v1/websocket`);
  url.protocol = url.protocol.replace("http", "ws");
  url.search = new URLSearchParams({ apikey: context.env.SUPABASE_ANON_KEY, vsn: "1.0.0" });
  const socket = new WebSocket(url, { headers: context.origin ? { origin: context.origin } : {} });
  try {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("no answer")), Math.min(context.timeout, 20_000));
      timer.unref();
      socket.on("unexpected-response", (_, answer) => reject(answer.statusCode === 404 ? new Skipped("Realtime is not served here") : new Error(`the WebSocket is refused: ${answer.statusCode}`)));
      socket.on("error", (error) => reject(new Error(`the WebSocket fails: ${error.code ?? error.message}`)));
      socket.on("open", () => socket.send(JSON.stringify({ topic: "realtime:smoke", event: "phx_join", ref: "1", join_ref: "1",
        payload: { access_token: context.user.token, config: { broadcast: { self: false }, presence: { key: "" }, postgres_changes: [] } } })));
      socket.on("message", (data) => {
        const { event, payload } = JSON.parse(data);
        if (event !== "phx_reply") return;
        if (payload.status === "ok") resolve("a channel was joined");
        else reject(new Error(`the channel is refused: ${JSON.stringify(payload.response)}`));
      });
    });
  } finally {
    socket.terminate();
  }
}

async function cors(context) {
  const preflight = async (origin) => {
    const answer = await fetch(`${context.url}/functions/v1/enqueue`, { method: "OPTIONS", signal: AbortSignal.timeout(context.timeout),
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization,apikey,content-type,idempotency-key,x-client-info" } });
    return { origin: answer.headers.get("access-control-allow-origin"), headers: answer.headers.get("access-control-allow-headers") ?? "" };
  };
  const unlisted = await preflight(UNLISTED);
  const open = unlisted.origin !== null ? "pages of every origin may call" : "an unlisted origin is refused";
  if (!context.origin) return `${open}; give --origin to see whether yours is allowed`;
  const listed = await preflight(context.origin);
  if (![context.origin, "*"].includes(listed.origin)) throw new Error(`pages of ${context.origin} are not allowed: set CORS_ORIGINS (gristmill deploy … --origins)`);
  const missing = ["authorization", "apikey", "content-type", "idempotency-key"].filter((name) => !listed.headers.toLowerCase().includes(name));
  if (missing.length > 0) throw new Error(`headers are not allowed: ${missing.join(", ")}`);
  return `${context.origin} is allowed; ${open}`;
}

async function database(context) {
  const url = context.env.GRISTMILL_DATABASE_URL;
  if (!url) throw new Skipped("set GRISTMILL_DATABASE_URL to see what Postgres, pg_net and pg_cron are");
  const { describe } = await import("../deploy/database.mjs");
  context.facts.database = await describe(url);
  return Object.entries(context.facts.database).map(([what, is]) => `${what} ${is}`).join(", ");
}
