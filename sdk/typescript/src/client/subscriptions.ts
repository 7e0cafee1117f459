// What views of a page watch of refresh's data: one subscription on the server per symbol and type, one stream of changes, one timer.
//
//   watch ──► subscribe ──► read the rows ──► changes … heartbeat every minute ──► last view goes, 5 s ──► unsubscribe
import { GristmillError } from "../errors.js";
import type { Http } from "./http.js";
import { backoff, sleep } from "./http.js";
import { connect } from "./stream.js";

/** The rows of a symbol's data, the latest first. */
export interface Change<Row = Record<string, unknown>> {
  symbol: string;
  type: string;
  rows: Row[];
  /** When they changed; null for what was there when the watching began. */
  at: string | null;
}

export interface SubscriptionOptions {
  /** Called when the server refuses the subscription: no such symbol or type (GM036), too many (GM038), signed out. */
  onError?: (error: GristmillError) => void;
}

export interface ManagerOptions {
  /** Milliseconds between heartbeats. The server forgets a subscription after five minutes of silence. */
  heartbeat?: number;
  /** Milliseconds for which a subscription outlives its last view, so that a view that comes back costs nothing. */
  grace?: number;
}

interface View {
  listener: (change: Change<any>) => void;
  onError: ((error: GristmillError) => void) | undefined;
}

interface Watched {
  symbol: string;
  type: string;
  views: Set<View>;
  latest: Change | undefined;
  /** Set while nobody looks and the subscription is kept a little longer. */
  ending: ReturnType<typeof setTimeout> | undefined;
  /** The server refused it for good. */
  refused: GristmillError | undefined;
  isSubscribed: boolean;
  /** The server may have it: it was asked for, whether or not an answer came. */
  isAsked: boolean;
}

/** The data of an event. */
interface DataChange {
  symbol: string;
  data_type: string;
  rows: Record<string, unknown>[];
  at: string;
}

interface Table {
  table_name: string;
  symbol_column: string;
  timestamp_column: string;
}

const RECONNECT = 1_000;
const LONGEST_PAUSE = 30_000;
const ROWS = 20;

export class Subscriptions {
  readonly #http: Http;
  readonly #heartbeat: number;
  readonly #grace: number;
  readonly #watched = new Map<string, Watched>();
  /** Calls about one subscription are made one after another, so that none overtakes another: also those of a view that comes while the last one goes. */
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #tables = new Map<string, Promise<Table>>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #stream: AbortController | undefined;
  /** Ends the pause before the next connection. */
  #wake: (() => void) | undefined;
  #lastEventId: string | undefined;
  #lastBeat = 0;
  #channel: BroadcastChannel | undefined;

  constructor(http: Http, { heartbeat = 60_000, grace = 5_000 }: ManagerOptions = {}) {
    this.#http = http;
    this.#heartbeat = heartbeat;
    this.#grace = grace;
  }

