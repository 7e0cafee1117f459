// Requests to the functions and to PostgREST: with the caller's token, a time limit, and retries where they are safe.
import type { RpcAnswer, RpcArguments, RpcName } from "../rpc-types.js";
import { GristmillError, QueueFull, UnknownKind } from "../errors.js";

/** Who calls, and where. */
export interface ClientOptions {
  /** Where the project is, for example `https://abc.supabase.co`. */
  url: string;
  /** The anon key. */
  key: string;
  /** The token of the user who has signed in. It is asked for before each request, so that an expired one is never used twice. */
  token?: string | (() => string | null | undefined | Promise<string | null | undefined>);
  /** Where the functions are, if not below `url` at `/functions/v1`. */
  functionsUrl?: string;
  /** In place of the global fetch. */
  fetch?: typeof fetch;
  /** Milliseconds that one request may take, 10,000 by default. Uploads, downloads and streams have no limit. */
  timeout?: number;
}

export interface RequestOptions {
  method?: string;
  /** Sent as JSON. */
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
  /** Makes a POST safe to repeat. */
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
  /** No time limit, and the answer as it is: for streams and files. */
  isLong?: boolean;
}

const ATTEMPTS = 5;
const LONGEST_PAUSE = 30_000;
const WORDS: Record<string, typeof GristmillError> = { unknown_kind: UnknownKind, GM001: UnknownKind, queue_full: QueueFull, GM006: QueueFull };
// Postgres could not do it this time: docs/protocol.md, "What to retry".
const PASSING = new Set(["40001", "40P01", "55P03", "57014", "25006", "GWT429", "still_running"]);

export class Http {
  readonly url: string;
  readonly functions: string;
  /** The token that was used last, for the moment in which a page goes and nothing can be awaited. */
  lastToken: string | undefined;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.url = options.url.replace(/\/+$/, "");
    this.functions = (options.functionsUrl ?? `${this.url}/functions/v1`).replace(/\/+$/, "");
  }

  /** The headers that say who calls. */
  async credentials(): Promise<Record<string, string>> {
    const { key, token } = this.#options;
    this.lastToken = (typeof token === "function" ? await token() : token) ?? undefined;
    return this.credentialsNow(key);
  }

  /** The same with the token that was used last. */
  credentialsNow(key = this.#options.key): Record<string, string> {
    return { apikey: key, authorization: `Bearer ${this.lastToken ?? key}` };
  }

  get fetch(): typeof fetch {
    return this.#options.fetch ?? globalThis.fetch;
  }

  /** The JSON that a function answers. */
  async call<T>(path: string, options: RequestOptions = {}): Promise<T> {
    return (await this.callWhole<T>(path, options)).json;
  }

  /** The JSON that a function answers, with the answer's headers. */
  async callWhole<T>(path: string, options: RequestOptions = {}): Promise<{ json: T; headers: Headers }> {
    const answer = await this.request(`${this.functions}/${path}`, options);
    const text = await answer.text();
    return { json: (text ? JSON.parse(text) : null) as T, headers: answer.headers };
  }

  /** Calls a function of Postgres. It is repeated only where it is told that this is safe. */
  async rpc<N extends RpcName>(name: N, args: RpcArguments<N>, options: { signal?: AbortSignal | undefined; isSafe?: boolean } = {}): Promise<RpcAnswer<N>> {
    const url = `${this.url}/rest/v1/rpc/${name}`;
    const request = { method: "POST", json: args, signal: options.signal };
    const answer = await (options.isSafe ? this.#retried(url, request) : this.#once(url, request));
    const text = await answer.text();
    return (text ? JSON.parse(text) : null) as RpcAnswer<N>;
  }

  /** One request, repeated while its failure is one that passes, if the second one does no harm. */
  request(url: string, options: RequestOptions = {}): Promise<Response> {
    const method = options.method ?? "GET";
    const isSafe = method === "GET" || method === "DELETE" || options.idempotencyKey !== undefined;
    return isSafe ? this.#retried(url, options) : this.#once(url, options);
  }

  async #retried(url: string, options: RequestOptions): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#once(url, options);
      } catch (error) {
        const pause = attempt < ATTEMPTS ? pauseAfter(error, attempt) : null;
        if (pause === null || options.signal?.aborted) throw error;
        await sleep(pause, options.signal);
      }
    }
  }

  async #once(url: string, { method = "GET", json, body, headers, idempotencyKey, signal, isLong = false }: RequestOptions): Promise<Response> {
    signal?.throwIfAborted();
    const limit = new AbortController();
    const onAbort = () => limit.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    const timer = isLong ? undefined : setTimeout(() => limit.abort(new DOMException("No answer in time", "TimeoutError")), this.#options.timeout ?? 10_000);
    try {
      const sent: Record<string, string> = { ...(await this.credentials()), ...headers };
      if (json !== undefined) sent["content-type"] = "application/json";
      if (idempotencyKey !== undefined) sent["idempotency-key"] = idempotencyKey;
      // Called without a `this`: browsers refuse a fetch that is called as a method of another object.
      const { fetch } = this;
      const init: RequestInit & { duplex?: "half" } = { method, headers: sent, signal: limit.signal };
      const content = json === undefined ? body : JSON.stringify(json);
      if (content !== undefined) init.body = content;
      if (content instanceof ReadableStream) init.duplex = "half";
      const answer = await fetch(url, init);
      if (!answer.ok) throw await refusal(answer);
      if (isLong) return answer;
      // Read within the time limit: a body that never ends is an answer that never comes.
      return new Response(answer.status === 204 ? null : await answer.arrayBuffer(), { status: answer.status, headers: answer.headers });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw error instanceof GristmillError ? error : noAnswer(error);
    } finally {
      clearTimeout(timer);
      if (!isLong) signal?.removeEventListener("abort", onAbort);
    }
  }
}

