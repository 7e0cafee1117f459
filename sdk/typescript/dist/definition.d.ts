import { type Handler, type Job } from "./job.js";
/** A queue, with the options of `mill.queue` (docs/engine.md) in camel case. What is left out keeps its value. */
export interface QueueOptions {
    queue: string;
    /** `function` (with `function` or `url`), `worker`, or `external`: workers of your own that claim by themselves. */
    servedBy?: "function" | "worker" | "external";
    /** The name of a function below `functions.base_url`. */
    function?: string;
    /** The address of a function anywhere else. */
    url?: string;
    description?: string;
    maxParallel?: number;
    maxAttempts?: number;
    leaseSeconds?: number;
    invocationSeconds?: number;
    [option: string]: unknown;
}
export interface Definition {
    queues: Record<string, unknown>[];
    kinds: Record<string, unknown>[];
}
export declare function definitionOf(jobs: readonly (Job<string, any, any> | Handler)[], queues?: readonly QueueOptions[]): Definition;
/** The definition with the function that serves the queues of its kinds, where none is named for a queue. */
export declare function servedBy({ queues, kinds }: Definition, served: {
    function?: string;
    url?: string;
}): Definition;