  /**
   * Calls the listener with the rows of a symbol's data, now and whenever they change. Any number of views may watch the same thing.
   * Gives the function that ends it.
   */
  watch<Row = Record<string, unknown>>(symbol: string, type: string, listener: (change: Change<Row>) => void, { onError }: SubscriptionOptions = {}): () => void {
    const key = keyOf(symbol, type);
    let watched = this.#watched.get(key);
    if (!watched) {
      watched = { symbol, type, views: new Set(), latest: undefined, ending: undefined, refused: undefined, isSubscribed: false, isAsked: false };
      this.#watched.set(key, watched);
    }
    clearTimeout(watched.ending);
    watched.ending = undefined;
    const view: View = { listener, onError };
    watched.views.add(view);
    const { latest, refused } = watched;
    if (latest) queueMicrotask(() => watched.views.has(view) && listener(latest as Change<Row>));
    if (refused) queueMicrotask(() => watched.views.has(view) && onError?.(refused));
    if (!this.#timer) this.#begin();
    // A view that comes back while the first call is under way finds the subscription made.
    if (!watched.isSubscribed) this.#enqueue(watched, async () => watched.isSubscribed || this.#subscribe(watched, true));
    return () => this.#leave(watched, view);
  }

  /** Ends every subscription, at once. */
  async close(): Promise<void> {
    for (const watched of [...this.#watched.values()]) {
      watched.views.clear();
      clearTimeout(watched.ending);
      this.#forget(watched);
    }
    await Promise.all(this.#queues.values());
  }

  /** How many subscriptions and timers there are: for tests, and for those who look for leaks. */
  get open(): { subscriptions: number; isListening: boolean; hasTimer: boolean } {
    return { subscriptions: this.#watched.size, isListening: this.#stream !== undefined, hasTimer: this.#timer !== undefined };
  }

  #leave(watched: Watched, view: View): void {
    if (!watched.views.delete(view) || watched.views.size > 0) return;
    watched.ending = setTimeout(() => this.#forget(watched), this.#grace);
  }

  #forget(watched: Watched): void {
    this.#watched.delete(keyOf(watched.symbol, watched.type));
    this.#enqueue(watched, () => this.#unsubscribe(watched));
    if (this.#watched.size === 0) this.#end();
  }

  #enqueue(watched: Watched, work: () => Promise<unknown>): void {
    const key = keyOf(watched.symbol, watched.type);
    const next = (this.#queues.get(key) ?? Promise.resolve(undefined)).then(work).finally(() => {
      if (this.#queues.get(key) === next) this.#queues.delete(key);
    });
    this.#queues.set(key, next);
  }

  // The first view of all: from here on there are a timer, a stream, and listeners of the page.
  #begin(): void {
    this.#lastBeat = Date.now();
    this.#timer = setInterval(() => this.#beat(), this.#heartbeat);
    this.#openStream();
    if (typeof document === "undefined") return;
    addEventListener("pagehide", this.#onPageHide);
    addEventListener("pageshow", this.#onPageShow);
    addEventListener("online", this.#onReturn);
    document.addEventListener("visibilitychange", this.#onReturn);
    if (typeof BroadcastChannel !== "undefined") {
      this.#channel = new BroadcastChannel("gristmill-subscriptions");
      this.#channel.onmessage = ({ data }) => this.#onOtherPage(data);
    }
  }

  // Nobody watches anything: nothing is left that would run.
  #end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#closeStream();
    this.#lastEventId = undefined;
    if (typeof document === "undefined") return;
    removeEventListener("pagehide", this.#onPageHide);
    removeEventListener("pageshow", this.#onPageShow);
    removeEventListener("online", this.#onReturn);
    document.removeEventListener("visibilitychange", this.#onReturn);
    this.#channel?.close();
    this.#channel = undefined;
  }

  #openStream(): void {
    if (this.#stream) return;
    this.#stream = new AbortController();
    void this.#listen(this.#stream.signal);
  }

  #closeStream(): void {
    this.#stream?.abort();
    this.#stream = undefined;
  }

  /** Tells the server that all of it is still watched. */
  #beat(): void {
    this.#lastBeat = Date.now();
    for (const watched of this.#watched.values()) {
      if (!watched.refused) this.#enqueue(watched, () => this.#subscribe(watched, !watched.isSubscribed));
    }
  }

  async #subscribe(watched: Watched, reads: boolean): Promise<void> {
    const { symbol, type } = watched;
    if (this.#watched.get(keyOf(symbol, type)) !== watched || watched.refused) return;
    watched.isAsked = true;
    try {
      const answer = await this.#http.rpc("upsert_active_subscription_v2", { p_symbol: symbol, p_data_type: type }, { isSafe: true });
      const isNew = (answer as { status?: string }).status === "new";
      watched.isSubscribed = true;
      // After a sleep of more than five minutes the server has forgotten it, and the stream missed what happened.
      if (reads || isNew) await this.#read(watched);
    } catch (error) {
      // What passes by itself is tried again with the next heartbeat.
      if (!(error instanceof GristmillError) || error.retryable || error.status === 401) return;
      Object.assign(watched, { refused: error, isAsked: false });
      for (const { onError } of watched.views) onError?.(error);
    }
  }

  /** The rows as they are now. */
  async #read(watched: Watched): Promise<void> {
    const { symbol, type, latest } = watched;
    // A table that the user may not read is seen through its changes alone, which are kept for an hour.
    const stored = await this.#rows(symbol, type).catch(() => []);
    const change = stored.length === 0 ? await this.#lastChange(symbol, type).catch(() => undefined) : undefined;
    // A change that came meanwhile is newer than what was read.
    if (watched.latest === latest) this.#tell(watched, { symbol, type, rows: change?.rows ?? stored, at: change?.at ?? null });
  }

  async #rows(symbol: string, type: string): Promise<Record<string, unknown>[]> {
    const { table_name, symbol_column, timestamp_column } = await this.#table(type);
    const query = new URLSearchParams({ [symbol_column]: `eq.${symbol}`, order: `${timestamp_column}.desc`, limit: String(ROWS) });
    const answer = await this.#http.request(`${this.#http.url}/rest/v1/${encodeURIComponent(table_name)}?${query}`);
    return (await answer.json()) as Record<string, unknown>[];
  }

  async #lastChange(symbol: string, type: string): Promise<DataChange | undefined> {
    for (let after = 0; ; ) {
      const { events } = (await this.#http.rpc("get_data_changes", { p_after: after }, { isSafe: true })) as unknown as { events: { id: number; data: DataChange }[] };
      const found = events.find(({ data }) => data.symbol === symbol && data.data_type === type);
      if (found || events.length === 0) return found?.data;
      after = events.at(-1)!.id;
    }
  }

  #table(type: string): Promise<Table> {
    let found = this.#tables.get(type);
    if (!found) {
      const query = new URLSearchParams({ data_type: `eq.${type}`, select: "table_name,symbol_column,timestamp_column" });
      found = this.#http.request(`${this.#http.url}/rest/v1/data_type_registry?${query}`).then(async (answer) => {
        const [table] = (await answer.json()) as Table[];
        if (!table) throw new GristmillError("GM036", `There is no data type "${type}".`);
        return table;
      });
      found.catch(() => this.#tables.delete(type));
      this.#tables.set(type, found);
    }
    return found;
  }

  #tell(watched: Watched, change: Change): void {
    watched.latest = change;
    for (const { listener } of [...watched.views]) listener(change);
  }

  async #unsubscribe(watched: Watched): Promise<void> {
    if (!watched.isAsked) return;
    if (this.#watched.has(keyOf(watched.symbol, watched.type))) return; // another view came meanwhile
    // Without an answer the server forgets it by itself, after five minutes.
    await this.#http.request(this.#rowsOf([watched]), { method: "DELETE" }).then(() => this.#tellOtherPages([watched]), () => undefined);
  }

  /** The rows of these subscriptions, and of this user alone, whatever else the token may see. */
  #rowsOf(all: Watched[]): string {
    const rows = all.map(({ symbol, type }) => `and(symbol.eq.${quoted(symbol)},data_type.eq.${quoted(type)})`);
    const query = new URLSearchParams({ or: `(${rows.join(",")})` });
    const user = subjectOf(this.#http.lastToken);
    if (user !== undefined) query.set("user_id", `eq.${user}`);
    return `${this.#http.url}/rest/v1/active_subscriptions_v2?${query}`;
  }

  /** The stream of changes, over as many connections as it takes. */
  async #listen(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        for await (const { id, data } of connect(this.#http, "refresh/v1/changes", this.#lastEventId, signal)) {
          failures = 0;
          if (id) this.#lastEventId = id;
          const { symbol, data_type: type, rows, at } = data as DataChange;
          const watched = this.#watched.get(keyOf(symbol, type));
          if (watched) this.#tell(watched, { symbol, type, rows, at });
        }
        failures = 0;
      } catch {
        failures += 1;
      }
      if (signal.aborted) return;
      const waiting = new AbortController();
      const stop = () => waiting.abort();
      this.#wake = stop;
      signal.addEventListener("abort", stop, { once: true });
      await sleep(failures === 0 ? RECONNECT : backoff(failures, RECONNECT, LONGEST_PAUSE), waiting.signal).catch(() => undefined);
      signal.removeEventListener("abort", stop);
    }
  }

  // The network or the person is back. A machine that slept may have missed heartbeats. Going from tab to tab is no reason to send more of them.
  readonly #onReturn = ({ type }: Event): void => {
    if (document.visibilityState === "hidden") return;
    this.#wake?.();
    if (type !== "visibilitychange" || Date.now() - this.#lastBeat > this.#heartbeat) this.#beat();
  };

  // The page goes, perhaps for ever: one request for all, which the browser sends without the page.
  readonly #onPageHide = (): void => {
    this.#closeStream(); // browsers do not keep a page that is still receiving
    const all = [...this.#watched.values()].filter(({ isAsked }) => isAsked);
    if (all.length === 0) return;
    for (const watched of all) Object.assign(watched, { isSubscribed: false, isAsked: false });
    const { fetch } = this.#http;
    void fetch(this.#rowsOf(all), { method: "DELETE", headers: this.#http.credentialsNow(), keepalive: true }).catch(() => undefined);
    this.#tellOtherPages(all);
  };

  // A page that was kept (back and forward) looks at the same things again.
  readonly #onPageShow = (event: PageTransitionEvent): void => {
    if (!event.persisted) return;
    this.#openStream();
    this.#onReturn(event);
  };

  #tellOtherPages(all: Watched[]): void {
    this.#channel?.postMessage(all.map(({ symbol, type }) => keyOf(symbol, type)));
  }

  // Another page of the same user has ended a subscription that the user has only once. Subscribe again, after its request.
  #onOtherPage(keys: unknown): void {
    for (const key of Array.isArray(keys) ? keys : []) {
      const watched = this.#watched.get(key);
      if (watched && !watched.refused) this.#enqueue(watched, () => sleep(500).then(() => this.#subscribe(watched, false)));
    }
  }
}

const keyOf = (symbol: string, type: string) => `${type}\n${symbol}`;

/** A value within a list of PostgREST, where dots and commas have a meaning. */
const quoted = (value: string) => `"${value.replace(/["\\]/g, "\\$&")}"`;

/** Whose token it is. */
function subjectOf(token: string | undefined): string | undefined {
  try {
    const [, claims] = token!.split(".");
    const { sub } = JSON.parse(atob(claims!.replace(/-/g, "+").replace(/_/g, "/"))) as { sub?: string };
    return sub;
  } catch {
    return undefined;
  }
}
