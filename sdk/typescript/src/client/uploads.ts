// Files to documents, in either of two ways: through the function, or to storage directly.
import { GristmillError } from "../errors.js";
import type { Http } from "./http.js";
import { noAnswer, pauseAfter, refused, sleep, uuid } from "./http.js";
import type { Snapshot, WatchOptions } from "./watch.js";
import { watch } from "./watch.js";

export interface UploadOptions {
  /** How the person calls the file; the file's own name by default. */
  filename?: string;
  /** The profile that the document belongs to; the caller's own by default. */
  profileId?: string;
  /** Called as bytes leave. */
  onProgress?: (progress: UploadProgress) => void;
  signal?: AbortSignal | undefined;
  /** With the same key the same file is one document, whenever it is sent again: after a reload of the page, for example. Made for each call by default. */
  idempotencyKey?: string;
  /**
   * `function` sends the file to the function `documents`. `storage` begins the upload in Postgres, sends the file to the Storage API and then ends the upload: the file does not
   * pass a function, whose platform may limit the size of a body. It needs the media type, and Supabase Storage or its stand-in.
   */
  way?: "function" | "storage";
  /** The media type, where the file does not say it. Only `storage` asks for it. */
  type?: string;
}

export interface UploadProgress {
  sent: number;
  total: number;
  percent: number;
}

export interface Uploaded {
  /** The document. */
  id: string;
  /** `uploaded`; how far an earlier upload with the same key has come; or `uploading`, when the file is stored and will be registered later. */
  status: string;
  /** Whether an earlier upload with the same key has stored it. */
  replayed: boolean;
}

/** How far a document has come. `needs_review`: it was read to its end, and what was read is in doubt. */
export type DocumentStatus = "uploading" | "uploaded" | "processing" | "completed" | "needs_review" | "failed" | "refused" | "infected" | "erasing";

/** Left, top, right, bottom, as fractions of the page. */
export type Box = [number, number, number, number];

/** Why a document needs review. */
export interface Doubt {
  /** A word: `low_ocr_confidence`, `row_not_understood`, `flag_and_range_disagree` … */
  reason: string;
  page: number | null;
  box: Box | null;
  /** The words on the page that it is about. */
  text: string | null;
  /** The number of the fact that it is about. */
  fact: number | null;
}

/** What a document says. */
export interface Fact {
  number: number;
  kind: "patient" | "provider" | "date" | "condition" | "medication" | "lab" | "allergy" | "procedure" | "finding" | "vital_sign" | "immunisation" | "appointment";
  name: string;
  /** The words on the page that say it. */
  written?: string;
  value: Record<string, unknown>;
  /** Whether it holds now. Only `current` and `changed` do. */
  status: "current" | "stopped" | "changed" | "historical" | "ruled_out" | "suspected" | "family" | "planned";
  certainty: "certain" | "likely" | "possible";
  /** The words that decided status or certainty. */
  decided_by?: { text: string; page?: number; box?: Box };
  code_system?: string;
  code?: string;
  page?: number;
  box?: Box;
  confidence?: number;
  doubts: Partial<Doubt>[];
}

/** How a person has ended a review. */
export interface Review {
  decision: "confirmed" | "unusable";
  note: string | null;
  by: string | null;
  at: string;
}

/** A document as the function shows it. What was found in it is there when one document is asked for, and not in lists. */
export interface Document {
  id: string;
  status: DocumentStatus;
  /** Why it needs review, the most frequent reason first; empty for any other. */
  reasons?: string[];
  facts?: Fact[];
  doubts?: Doubt[];
  review?: Review | null;
  stage: string | null;
  percent: number;
  filename: string;
  mime_type: string;
  size: number | null;
  page_count: number | null;
  [key: string]: unknown;
}

const BUCKET = "gristmill";
const ATTEMPTS = 5;

export class Uploads {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Uploads a file. It may be called again with the same key: one key is one document. */
  async send(file: Blob | Uint8Array<ArrayBuffer>, options: UploadOptions = {}): Promise<Uploaded> {
    const blob = file instanceof Uint8Array ? new Blob([file]) : file;
    const filename = options.filename ?? (file as { name?: string }).name;
    const key = options.idempotencyKey ?? uuid();
    return options.way === "storage" ? this.#toStorage(blob, filename, key, options) : this.#toFunction(blob, filename, key, options);
  }

  /** A document's way through its stages. The last snapshot has what was found in it. */
  watch(id: string, options?: WatchOptions): AsyncGenerator<Snapshot<Document, Document>, void, void> {
    return watch(this.#http, "document", id, options);
  }

  get(id: string, options: { signal?: AbortSignal } = {}): Promise<Document> {
    return this.#http.call(`documents/v1/documents/${encodeURIComponent(id)}`, options);
  }

  list(options: { profileId?: string; before?: string; limit?: number; signal?: AbortSignal } = {}): Promise<Document[]> {
    return this.#http.call(`documents/v1/documents${query({ profile_id: options.profileId, before: options.before, limit: options.limit })}`, { signal: options.signal });
  }

  /** Ends the review of a document that needs one: what was read is right, or must not be relied on. The document is then completed. */
  review(id: string, decision: Review["decision"], note?: string): Promise<Review> {
    return this.#http.call(`documents/v1/documents/${encodeURIComponent(id)}/review`, { method: "POST", json: { decision, note } });
  }

  /** Erases the file, its rows and everything that was read out of it. */
  async erase(id: string): Promise<void> {
    await this.#http.call(`documents/v1/documents/${encodeURIComponent(id)}`, { method: "DELETE" });
  }

  async #toFunction(file: Blob, filename: string | undefined, key: string, options: UploadOptions): Promise<Uploaded> {
    const url = `${this.#http.functions}/documents/v1/documents${query({ filename, profile_id: options.profileId })}`;
    const { text, replayed } = await this.#patiently(options, () => this.#put(url, file, { "idempotency-key": key, "content-type": "application/octet-stream" }, options));
    return { ...(JSON.parse(text) as { id: string; status: string }), replayed };
  }

