// Settling insists: the work is done, and only its record is missing.
import type { GristmillError } from "./errors.js";
import type { Outcome } from "./outcome.js";
import type { CallOptions, Rpc } from "./rpc.js";

export interface Settled {
  id: string;
  status: "accepted" | "lost";
}

/** The most outcomes that one call takes. */
export const MOST = 1000;

// The caller was refused, not the outcomes: they would be refused one by one as well.
export const isAboutCaller = (error: unknown): boolean => [401, 403, 404].includes((error as GristmillError).status);

/** Settles outcomes in one call; one by one when Postgres refuses them together, so that one bad outcome does not hold back the others. */
export async function settle(rpc: Rpc, worker: string, outcomes: Outcome[], options: CallOptions, invocation?: string): Promise<Settled[]> {
  const call = (some: Outcome[], isLast: boolean): Promise<Settled[]> => rpc.call("settle_jobs",
    { p_worker: worker, p_outcomes: some, ...(isLast && invocation && { p_invocation: invocation }) }, { ...options, repeatable: true });
  try {
    return await call(outcomes, true);
  } catch (error) {
    if ((error as GristmillError).retryable || isAboutCaller(error) || options.signal?.aborted) throw error;
  }
  // Loaded when it is needed, which is seldom.
  return (await import("./one-by-one.js")).settleOneByOne(outcomes, call, options.signal);
}
