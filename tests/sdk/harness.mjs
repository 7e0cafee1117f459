// What the tests of the TypeScript package share: a stack without functions of its own, and a Node server for served handlers.
import http from "node:http";

import { gristmill } from "../../sdk/typescript/dist/index.js";
import { startStack } from "../support.mjs";

export const dist = new URL("../../sdk/typescript/dist/", import.meta.url);

/** Postgres, the gateway and the relay: what invokes functions, wherever they are. */
export async function startEngine(name) {
  const stack = await startStack(`sdk-${name}`, { parts: ["gateway", "relay"], applications: "none" });
  const mill = gristmill({ url: stack.url, key: stack.serviceKey });
  const rows = async (sql, values) => (await stack.postgres.query(sql, values)).rows;
  return { stack, mill, rows, secret: stack.secrets.invokeSecret };
}

/** Serves what mill.serve() has made, in Node. */
export async function listen(served) {
  const requests = [];
  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const answer = await served(new Request(`http://localhost${request.url}`, {
      method: request.method, headers: request.headers, ...(body.length > 0 && { body }) }));
    const text = await answer.text();
    requests.push({ body: body.toString(), status: answer.status, answer: text });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, requests, close: () => new Promise((resolve) => server.close(resolve)) };
}
