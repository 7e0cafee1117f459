// Calls of Postgres: one RPC of PostgREST per operation, retried where the protocol says so.
import { errorOf, GristmillError, isRolledBack } from "./errors.js";
/** The variables of this process, where there are any and they may be read. */
export function variables() {
    const { Deno, process } = globalThis;
    try {
        return Deno?.env.toObject() ?? process?.env ?? {};
    }
    catch {
        return {};
    }
}
const sleep = (ms, signal) => new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason);
    }, { once: true });
});
export class Rpc {
    options;
    traceparent;
    #found;
    constructor(options, traceparent) {
        this.options = options;
        this.traceparent = traceparent;
    }
    /** A variable of `env` or of the process. */
    variable(name) {
        return this.options.env?.[name] ?? variables()[name];
    }
    // Looked up at the first call, so that a module may make its client before the variables are there.
    get #where() {
        if (this.#found)
            return this.#found;
        const url = this.options.url ?? this.variable("SUPABASE_URL") ?? this.variable("GRISTMILL_URL");
        const key = this.options.key ?? this.variable("SUPABASE_SERVICE_ROLE_KEY") ?? this.variable("GRISTMILL_SERVICE_KEY");
        if (!url || !key)
            throw new GristmillError("misconfigured", `give gristmill() the ${url ? "key" : "url"}, or set SUPABASE_${url ? "SERVICE_ROLE_KEY" : "URL"}`);
        return (this.#found = { url: url.replace(/\/+$/, ""), key });
    }
    async call(name, args = {}, { repeatable = false, patience = 15_000, signal, onAnswer } = {}) {
        const body = JSON.stringify(args);
        const begun = Date.now();
        for (let pause = 100;; pause = Math.min(pause * 2, 30_000)) {
            try {
                return await this.#once(name, body, signal, onAnswer);
            }
            catch (error) {
                if (signal?.aborted)
                    throw error;
                const { retryable, wait = 0 } = error;
                const rest = Math.max(pause * (1 - Math.random() / 2), wait);
                if (!retryable || !(repeatable || isRolledBack(error)) || Date.now() - begun + rest > patience)
                    throw error;
                await sleep(rest, signal);
            }
        }
    }
    async #once(name, body, signal, onAnswer) {
        const { token, schema, timeout = 10_000, fetch: send = fetch } = this.options;
        const { url, key } = this.#where;
        const bearer = (typeof token === "function" ? await token() : token) ?? key;
        signal?.throwIfAborted();
        const begun = performance.now();
        const control = new AbortController();
        const stop = () => control.abort(signal.reason);
        signal?.addEventListener("abort", stop);
        const timer = setTimeout(() => control.abort(), timeout);
        let answer, text;
        try {
            answer = await send(`${url}/rest/v1/rpc/${name}`, {
                method: "POST", body, signal: control.signal,
                headers: {
                    apikey: key, Authorization: `Bearer ${bearer}`, "Content-Type": "application/json",
                    ...(schema && { "Content-Profile": schema }),
                    ...(this.traceparent && { traceparent: this.traceparent }),
                },
            });
            text = await answer.text();
        }
        catch (cause) {
            signal?.throwIfAborted();
            throw new GristmillError("no_answer", `${name}: ${control.signal.aborted ? `no answer after ${timeout} ms` : `no connection to ${url}`}`, { cause, retryable: true });
        }
        finally {
            clearTimeout(timer);
            signal?.removeEventListener("abort", stop);
        }
        if (answer.status >= 400)
            throw Object.assign(errorOf(name, answer.status, text), { wait: waitOf(answer.headers.get("retry-after")) });
        onAnswer?.(answer, begun);
        return text ? JSON.parse(text) : null;
    }
}
/** Milliseconds until the time in Retry-After, which is in seconds or a date. */
const waitOf = (header) => Math.max(0, (Number(header) * 1000 || Date.parse(header ?? "") - Date.now()) || 0);
