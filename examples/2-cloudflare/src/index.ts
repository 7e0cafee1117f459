// A Cloudflare Worker: Postgres invokes /jobs; POST /orders takes an order and enqueues its invoice; POST /register is called once after a deployment.
import { gristmill, handle, InvalidPayload } from "gristmill";

import { invoice } from "./jobs.ts";

interface Env {
  SUPABASE_URL: string;
  SUPABASE_SERVICE_ROLE_KEY: string;
  INVOKE_SECRET: string;
}

const jobs = gristmill().serve([
  handle(invoice, async ({ payload, log }) => {
    log("writing an invoice", { order: payload.order });
    return { number: `I-${payload.order}`, total: (payload.cents / 100).toFixed(2) };
  }),
], { jobs: [invoice] });

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/jobs") return jobs(request, env);
    const mill = gristmill({ env });
    if (request.method === "POST" && pathname === "/orders") {
      try {
        return Response.json(await mill.enqueue(invoice, await request.json()), { status: 202 });
      } catch (error) {
        if (error instanceof InvalidPayload) return Response.json({ field: error.field, message: error.message }, { status: 422 });
        throw error;
      }
    }
    if (request.method === "POST" && pathname === "/register") {
      if (request.headers.get("authorization") !== `Bearer ${env.SUPABASE_SERVICE_ROLE_KEY}`) return new Response("forbidden", { status: 403 });
      return Response.json(await mill.register([invoice], { url: new URL("/jobs", request.url).href }));
    }
    return new Response("not found", { status: 404 });
  },
};
