// Hooks of the screens: data from the deployment, keys, the title of the page.
import { signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";

import { rpc } from "./api.js";
import { bind } from "./keys.js";
import { beat, hearTime } from "./live.js";

/**
 * The answer of one RPC. It stays while a newer one is fetched, and an error does not remove it.
 * @param {string | null} name  null: nothing is asked yet
 * @param {object} [args]
 * @param {{every?: number}} [options]  seconds between refreshes while the page is live; 0: never by itself
 */
export function useRpc(name, args = {}, { every = 2 } = {}) {
  const data = useSignal(/** @type {any} */ (null));
  const error = useSignal(/** @type {any} */ (null));
  const loading = useSignal(true);
  const of = useRef({ key: "", last: 0, abort: /** @type {AbortController | null} */ (null) });
  const key = JSON.stringify([name, args]);

  const load = useCallback(async () => {
    if (!name) return;
    of.current.abort?.abort();
    const abort = (of.current.abort = new AbortController());
    loading.value = true;
    try {
      const answer = await rpc(name, JSON.parse(key)[1], { signal: abort.signal });
      if (answer?.now) hearTime(answer.now);
      data.value = answer;
      error.value = null;
    } catch (failure) {
      if (failure.name === "AbortError") return;
      error.value = failure;
    }
    loading.value = false;
    of.current.last = Date.now();
    of.current.abort = null;
  }, [key]);

  useEffect(() => {
    if (of.current.key !== key && JSON.parse(of.current.key || "[null]")[0] !== name) data.value = null;
    of.current.key = key;
    load();
    return () => of.current.abort?.abort();
  }, [key]);

  useSignalEffect(() => {
    if (!beat.value || !every || of.current.abort) return;
    if (Date.now() - of.current.last >= every * 1000 - 250) load();
  });

  return { data: data.value, error: error.value, loading: loading.value, reload: load, set: (value) => (data.value = value) };
}

/**
 * Keys of a screen, while it is shown.
 * @param {Record<string, {label: string, run: (event: KeyboardEvent) => void, hidden?: boolean}>} keys
 */
export function useKeys(keys) {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => bind(() => latest.current), []);
}

const heading = signal("");
export const title = heading;

export function useTitle(text) {
  useEffect(() => {
    heading.value = text;
    document.title = text ? `${text} · Gristmill` : "Gristmill";
  }, [text]);
}

export { useComputed, useSignal };
