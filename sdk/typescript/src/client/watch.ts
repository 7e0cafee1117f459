// Following one thing until it has ended: by its stream of events where there is one, by polling where there is none or it does not work.
import type { Http } from "./http.js";
import { backoff, sleep } from "./http.js";
import { connect } from "./stream.js";
import { GristmillError } from "../errors.js";

/** Why an attempt, or all of them, failed. */
export interface Failure {
  type?: string;
  message?: string;
  [key: string]: unknown;
}

/** How far a job, a document, an export or a workflow has come. */
export interface Snapshot<R = unknown, T = Record<string, unknown>> {
  id: string;
  /** In the words of what is watched: pending, processing, retrying, completed, needs_review, failed, cancelled and others. */
  state: string;
  /** Percent. */
  progress: number;
  /** Nothing will change any more. */
  ended: boolean;
  /** What came of it, once it is completed. */
  result: R | null;
  /** Why it failed, or why it is tried again. */
  error: Failure | null;
  /** All that its function shows. */
  data: T;
}

/** What can be watched. */
export type Watched = "job" | "document" | "export" | "workflow";

export interface WatchOptions {
  /** Ends the watching: the loop throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

interface Source {
  /** Where it is shown. */
  path: (id: string) => string;
  /** Whether it has a stream, at its path and /events. */
  streams: boolean;
  ends: string[];
  /** From what the function shows, or from the data of an event. */
  read: (shown: Record<string, any>, event?: string) => Omit<Snapshot, "id" | "ended" | "data">;
}

const ENDS = ["completed", "failed", "cancelled"];

const sources: Record<Watched, Source> = {
  // The engine keeps no count of a job's changes, so there is no stream to resume.
  job: {
    path: (id) => `enqueue/${id}`, streams: false, ends: ENDS,
    read: ({ state, progress, result, error }) => ({ state, progress, result: state === "completed" ? result : null, error }),
  },
  document: {
    path: (id) => `documents/v1/documents/${id}`, streams: true, ends: ["completed", "needs_review", "failed", "refused", "infected"],
    // What was read of a document in doubt is a result too: whoever shows it shows its doubts.
    read: ({ status, percent, error, ...more }) => ({ state: status, progress: percent, result: status === "completed" || status === "needs_review" ? { status, percent, error, ...more } : null, error }),
  },
  export: {
    path: (id) => `export/v1/exports/${id}`, streams: true, ends: ENDS,
    // Events have no status: their name tells the end, and their progress and message what comes before.
    read: ({ progress = 0, file = null, message, status = message === "retrying" ? message : progress > 0 ? "processing" : "pending" }, event) => {
      const state = event && event !== "progress" ? event : status;
      return { state, progress: state === "completed" ? 100 : progress, result: file, error: message ? { message } : null };
    },
  },
  workflow: {
    path: (id) => `workflows/v1/jobs/${id}`, streams: true, ends: ENDS,
    read: ({ status, progress, artifacts, error }) => ({ state: status, progress: progress.percent, result: status === "completed" ? (artifacts ?? null) : null, error }),
  },
};

// Milliseconds between polls: the first, and the longest while nothing changes.
const QUICK = 250;
const SLOW = 5_000;
// After a failure the stream is tried again, but ever more rarely.
const STREAM_AGAIN = 1_000;
const STREAM_RARELY = 60_000;
// What the server names when it ends a stream by itself.
const RECONNECT = 1_000;

/** Snapshots of one thing until it has ended. The last one has what came of it. */
export async function* watch(http: Http, of: Watched, id: string, { signal = new AbortController().signal }: WatchOptions = {}): AsyncGenerator<Snapshot<any, any>, void, void> {
  const source = sources[of];
  const path = source.path(encodeURIComponent(id));
  const snapshot = (shown: Record<string, any>, event?: string): Snapshot => {
    const read = source.read(shown, event);
    return { id, ...read, error: read.error ?? null, ended: source.ends.includes(read.state), data: shown };
  };
  let last = "";
  const isNews = (next: Snapshot) => last !== (last = JSON.stringify(next));

  let [lastEventId, failures, streamAt, polls, misses]: [string | undefined, number, number, number, number] = [undefined, 0, 0, 0, 0];
  for (;;) {
    if (source.streams && Date.now() >= streamAt) {
      const began = Date.now();
      let heard = 0;
      try {
        const events = connect(http, `${path}/events`, lastEventId, signal);
        let ends = false;
        for await (const { id, event, data } of events) {
          heard += 1;
          if (id) lastEventId = id;
          const next = snapshot(data as Record<string, any>, event);
          ends = next.ended;
          if (ends) break; // it is read as a whole below
          if (isNews(next)) yield next;
        }
        failures = 0;
        if (!ends && (heard > 0 || Date.now() - began > RECONNECT)) {
          await sleep(RECONNECT, signal);
          continue;
        }
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        failures += 1;
      }
      // Either it has ended, or the stream does not work here: looking tells.
      streamAt = Date.now() + backoff(failures + 1, STREAM_AGAIN, STREAM_RARELY);
    }
    try {
      const next = snapshot(await http.call<Record<string, any>>(path, { signal }));
      misses = 0;
      if (isNews(next)) {
        polls = 0;
        yield next;
      }
      if (next.ended) return;
    } catch (error) {
      // What passes by itself does not end the watching. A token that expired in this moment gets a second chance.
      const passes = error instanceof GristmillError && (error.retryable || (error.status === 401 && misses === 0));
      if (!passes) throw error;
      misses += 1;
    }
    await sleep(backoff((polls += 1), QUICK, SLOW), signal);
  }
}