// How long a refused caller was told to wait, in seconds.
const waits = new WeakMap<GristmillError, number>();

export function noAnswer(cause: unknown): GristmillError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new GristmillError("no_answer", `There was no answer: ${message}`, { retryable: true, cause });
}

/** What an answer from 400 on says: a problem of a function, or an error of PostgREST or of storage. */
export async function refusal(answer: Response): Promise<GristmillError> {
  return refused(answer.status, await answer.text().catch(() => ""), answer.headers.get("retry-after"));
}

export function refused(status: number, text: string, retryAfter: string | null): GristmillError {
  let said: Record<string, unknown> = {};
  try {
    said = Object(JSON.parse(text));
  } catch {
    // A proxy answers with a page.
  }
  const { type, title, status: _, code, detail, message, details, hint, error: word, correlation_id, ...more } = said;
  const name = String(code ?? word ?? status);
  const error = new (WORDS[name] ?? GristmillError)(name, String(detail ?? message ?? title ?? `The answer was ${status}`), {
    status, hint: typeof hint === "string" ? hint : null,
    // A problem has its figures beside the code, PostgREST one text.
    details: typeof details === "string" ? details : Object.keys(more).length > 0 ? JSON.stringify(more) : null,
    retryable: [502, 503, 504].includes(status) || PASSING.has(name),
  });
  const wait = seconds(retryAfter);
  if (wait !== undefined) waits.set(error, wait);
  return error;
}

const seconds = (header: string | null): number | undefined => {
  if (header === null) return undefined;
  const number = Number(header);
  const value = Number.isNaN(number) ? (Date.parse(header) - Date.now()) / 1000 : number;
  return Number.isFinite(value) ? Math.max(0, value) : undefined;
};

/** Milliseconds until a request may be repeated; null for one that must not be. */
export function pauseAfter(error: unknown, attempt: number): number | null {
  if (!(error instanceof GristmillError) || !error.retryable) return null;
  const least = (waits.get(error) ?? 0) * 1000;
  return least > LONGEST_PAUSE ? null : Math.max(least, backoff(attempt, 100, LONGEST_PAUSE));
}

/** Twice as long each time, and shortened by up to a half at random, so that those who failed together do not come back together. */
export const backoff = (attempt: number, first: number, most: number): number => Math.min(first * 2 ** (attempt - 1), most) * (1 - Math.random() / 2);

/** A pause that ends early, with the signal's reason, when the caller gives up. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** A random UUID. crypto.randomUUID is missing on pages without TLS. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
