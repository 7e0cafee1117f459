// Calls of Postgres: one RPC of PostgREST per operation, retried where the protocol says so.
import { GristmillError, isRolledBack } from "./errors.js";

export interface Options {
  /** Of the project: `https://….supabase.co`. By default SUPABASE_URL, then GRISTMILL_URL. */
  url?: string;
  /** The service key. By default SUPABASE_SERVICE_ROLE_KEY, then GRISTMILL_SERVICE_KEY. */
  key?: string;
  /** A user's token, for calls on behalf of that user. */
  token?: string | (() => string | Promise<string>);
  /** Where variables are read from: the `env` of a Cloudflare Worker. By default those of the process. */
  env?: unknown;
  fetch?: typeof fetch;
  /** Where the functions of `public` were installed into another schema. */
  schema?: string;
  /** Milliseconds for one call; 10,000 by default. */
  timeout?: number;
  /** The clock, in milliseconds. */
  now?: () => number;
}

export interface CallOptions {
  /** Whether a call may be repeated whose outcome is not known. Otherwise it is repeated only when Postgres says that it did nothing. */
  repeatable?: boolean;
  /** No retry begins after so many milliseconds; 15,000 by default. */
  patience?: number;
  signal?: AbortSignal;
  onAnswer?: (answer: Response, begun: number) => void;
}

type Scope = { process?: { env: Record<string, string> }; Deno?: { env: { toObject(): Record<string, string> } } };

/** The variables of this process, where there are any and they may be read. */
export function variables(): Record<string, string | undefined> {
  const { Deno, process } = globalThis as Scope;
  try {
    return Deno?.env.toObject() ?? process?.env ?? {};
  } catch {
    return {};
  }
}

// How calls are sent where the user has not said: see node-http.ts. Whoever has put another fetch into its place since this module was loaded, a test
// for instance, wants that one to be called.
const usual = globalThis.fetch;

const sleep = (ms: number, signal?: AbortSignal) => new Promise<void>((resolve, reject) => {
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener("abort", () => {
    clearTimeout(timer);
    reject(signal.reason);
  }, { once: true });
});

export class Rpc {
  constructor(readonly options: Options, readonly traceparent?: string) {}

  /** A variable of `env` or of the process. */
  variable(name: string): string | undefined {
    return (this.options.env as Record<string, string> | undefined)?.[name] ?? variables()[name];
  }

  async call<T = any>(name: string, args: object = {}, { repeatable = false, patience = 15_000, signal, onAnswer }: CallOptions = {}): Promise<T> {
    const body = JSON.stringify(args);
    const begun = Date.now();
    for (let pause = 100; ; pause = Math.min(pause * 2, 30_000)) {
      try {
        return await this.#once(name, body, signal, onAnswer);
      } catch (error) {
        if (signal?.aborted) throw error;
        const { retryable, wait = 0 } = error as GristmillError & { wait?: number };
        const rest = Math.max(pause * (1 - Math.random() / 2), wait);
        if (!retryable || !(repeatable || isRolledBack(error)) || Date.now() - begun + rest > patience) throw error;
        await sleep(rest, signal);
      }
    }
  }

  async #once<T>(name: string, body: string, signal?: AbortSignal, onAnswer?: CallOptions["onAnswer"]): Promise<T> {
    // Looked up with each call, so that a module may make its client before the variables are there.
    const { url = this.variable("SUPABASE_URL") ?? this.variable("GRISTMILL_URL"), key = this.variable("SUPABASE_SERVICE_ROLE_KEY") ?? this.variable("GRISTMILL_SERVICE_KEY"),
      token, schema, timeout = 10_000, fetch: send = fetch === usual ? (await import("./node-http.js")).send : fetch } = this.options;
    if (!url || !key) throw new GristmillError("misconfigured", `gristmill() has no ${url ? "key" : "url"}`);
    const bearer = (typeof token === "function" ? await token() : token) ?? key;
    signal?.throwIfAborted();
    const begun = performance.now();
    const control = new AbortController();
    const stop = () => control.abort(signal!.reason);
    signal?.addEventListener("abort", stop);
    const timer = setTimeout(() => control.abort(), timeout);
    let answer: Response, text: string;
    try {
      answer = await send(`${url.replace(/\/$/, "")}/rest/v1/rpc/${name}`, {
        method: "POST", body, signal: control.signal,
        headers: {
          apikey: key, Authorization: `Bearer ${bearer}`, "Content-Type": "application/json",
          ...(schema && { "Content-Profile": schema }),
          ...(this.traceparent && { traceparent: this.traceparent }),
        },
      });
      text = await answer.text();
    } catch (cause) {
      signal?.throwIfAborted();
      throw new GristmillError("no_answer", `${name}: ${control.signal.aborted ? `no answer after ${timeout} ms` : `no connection to ${url}`}`, { cause, retryable: true });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
    if (answer.status >= 300) {
      const { errorOf, waitOf } = await import("./refusal.js");
      throw Object.assign(errorOf(name, answer.status, text), { wait: waitOf(answer.headers.get("retry-after")) });
    }
    onAnswer?.(answer, begun);
    return JSON.parse(text || "null");
  }
}
