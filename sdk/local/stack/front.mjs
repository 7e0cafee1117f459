// The worker that workerd asks when no route fits: Miniflare gives such a request to its first worker, whatever that is.
//
// Miniflare's routes cannot say "this name, with or without a query": a route without a star at its end matches no request with a
// query, and one with a star matches longer names too. So a name with a query comes here, and is passed on by name.
import { nameOf, unknownFunction } from "./unknown-function.mjs";

export default {
  async fetch(request, env) {
    const name = nameOf(new URL(request.url).pathname);
    if (env.FUNCTIONS.includes(name)) return env[name].fetch(request);
    // Read to its end: an answer to a body that was not read can be lost with the connection.
    await request.body?.pipeTo(new WritableStream()).catch(() => {});
    const { body, ...init } = unknownFunction(request.headers.get("x-correlation-id"));
    return new Response(body, init);
  },
};
