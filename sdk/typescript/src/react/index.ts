// gristmill/react: hooks over gristmill/client. Each shares one watch between all components that ask for the same thing.
import { createContext, createElement, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";

import type { Change, Client, GristmillError, Snapshot, Uploaded, UploadOptions, UploadProgress, Watched } from "../client/index.js";

const Context = createContext<Client | null>(null);

/** Gives the client to the hooks below it. Make the client once, outside of any component. */
export function GristmillProvider({ client, children }: { client: Client; children?: ReactNode }) {
  return createElement(Context.Provider, { value: client }, children);
}

/** The client of the provider above. */
export function useGristmill(): Client {
  const client = useContext(Context);
  if (!client) throw new Error("There is no GristmillProvider above this component");
  return client;
}

/** What a component shows of a job. */
export interface JobView<R = unknown> {
  /** `loading` until the first answer, and on the server. */
  state: string;
  progress: number;
  ended: boolean;
  result: R | null;
  /** Why the job failed or is tried again. */
  error: Snapshot["error"];
  /** Why it cannot be watched: there is no such job, or it is another user's. */
  problem: GristmillError | null;
  /** The last snapshot. */
  snapshot: Snapshot<R> | null;
}

const LOADING: JobView<any> = { state: "loading", progress: 0, ended: false, result: null, error: null, problem: null, snapshot: null };

// How long a watch outlives its last component: strict mode and lists that are sorted anew take components away and bring them back at once.
const GRACE = 1_000;

/** One watch, for all components that show the same thing. */
class Store {
  view: JobView<any> = LOADING;
  readonly #listeners = new Set<() => void>();
  #watching: AbortController | undefined;
  #ending: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly client: Client, readonly id: string, readonly of: Watched, readonly forget: () => void) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    clearTimeout(this.#ending);
    if (!this.#watching) {
      this.#watching = new AbortController();
      void this.#watch(this.#watching.signal);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#ending = setTimeout(() => {
        this.#watching?.abort();
        this.#watching = undefined;
        this.forget();
      }, GRACE);
    };
  };

  readonly read = (): JobView<any> => this.view;

  async #watch(signal: AbortSignal): Promise<void> {
    try {
      for await (const snapshot of this.client.watch(this.id, { of: this.of, signal })) {
        const { state, progress, ended, result, error } = snapshot;
        this.#show({ state, progress, ended, result, error, problem: null, snapshot });
      }
    } catch (problem) {
      if (!signal.aborted) this.#show({ ...this.view, problem: problem as GristmillError });
    }
  }

  #show(view: JobView<any>): void {
    this.view = view;
    for (const listener of [...this.#listeners]) listener();
  }
}

const stores = new WeakMap<Client, Map<string, Store>>();

function storeOf(client: Client, of: Watched, id: string): Store {
  let all = stores.get(client);
  if (!all) stores.set(client, (all = new Map()));
  const key = `${of}\n${id}`;
  let store = all.get(key);
  if (!store) {
    store = new Store(client, id, of, () => {
      if (all.get(key) === store) all.delete(key);
    });
    // A store whose component never came to be mounted is forgotten with its client, and does nothing until then.
    all.set(key, store);
  }
  return store;
}

const nothing = () => () => {};
const loading = () => LOADING;

/** How far a job is; or a document, an export, a workflow, with `of`. Null watches nothing. */
export function useJob<R = unknown>(id: string | null | undefined, { of = "job" }: { of?: Watched } = {}): JobView<R> {
  const client = useGristmill();
  const store = useMemo(() => (id ? storeOf(client, of, id) : null), [client, of, id]);
  return useSyncExternalStore<JobView<R>>(store?.subscribe ?? nothing, store?.read ?? loading, loading);
}

/** What a component shows of a symbol's data. */
export interface SubscriptionView<Row = Record<string, unknown>> {
  /** The latest first; null until they are known, and on the server. */
  rows: Row[] | null;
  /** When they changed last, as far as this page has seen it. */
  at: string | null;
  /** Why it cannot be watched. */
  error: GristmillError | null;
}

const UNKNOWN: SubscriptionView<any> = { rows: null, at: null, error: null };
const unknown = () => UNKNOWN;

/** The rows of a symbol's data, kept fresh while this component is mounted. Null watches nothing. */
export function useSubscription<Row = Record<string, unknown>>(symbol: string | null | undefined, type: string): SubscriptionView<Row> {
  const { subscriptions } = useGristmill();
  const store = useMemo(() => {
    let view: SubscriptionView<Row> = UNKNOWN;
    return {
      read: () => view,
      subscribe: (listener: () => void) => {
        if (!symbol) return () => {};
        const show = (next: SubscriptionView<Row>) => {
          view = next;
          listener();
        };
        return subscriptions.watch<Row>(symbol, type, ({ rows, at }: Change<Row>) => show({ rows, at, error: null }), { onError: (error) => show({ ...view, error }) });
      },
    };
  }, [subscriptions, symbol, type]);
  return useSyncExternalStore<SubscriptionView<Row>>(store.subscribe, store.read, unknown);
}

/** What a component shows of an upload. */
export interface UploadView {
  state: "idle" | "sending" | "done" | "failed";
  /** Percent of the file that was sent. */
  progress: number;
  /** The document, once the file was taken. */
  document: Uploaded | null;
  error: Error | null;
  /** Sends a file. A second call takes the place of one that runs. Gives null for one that was cancelled or failed. */
  send: (file: Blob, options?: Omit<UploadOptions, "signal">) => Promise<Uploaded | null>;
  cancel: () => void;
}

const IDLE = { state: "idle", progress: 0, document: null, error: null } as const;

/** An upload that ends with the component. */
export function useUpload(): UploadView {
  const { uploads } = useGristmill();
  const [shown, show] = useState<Pick<UploadView, "state" | "progress" | "document" | "error">>(IDLE);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const cancel = useCallback(() => {
    running.current?.abort();
    running.current = null;
    show(IDLE);
  }, []);
  const send = useCallback<UploadView["send"]>(async (file, options = {}) => {
    running.current?.abort();
    const upload = new AbortController();
    running.current = upload;
    const isCurrent = () => running.current === upload && !upload.signal.aborted;
    show({ ...IDLE, state: "sending" });
    try {
      const onProgress = (progress: UploadProgress) => {
        if (!isCurrent()) return;
        show((now) => ({ ...now, progress: progress.percent }));
        options.onProgress?.(progress);
      };
      const document = await uploads.send(file, { ...options, onProgress, signal: upload.signal });
      if (isCurrent()) show({ state: "done", progress: 100, document, error: null });
      return document;
    } catch (error) {
      if (isCurrent()) show((now) => ({ ...now, state: "failed", error: error as Error }));
      return null;
    }
  }, [uploads]);
  return { ...shown, send, cancel };
}
