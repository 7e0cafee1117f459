import { type Failed } from "./attempt.js";
import { type Duration } from "./duration.js";
import { type Handler } from "./job.js";
import type { Mill } from "./mill.js";
import { type Rpc } from "./rpc.js";
export interface WorkOptions {
    /** How many jobs run at once; 10 by default. */
    concurrency?: number;
    /** By default those of the jobs. */
    queues?: readonly string[];
    /** Claims only kinds with a handler, for a queue whose other kinds are run elsewhere. Such a claim costs more, so it is not the default. */
    onlyKnownKinds?: boolean;
    /** A name that no other process has. By default it is made of the host, the process id and random characters. */
    name?: string;
    /** Ends the worker, as SIGINT and SIGTERM do. */
    signal?: AbortSignal;
    /** How long to wait after a claim that found nothing; "1s" by default. It doubles up to 5 s. */
    pollInterval?: Duration;
    /** How long running jobs may go on after the end was asked for; "25s" by default. Then they are given back. */
    drain?: Duration;
    /**
     * The most jobs that are claimed before they can start; 500 by default, 0 for none. The worker claims ahead only as many as it does in 100 ms, by the average of its last jobs,
     * and gives back a job that has waited for a second. So long jobs are not claimed ahead, and short ones do not wait for a round trip.
     */
    prefetch?: number;
    /** Ends the worker when a claim finds nothing and nothing runs. */
    stopWhenIdle?: boolean;
    /** Is called for each attempt that failed. By default the error is written to the console. */
    onError?: (error: unknown, job: Failed) => void;
}
export declare function work(rpc: Rpc, handlers: readonly Handler[], options: WorkOptions, mill: (traceparent: string, correlationId: string | null) => Mill, wakers: Set<() => void>): Promise<void>;
