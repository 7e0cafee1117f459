// Runs a function under Deno and on Supabase Edge Functions: environment variables become bindings.
//   fetch      every request
//   scheduled  POST …/__scheduled, authorised by the service key: what a cron trigger is on Cloudflare
import worker from "./worker.js";

const env = Deno.env.toObject();

// A project of Supabase without the older JWT keys has JSON objects of named keys instead. They are used in the same places: as apikey and as bearer.
env.SUPABASE_ANON_KEY ||= defaultOf(env.SUPABASE_PUBLISHABLE_KEYS);
env.SUPABASE_SERVICE_ROLE_KEY ||= defaultOf(env.SUPABASE_SECRET_KEYS);

function defaultOf(keys) {
  try {
    return JSON.parse(keys).default;
  } catch {
    return undefined; // absent, or not what Supabase writes: the function says which binding it lacks
  }
}

const context = {
  props: {},
  passThroughOnException() {},
  waitUntil(promise) {
    const guarded = Promise.resolve(promise).catch((error) => console.error("waitUntil", error));
    globalThis.EdgeRuntime?.waitUntil?.(guarded);
  },
};

async function mayTrigger(request) {
  const given = request.headers.get("authorization") ?? "";
  // Several, separated by blanks, while the key is changed.
  const keys = (env.SUPABASE_SERVICE_ROLE_KEY ?? "").split(/\s+/).filter(Boolean);
  // Digests have one length and no common prefix: comparing them tells nothing about the key.
  const digest = async (text) =>
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const [a, ...wanted] = await Promise.all([given, ...keys.map((key) => `Bearer ${key}`)].map(digest));
  return wanted.filter((b) => a.every((byte, at) => byte === b[at])).length > 0;
}

async function handle(request) {
  const url = new URL(request.url);
  if (worker.scheduled && url.pathname.endsWith("/__scheduled")) {
    if (request.method !== "POST" || !(await mayTrigger(request))) {
      return new Response("forbidden", { status: 403 });
    }
    await worker.scheduled({ cron: url.searchParams.get("cron") ?? "", scheduledTime: Date.now() }, env, context);
    return new Response(null, { status: 204 });
  }
  return worker.fetch(request, env, context);
}

Deno.serve({
  hostname: env.GRISTMILL_HOST ?? "0.0.0.0",
  port: Number(env.PORT ?? 8000),
  // A failed instance must not take the process along: the caller gets a 500, the next call a fresh one.
  onError(error) {
    console.error(error);
    return new Response("internal error", { status: 500 });
  },
}, handle);
