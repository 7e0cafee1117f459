import { type Failed } from "./attempt.js";
import { type Handler, type Job } from "./job.js";
import type { Mill } from "./mill.js";
import { type Rpc } from "./rpc.js";
export interface ServeOptions {
    /** The signing key, or several separated by blanks while it is changed. By default the variable INVOKE_SECRET. */
    secret?: string;
    /** The variables. By default what Cloudflare passes to `fetch`, or those of the process. */
    env?: unknown;
    /** Is called for each attempt that failed. By default the error is written to the console. */
    onError?: (error: unknown, job: Failed) => void;
}
/** Jobs that must all have a handler: one that is missing does not compile. */
export type Covered<Jobs extends readonly Job[], Given extends readonly Handler[]> = [
    Exclude<Jobs[number]["kind"], Given[number]["job"]["kind"]>
] extends [never] ? Jobs : {
    "has no handler": Exclude<Jobs[number]["kind"], Given[number]["job"]["kind"]>;
};
/** For Deno.serve(), and for `export default { fetch }` on Cloudflare. */
export interface Served {
    (request: Request, env?: any, context?: any): Promise<Response>;
    fetch: (request: Request, env?: any, context?: any) => Promise<Response>;
}
export declare function serve(handlers: readonly Handler[], { secret, env: given, onError }: ServeOptions, connect: (env: unknown, traceparent?: string, correlationId?: string | null) => {
    rpc: Rpc;
    mill: Mill;
}): Served;
