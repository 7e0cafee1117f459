// The one public worker of a deployment on Cloudflare. It gives each request to the worker of its function, so that callers, pages and Postgres need one
// address, laid out as on Supabase. The functions themselves have no public host.
//
// env has one service binding per function (ENQUEUE, PROCESSOR, …), and
//   NAMES         which function has a name: {"upload": "documents", …}, with each function's own name
//   OLDER_PATHS   which name has a path at the root of the address: {"/api/jobs": "jobs", …}
//   SUPABASE_URL  what is not a function's goes there, so that createClient(ADDRESS, KEY) works unchanged
const PASSED_ON = ["/rest/v1", "/auth/v1", "/storage/v1", "/realtime/v1", "/graphql/v1"];

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const older = Object.entries(env.OLDER_PATHS).find(([prefix]) => isUnder(url.pathname, prefix));
    if (older) {
      // A path of an older system lies below the function of its name.
      url.pathname = `/functions/v1/${older[1]}${url.pathname}`;
      request = new Request(url, request);
    }
    if (env.CONSOLE && isUnder(url.pathname, "/console")) return env.CONSOLE.fetch(request);
    const called = /^\/functions\/v1\/([^/]+)(?=\/|$)/.exec(url.pathname)?.[1];
    const name = called && nameOf(env.NAMES, called);
    const service = name && env[env.NAMES[name].toUpperCase().replaceAll("-", "_")];
    if (service) {
      try {
        return await service.fetch(request);
      } catch {
        return problem(502, "unavailable", "The function did not answer.", request);
      }
    }
    if (PASSED_ON.some((prefix) => isUnder(url.pathname, prefix))) {
      return fetch(new Request(new URL(url.pathname + url.search, env.SUPABASE_URL), request), { redirect: "manual" });
    }
    // Read to its end: an answer to a body that was not read can be lost with the connection.
    await request.body?.pipeTo(new WritableStream()).catch(() => {});
    return problem(404, "not_found", called ? "There is no function of this name." : "There is nothing at this path.", request);
  },
};

const isUnder = (path, prefix) => path === prefix || path.startsWith(`${prefix}/`);

// A shard is a name, a hyphen and something more. Of two names that fit, the longer is meant: health-check is no shard of health.
function nameOf(names, called) {
  const fitting = Object.keys(names).filter((name) => called === name || called.startsWith(`${name}-`));
  return fitting.sort((one, other) => other.length - one.length)[0];
}

function problem(status, code, detail, request) {
  const sent = request.headers.get("x-correlation-id") ?? "";
  const correlation_id = /^[\w.:-]{1,128}$/.test(sent) ? sent : crypto.randomUUID();
  const title = status === 404 ? "Not found" : "Bad gateway";
  return new Response(JSON.stringify({ type: `urn:gristmill:problem:${code}`, title, status, code, detail, correlation_id }), {
    status, headers: { "content-type": "application/problem+json", "cache-control": "no-store", "x-content-type-options": "nosniff", "x-correlation-id": correlation_id } });
}