  async #toStorage(file: Blob, filename: string | undefined, key: string, options: UploadOptions): Promise<Uploaded> {
    const { signal } = options;
    const type = options.type ?? file.type;
    const sha256 = Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer())), (byte) => byte.toString(16).padStart(2, "0")).join("");
    const begun = (await this.#http.rpc("begin_document_upload", {
      p_mime_type: type, p_filename: filename ?? null, p_idempotency_key: key, p_profile_id: options.profileId ?? null,
    }, { signal, isSafe: true })) as { id: string; place: string; is_stored: boolean; over?: string[] };
    if (begun.over) throw overPlan(begun.over);
    const object = `${this.#http.url}/storage/v1/object/${BUCKET}/${begun.place}`;
    if (!begun.is_stored) {
      let attempt = 0;
      await this.#patiently(options, async () => {
        attempt += 1;
        try {
          return await this.#put(object, file, { "content-type": type, "x-upsert": "false" }, options);
        } catch (error) {
          // The place is of this call alone. What lies there is what an attempt without an answer has stored: storage keeps nothing by halves.
          if (attempt > 1 && error instanceof GristmillError && (error.status === 409 || error.code === "Duplicate")) return { text: "", replayed: false };
          throw error;
        }
      });
    }
    const finished = (await this.#http.rpc("finish_document_upload", { p_id: begun.id, p_place: begun.place, p_size: file.size, p_sha256: sha256 }, { signal, isSafe: true })) as {
      id: string; status: string; is_new: boolean; is_other?: boolean; over?: string[];
    };
    // Another upload with this key was faster. What this one has stored belongs to nobody; the sweep removes what stays.
    if (!finished.is_new && !begun.is_stored) await this.#http.request(object, { method: "DELETE" }).catch(() => undefined);
    if (finished.over?.length) throw overPlan(finished.over);
    if (finished.is_other) throw new GristmillError("other_body", "This idempotency key was used for another file.", { status: 422 });
    return { id: finished.id, status: finished.status, replayed: !finished.is_new };
  }

  async #patiently<T>({ signal }: UploadOptions, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        const pause = attempt < ATTEMPTS ? pauseAfter(error, attempt) : null;
        if (pause === null || signal?.aborted) throw error;
        await sleep(pause, signal);
      }
    }
  }

  async #put(url: string, file: Blob, headers: Record<string, string>, { onProgress, signal }: UploadOptions): Promise<{ text: string; replayed: boolean }> {
    const report = (sent: number) => onProgress?.({ sent, total: file.size, percent: file.size === 0 ? 100 : Math.floor((sent / file.size) * 100) });
    report(0);
    // fetch does not tell how much was sent; where XMLHttpRequest exists, it does.
    if (onProgress && typeof XMLHttpRequest !== "undefined") {
      const answer = await sendWithXhr(url, file, { ...(await this.#http.credentials()), ...headers }, report, signal);
      report(file.size);
      return answer;
    }
    const body = onProgress ? file.stream().pipeThrough(counting(report)) : file;
    const answer = await this.#http.request(url, { method: "POST", body, headers, signal, isLong: true });
    return { text: await answer.text(), replayed: answer.headers.has("idempotent-replayed") };
  }
}

function counting(report: (sent: number) => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let sent = 0;
  return new TransformStream({
    transform(chunk, controller) {
      report((sent += chunk.byteLength));
      controller.enqueue(chunk);
    },
  });
}

function sendWithXhr(url: string, file: Blob, headers: Record<string, string>, report: (sent: number) => void, signal?: AbortSignal) {
  return new Promise<{ text: string; replayed: boolean }>((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const request = new XMLHttpRequest();
    const onAbort = () => request.abort();
    signal?.addEventListener("abort", onAbort, { once: true });
    request.open("POST", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => report(Math.min(loaded, file.size));
    request.onloadend = () => {
      signal?.removeEventListener("abort", onAbort);
      if (signal?.aborted) reject(signal.reason);
      else if (request.status === 0) reject(noAnswer(new TypeError("the connection failed")));
      else if (request.status >= 400) reject(refused(request.status, request.responseText, request.getResponseHeader("retry-after")));
      else resolve({ text: request.responseText, replayed: request.getResponseHeader("idempotent-replayed") !== null });
    };
    request.send(file);
  });
}

const overPlan = (over: string[]) => new GristmillError("plan_limit", `The plan does not cover the file, which is past these limits: ${over.join(", ")}.`, { status: 402, details: JSON.stringify({ over }) });

/** A query without what is not given. */
export function query(values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string | number] => entry[1] !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
