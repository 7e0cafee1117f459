// The applications of a running stack, used over HTTP as a signed-in user would use them. The chaos tests and the hostile bench share them.
//
// A site is {url, anonKey}. A user is {id, headers}. Each application has two calls:
//
//   ask(user, key)   one request. Gives the id of what was accepted, or throws NotAccepted. Asking again with the same key
//                    must not make a second thing: the key is sent as Idempotency-Key. A user has one set of keys for all functions, so the
//                    name of the application stands before the key.
//   look(user, id)   null while it is under way, then {state, proof}. The proof is what the user got: it must never change.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

import { root } from "../../../sdk/local/stack/paths.mjs";

const RESUME = JSON.parse(fs.readFileSync(path.join(root, "render/samples/resume.json"), "utf8"));

/** A request that was not accepted. `mayRetry` is false where the same request would be refused again. */
export class NotAccepted extends Error {
  constructor(what, { status = null, text = "" } = {}) {
    super(`${what} answered ${status ?? "nothing"}${text && `: ${text.slice(0, 300)}`}`);
    this.name = "NotAccepted";
    this.status = status;
    this.mayRetry = status === null || status >= 500 || [408, 409, 425, 429].includes(status);
  }
}

export const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** A UUID that depends on nothing but the text. */
export function uuidOf(text) {
  const hex = sha256(text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The applications of one site. `patience`: milliseconds after which a request counts as not answered. */
export function applications({ url, anonKey }, { patience = 10_000 } = {}) {
  const functions = `${url}/functions/v1`;

  /** One request; the answer with its body, or NotAccepted when there is none or its status is not among `expected`. */
  async function send(user, method, address, { body, headers, expected = [200], redirect } = {}) {
    const what = `${method} ${address.replace(url, "").replace(/\?.*/, "")}`;
    let answer, bytes;
    try {
      answer = await fetch(address, {
        method, body, redirect, headers: { apikey: anonKey, ...user.headers, ...headers }, signal: AbortSignal.timeout(patience),
      });
      bytes = Buffer.from(await answer.arrayBuffer());
    } catch (error) {
      throw new NotAccepted(what, { text: String(error.cause?.code ?? error.cause?.message ?? error.message) });
    }
    if (!expected.includes(answer.status)) throw new NotAccepted(what, { status: answer.status, text: bytes.toString() });
    return { status: answer.status, bytes, json: () => JSON.parse(bytes) };
  }

  const JSON_BODY = { "content-type": "application/json" };
  const post = (user, address, body, { headers, expected = [202] } = {}) =>
    send(user, "POST", address, { body: JSON.stringify(body), headers: { ...JSON_BODY, ...headers }, expected });

  /** A plain job on the queue `default`, which the processor function serves. */
  const job = {
    ask: async (user, key, { delay_ms = 0 } = {}) =>
      (await post(user, `${functions}/enqueue`, { kind: "echo", payload: { key, delay_ms } }, { headers: { "idempotency-key": `job-${key}` } })).json().id,
    async look(user, id) {
      const { state, result, attempt, finished_at, error } = (await send(user, "GET", `${functions}/enqueue/${id}`)).json();
      if (!["completed", "failed", "cancelled"].includes(state)) return null;
      return { state, proof: { key: result?.echo?.key ?? null, attempt, finished_at, error } };
    },
  };

  /** A text that somebody uploads: stored, scanned, read, understood. */
  const document = {
    async ask(user, key) {
      const text = `Patient: Ann Lee    DOB: 01/22/1970\nReference ${key}\nGlucose 142 mg/dL 70 - 99 H\nMetformin 500 mg by mouth twice daily\n`;
      const answer = await send(user, "POST", `${functions}/documents/v1/documents?filename=${key}.txt`, {
        body: text, headers: { "idempotency-key": key, "content-type": "text/plain" }, expected: [200, 202] });
      return answer.json().id;
    },
    async look(user, id) {
      const found = (await send(user, "GET", `${functions}/documents/v1/documents/${id}`)).json();
      if (!["completed", "needs_review", "failed", "refused", "infected"].includes(found.status)) return null;
      const { status, completed_at, facts, narrative, error } = found;
      if (status === "completed" && !(facts?.length > 0)) return { state: "completed without a fact", proof: {} };
      return { state: status, proof: { completed_at, content: sha256(JSON.stringify([facts, narrative])), error } };
    },
  };

  /** A document of the user's as PDF, down to the bytes of the file. */
  const export_ = {
    async ask(user, key, { data = RESUME, template = "modern" } = {}) {
      const document_id = uuidOf(key);
      // 409: an earlier request with this key has written it, and its answer was lost.
      await post(user, `${url}/rest/v1/documents`, { id: document_id, title: key, data }, { expected: [201, 409] });
      return (await post(user, `${functions}/export/v1/exports`, { document_id, template }, { headers: { "idempotency-key": `export-${key}` } })).json().id;
    },
    async look(user, id) {
      const { status, file, finished_at, message } = (await send(user, "GET", `${functions}/export/v1/exports/${id}`)).json();
      if (["failed", "cancelled"].includes(status)) return { state: status, proof: { message } };
      if (!file) return null;
      const { bytes } = await send(user, "GET", `${functions}/export/v1/exports/${id}/download`);
      const isPdf = bytes.subarray(0, 5).toString() === "%PDF-" && bytes.length === file.size;
      return { state: isPdf ? "completed" : "completed without a PDF", proof: { finished_at, file: sha256(bytes) } };
    },
  };

  /** A symbol that somebody begins to watch, until its row is there. The key is the symbol, and so is the id. */
  const refresh = {
    async ask(user, key) {
      await post(user, `${url}/rest/v1/rpc/upsert_active_subscription_v2`, { p_symbol: key, p_data_type: "quote" }, { expected: [200] });
      return key;
    },
    async look(user, symbol) {
      const [row] = (await send(user, "GET", `${url}/rest/v1/quotes?select=symbol,price,fetched_at&symbol=eq.${symbol}`)).json();
      // The row is written again for as long as somebody watches: nothing of it must stay as it is.
      return row ? { state: row.price > 0 ? "completed" : "completed without a price", proof: {} } : null;
    },
    /** Nobody watches any more. */
    leave: (user, symbol) => send(user, "DELETE", `${url}/rest/v1/active_subscriptions_v2?symbol=eq.${symbol}`, { expected: [200, 204] }),
  };

  /** A workflow of one document: calculated, written, set as PDF, read aloud, listed. */
  const workflow = {
    async ask(user, key) {
      const documents = [{ system: "chinese", about: "person1", title: `The calendar of ${key}` }];
      return (await post(user, `${functions}/workflows/v1/jobs`, { type: "nuclear_v2", params: { documents } },
        { headers: { "idempotency-key": key } })).json().id;
    },
    async look(user, id) {
      const { status, artifacts, finished_at, progress } = (await send(user, "GET", `${functions}/workflows/v1/jobs/${id}`)).json();
      if (["failed", "cancelled"].includes(status)) return { state: status, proof: { message: progress?.message } };
      if (status !== "completed") return null;
      const made = artifacts.map(({ type, sha256 }) => `${type} ${sha256}`).sort();
      return { state: made.some((line) => line.startsWith("pdf ")) ? "completed" : "completed without a PDF", proof: { finished_at, made } };
    },
  };

  return { job, document, export: export_, refresh, workflow };
}

export const NAMES = ["job", "document", "export", "refresh", "workflow"];
