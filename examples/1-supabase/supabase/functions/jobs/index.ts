// A Supabase Edge Function that Postgres invokes: `supabase functions deploy jobs --no-verify-jwt`. Postgres signs its requests, so no token is looked at.
import { gristmill, handle, snooze } from "gristmill";

import { remind, welcome } from "./jobs.ts";

declare const Deno: { serve(options: { port?: number }, handler: (request: Request) => Promise<Response>): unknown; env: { get(name: string): string | undefined } };

const mill = gristmill(); // SUPABASE_URL and SUPABASE_SERVICE_ROLE_KEY are there; set INVOKE_SECRET with `supabase secrets set`

const handlers = [
  handle(welcome, async ({ payload, log, mill }) => {
    log("writing to a new customer", { to: payload.to });
    await mill.enqueue(remind, { to: payload.to, days: 0 });
    return { text: `Welcome, ${payload.name}!` };
  }),
  handle(remind, async ({ payload, job }) => {
    if (payload.days > 0 && job.attempt === 1) return snooze(`${payload.days}d`, "not yet");
    return { text: `How do you like it, ${payload.to}?` };
  }),
];

Deno.serve({ port: Number(Deno.env.get("PORT") ?? 8000) }, mill.serve(handlers, { jobs: [welcome, remind] }));
