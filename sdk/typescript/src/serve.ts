// A function that Postgres invokes: make sure that Postgres is calling, claim a batch, run it, settle it.
import { Attempt, say, type Claimed, type Failed } from "./attempt.js";
import type { GristmillError } from "./errors.js";
import { byKind, type Handler, type Job } from "./job.js";
import type { Mill } from "./mill.js";
import { variables, type Rpc } from "./rpc.js";
import type { Schedule } from "./schedule.js";
import { settle, type Settled } from "./settle.js";
import { isSigned } from "./signature.js";
import { digestStart } from "./trace.js";

export interface ServeOptions {
  /** The signing key, or several separated by blanks while it is changed. By default the variable INVOKE_SECRET. */
  secret?: string;
  /** The variables. By default what Cloudflare passes to `fetch`, or those of the process. */
  env?: unknown;
  /** Schedules that are registered together with the jobs of this function, by `gristmill dev` and `gristmill deploy`. */
  schedules?: readonly Schedule[];
  /** Is called for each attempt that failed. By default the error is written to the console. */
  onError?: (error: unknown, job: Failed) => void;
}

/** Jobs that must all have a handler: one that is missing does not compile. */
export type Covered<Jobs extends readonly Job[], Given extends readonly Handler[]> =
  [Exclude<Jobs[number]["kind"], Given[number]["job"]["kind"]>] extends [never] ? Jobs : { "has no handler": Exclude<Jobs[number]["kind"], Given[number]["job"]["kind"]> };

/** For Deno.serve(), and for `export default { fetch }` on Cloudflare. */
export interface Served {
  (request: Request, env?: any, context?: any): Promise<Response>;
  fetch: (request: Request, env?: any, context?: any) => Promise<Response>;
}

const problem = (status: number, code: string, detail: string) =>
  Response.json({ code, detail }, { status, headers: { "Content-Type": "application/problem+json" } });

export function serve(handlers: readonly Handler[], { secret, env: given, onError = say, schedules }: ServeOptions, connect: (env: unknown, traceparent?: string, correlationId?: string | null) => { rpc: Rpc; mill: Mill }): Served {
  const known = byKind(handlers);

  const answer = async (request: Request, passed?: unknown): Promise<Response> => {
    if (request.method !== "POST") return problem(405, "method_not_allowed", "only Postgres calls this function");
    // What Deno passes in this place is no environment.
    const env = given ?? (passed && !("remoteAddr" in (passed as object)) ? passed : undefined);
    const { rpc } = connect(env);
    const secrets = secret ?? rpc.variable("INVOKE_SECRET");
    if (!secrets) return problem(500, "misconfigured", "INVOKE_SECRET is not set");
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (!(await isSigned(request.headers, bytes, secrets, rpc.options.now?.()))) return problem(403, "bad_signature", "only Postgres calls this function");
    const body = JSON.parse(new TextDecoder().decode(bytes));
    if (body.describe) return Response.json((await import("./definition.js")).definitionOf(handlers, [], schedules));
    try {
      return Response.json(await batch(rpc, body, env));
    } catch (error) {
      console.error(error);
      return problem((error as GristmillError).retryable ? 503 : 500, "internal", "not served");
    }
  };

  async function batch(rpc: Rpc, { invocation, queue, batch, seconds, kinds }: { invocation: string; queue: string; batch: number; seconds: number; kinds?: string[] }, env: unknown) {
    const begun = Date.now();
    const elapsed = () => (Date.now() - begun) / 1000;
    const mine = kinds?.filter((kind) => known.has(kind));
    const worker = `edge-${invocation}`;
    const jobs: Claimed[] = mine?.length === 0 ? [] : await rpc.call("claim_jobs", {
      p_worker: worker, p_queues: [queue], p_max: batch, p_invocation: invocation,
      ...(mine && mine.length < kinds!.length && { p_kinds: mine }),
    }, { repeatable: true, patience: (seconds * 1000) / 4 });

    const around = { env: () => env ?? variables(), onError, mill: (traceparent: string, correlationId: string | null) => connect(env, traceparent, correlationId).mill };
    // From the beginning of the invocation: a claim that took long leaves less.
    const most = Math.max(0.1, Math.max(seconds - 5, seconds / 2) - elapsed());
    const outcomes = await Promise.all(jobs.map(async (job) => {
      job.worker = worker;
      const span = await digestStart(job);
      return new Attempt(job, known.get(job.kind), around, () => span).run(most);
    }));
    const settled: Settled[] = jobs.length === 0 ? [] : await settle(rpc, worker, outcomes.filter((outcome) => outcome !== null), { patience: (seconds - elapsed()) * 1000 }, invocation);
    const accepted = settled.filter(({ status }) => status === "accepted").length;
    return { claimed: jobs.length, accepted, lost: settled.length - accepted };
  }

  return Object.assign(answer, { fetch: answer });
}
