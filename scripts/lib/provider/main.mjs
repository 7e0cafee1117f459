// The simulated provider: FMP's endpoints for development and tests. Honest unless told otherwise; what it lies
// about, for whom and for how long is set over its control routes. A program of its own, and in Node: nothing to build,
// up in 50 ms, and every byte of an answer's framing is in hand, which the lies need.
//   node main.mjs PORT
//
//   POST   /control      {mode, symbol?, type?, ...options}: how to answer from now on; without symbol and type, always
//   DELETE /control      honest again, limits and log forgotten
//   PUT    /control/limit {calls, seconds}: 429 past so many calls in any window of so many seconds
//   GET    /control/calls  what was called when, and the most in any 60 s
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { answer as lie, modes } from "./modes.mjs";
import { endpoints } from "./shapes.mjs";

const port = Number(process.argv[2]);
let orders = [];
let limit = null;
let calls = [];

const server = http.createServer(async (request, response) => {
  const url = new URL(request.url, "http://provider");
  try {
    if (url.pathname.startsWith("/control")) await control(request, url, response);
    else await serve(url, response);
  } catch (error) {
    if (!response.headersSent) response.writeHead(500);
    response.end(String(error.stack));
  }
});
server.keepAliveTimeout = 30_000;
server.listen(port, "127.0.0.1", () => console.log(`the provider answers on port ${port}`));
process.on("SIGTERM", () => process.exit(0));
process.on("SIGINT", () => process.exit(0));

async function serve(url, response) {
  const now = Date.now();
  const endpoint = endpoints[url.pathname] ?? endpoints[url.pathname.replace(/\/[^/]+$/, "/")];
  const symbol = url.searchParams.get("symbol") ?? decodeURIComponent(url.pathname.split("/").pop());
  if (!endpoint) return response.writeHead(404).end();
  if (limit) {
    const within = calls.filter((call) => call.at > now - limit.seconds * 1000 && call.status !== 429);
    response.setHeader("x-ratelimit-remaining", Math.max(0, limit.calls - within.length - 1));
    response.setHeader("x-ratelimit-reset", String(limit.seconds));
    if (within.length >= limit.calls) {
      calls.push({ at: now, symbol, type: endpoint.type, status: 429 });
      const free = Math.ceil((within[0].at + limit.seconds * 1000 - now) / 1000);
      return response.writeHead(429, { "retry-after": String(Math.max(1, free)) }).end();
    }
  }
  const order = orders.findLast((order) =>
    (order.symbol ?? symbol) === symbol && (order.type ?? endpoint.type) === endpoint.type) ?? { mode: "honest" };
  const call = { at: now, symbol, type: endpoint.type, status: 0, mode: order.mode };
  calls.push(call);
  if (order.latency_ms) await sleep(order.latency_ms);
  await lie(order, { symbol, endpoint, response });
  call.status = response.statusCode;
}

async function control(request, url, response) {
  let body = "";
  for await (const piece of request) body += piece;
  const told = body ? JSON.parse(body) : {};
  switch (`${request.method} ${url.pathname}`) {
    case "POST /control":
      if (!modes.has(told.mode)) return response.writeHead(400).end(`no such mode; there are: ${[...modes].join(", ")}\n`);
      orders.push(told);
      break;
    case "DELETE /control":
      [orders, limit, calls] = [[], null, []];
      break;
    case "PUT /control/limit":
      limit = told;
      break;
    case "GET /control/calls":
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({
        count: calls.length,
        refused: calls.filter((call) => call.status === 429).length,
        first_at: calls[0]?.at,
        last_at: calls.at(-1)?.at,
        most_in_60_s: mostWithin(calls.map((call) => call.at), 60_000),
        calls: calls.slice(-Number(url.searchParams.get("last") ?? 1000)),
      }));
    default:
      return response.writeHead(404).end();
  }
  response.writeHead(204).end();
}

function mostWithin(times, window) {
  let most = 0;
  for (let first = 0, at = 0; at < times.length; at++) {
    while (times[first] <= times[at] - window) first++;
    most = Math.max(most, at - first + 1);
  }
  return most;
}
