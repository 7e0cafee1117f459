// What every job function does around its own work: make sure that Postgres is calling, claim jobs, run them, settle them.
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { Webhook } from "standardwebhooks";

export interface Env {
  SUPABASE_URL: string;
  SUPABASE_SERVICE_ROLE_KEY: string;
  INVOKE_SECRET: string;
  /** Variables of your own: in .env while you develop. */
  [name: string]: string;
}

export interface Job<Payload> {
  id: string;
  kind: string;
  payload: Payload;
  /** The first is 1. */
  attempt: number;
  max_attempts: number;
  /** The user who submitted it. */
  owner: string | null;
}

/** Thrown when no further attempt can help. */
export class Dead extends Error {}

type Work<Payload> = (job: Job<Payload>, context: { env: Env; supabase: SupabaseClient }) => Promise<unknown>;

/** A function that does jobs. A job may run twice, so `work` must not mind: write with upsert, or under the job's id. */
export function serve<Payload>(work: Work<Payload>) {
  return {
    async fetch(request: Request, env: Env): Promise<Response> {
      const body = await request.text();
      try {
        new Webhook(env.INVOKE_SECRET).verify(body, Object.fromEntries(request.headers));
      } catch {
        return Response.json({ error: "only Postgres calls this function" }, { status: 401 });
      }
      const { invocation, queue, batch, seconds } = JSON.parse(body);
      const supabase = createClient(env.SUPABASE_URL, env.SUPABASE_SERVICE_ROLE_KEY, { auth: { persistSession: false } });
      const worker = `edge-${invocation}`;

      const jobs: Job<Payload>[] = await call(supabase, "claim_jobs", { p_worker: worker, p_queues: [queue], p_max: batch, p_invocation: invocation });
      // Some of the time is left for settling.
      const longest = Math.max(seconds - 5, seconds / 2);
      const outcomes = await Promise.all(jobs.map((job) => attempt(job, within(longest, () => work(job, { env, supabase })))));
      if (jobs.length > 0) await insist(() => call(supabase, "settle_jobs", { p_worker: worker, p_outcomes: outcomes, p_invocation: invocation }));
      return Response.json({ claimed: jobs.length });
    },
  };
}

async function attempt<Payload>(job: Job<Payload>, working: Promise<unknown>) {
  const { id, attempt } = job;
  try {
    return { id, attempt, outcome: "completed", result: (await working) ?? null };
  } catch (error) {
    console.error(`${job.kind} ${id}, attempt ${attempt} of ${job.max_attempts}:`, error);
    const isDead = error instanceof Dead;
    const message = error instanceof Error ? error.message : String(error);
    return { id, attempt, outcome: isDead ? "dead" : "failed", error: { type: isDead ? "refused" : "error", message, retryable: !isDead } };
  }
}

async function within<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${seconds} s`)), seconds * 1000);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function call(supabase: SupabaseClient, name: string, values: object) {
  const { data, error } = await supabase.rpc(name, values);
  if (error) throw new Error(`${name}: ${error.message}`);
  return data;
}

// The work is done and only its record is missing: worth a few tries. Settling twice is settling once.
async function insist<T>(settle: () => Promise<T>): Promise<T> {
  for (const pause of [100, 400, 1600]) {
    try {
      return await settle();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return settle();
}
