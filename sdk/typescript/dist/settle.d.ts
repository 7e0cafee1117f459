import type { Outcome } from "./outcome.js";
import type { CallOptions, Rpc } from "./rpc.js";
export interface Settled {
    id: string;
    status: "accepted" | "lost";
}
/** The most outcomes that one call takes. */
export declare const MOST = 1000;
export declare const isAboutCaller: (error: unknown) => boolean;
/** Settles outcomes in one call; one by one when Postgres refuses them together, so that one bad outcome does not hold back the others. */
export declare function settle(rpc: Rpc, worker: string, outcomes: Outcome[], options: CallOptions, invocation?: string): Promise<Settled[]>;
