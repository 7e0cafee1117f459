import type { GristmillError } from "./errors.js";
import type { Outcome } from "./outcome.js";
import type { Settled } from "./settle.js";

/** Settles outcomes that Postgres has refused together. One that is refused by itself becomes a dead letter. */
export async function settleOneByOne(outcomes: Outcome[], call: (some: Outcome[], isLast: boolean) => Promise<Settled[]>, signal?: AbortSignal): Promise<Settled[]> {
  const settled: Settled[] = [];
  for (const outcome of outcomes) {
    const { id, attempt } = outcome;
    for (let next: Outcome | undefined = outcome; next; ) {
      try {
        settled.push(...(await call([next], outcome === outcomes.at(-1))));
        break;
      } catch (error) {
        const { retryable, message } = error as GristmillError;
        if (retryable || signal?.aborted) throw error;
        console.error(`the outcome of ${id} is refused:`, error);
        // First without its log: a line of it may be what Postgres does not take.
        next = next.logs ? { ...next, logs: undefined } : next.error?.type === "outcome_refused" ? undefined
          : { id, attempt, outcome: "dead", error: { type: "outcome_refused", message: message.slice(0, 2000), retryable: false } };
      }
    }
  }
  return settled;
}
