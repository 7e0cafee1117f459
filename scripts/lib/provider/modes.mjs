// How an answer can be honest, and the ways in which it can not.
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";

const json = (value) => Buffer.from(JSON.stringify(value));
const mapItems = (body, change) => (Array.isArray(body) ? body.map(change) : change(body));

function send(response, body, headers = {}, status = 200) {
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length, ...headers });
  response.end(body);
}

const answers = {
  honest: ({ body, response }) => send(response, json(body)),
  // More bytes than the same value written again would have.
  padded: ({ body, response }) => send(response, Buffer.from(JSON.stringify(body, null, 8))),
  gzip: ({ body, response }) => send(response, gzipSync(json(body)), { "content-encoding": "gzip" }),
  // The market is closed: the same moment every time.
  closed: ({ body, endpoint, order, response }) => send(response, json(mapItems(body, (item) =>
    endpoint.clock ? { ...item, [endpoint.clock]: frozen(endpoint.clock, order.at) } : item))),
  slow: async ({ body, order, response }) => {
    await sleep(order.ms ?? 12_000);
    if (!response.destroyed) send(response, json(body));
  },
  // The head at once, the body drop by drop.
  trickle: async ({ body, order, response }) => {
    const bytes = json(body);
    response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
    for (const byte of bytes) {
      if (response.destroyed) return;
      response.write(Buffer.from([byte]));
      await sleep((order.ms ?? 12_000) / bytes.length);
    }
    response.end();
  },
  429: ({ order, response }) =>
    response.writeHead(429, order.retry_after === undefined ? {} : { "retry-after": String(order.retry_after) }).end(),
  500: ({ response }) => send(response, Buffer.from("Internal Server Error"), { "content-type": "text/plain" }, 500),
  unauthorized: ({ response }) => send(response, json({ "Error Message": "Invalid API KEY." }), {}, 401),
  html: ({ response }) => send(response, Buffer.from("<html><body>We will be right back</body></html>"), { "content-type": "text/html" }),
  error_body: ({ response }) => send(response, json({ "Error Message": "Limit Reach" })),
  empty: ({ response }) => send(response, json([])),
  // One field renamed, one new.
  drifted: ({ body, response }) => send(response, json(mapItems(body, ({ symbol, ...rest }) => {
    const [first, ...others] = Object.entries(rest);
    return { symbol, [`${first[0]}Value`]: first[1], ...Object.fromEntries(others), schemaVersion: 2 };
  }))),
  nonsense: ({ body, response }) => send(response, json(mapItems(body, (item) => Object.fromEntries(
    Object.entries(item).map(([key, value]) => [key, typeof value === "number" && !/time|asOf/i.test(key) ? -1e18 : value]))))),
  // True once, long ago.
  stale: ({ body, endpoint, response }) => send(response, json(mapItems(body, (item) =>
    endpoint.clock ? { ...item, [endpoint.clock]: frozen(endpoint.clock, 946_684_800) } : item))),
  future: ({ body, endpoint, response }) => send(response, json(mapItems(body, (item) =>
    endpoint.clock ? { ...item, [endpoint.clock]: frozen(endpoint.clock, 4_102_444_800) } : item))),
  other_symbol: ({ endpoint, response }) => send(response, json(endpoint.honest("OTHER"))),
  // Neither a length nor chunks: the end of the connection is the end of the body.
  no_length: ({ body, response }) => {
    response.useChunkedEncodingByDefault = false;
    response.shouldKeepAlive = false;
    response.writeHead(200, { "content-type": "application/json", connection: "close" });
    response.end(json(body));
  },
  chunked: ({ body, response }) => {
    const bytes = json(body);
    response.writeHead(200, { "content-type": "application/json", "transfer-encoding": "chunked" });
    response.write(bytes.subarray(0, 10));
    response.end(bytes.subarray(10));
  },
  huge: async ({ response }) => {
    response.writeHead(200, { "content-type": "application/json" });
    const megabyte = Buffer.alloc(1 << 20, " ");
    for (let sent = 0; sent < 64 && !response.destroyed; sent++) {
      if (!response.write(megabyte)) await sleep(5);
    }
    response.end("[]");
  },
  truncated: ({ body, response }) => {
    const bytes = json(body);
    response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  },
  redirect: ({ order, response }) => response.writeHead(302, { location: order.to ?? "http://169.254.169.254/" }).end(),
};

export const modes = new Set(Object.keys(answers));

export function answer(order, { symbol, endpoint, response }) {
  return answers[order.mode]({ order, endpoint, response, body: endpoint.honest(symbol) });
}

function frozen(clock, at = 1_750_000_000) {
  if (clock === "acceptedDate") return `${new Date(at * 1000).toISOString().slice(0, 10)} 06:01:36`;
  if (clock === "lastUpdated") return new Date(at * 1000).toISOString().slice(0, 10);
  return at;
}
