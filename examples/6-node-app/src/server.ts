// The app: POST /orders places an order, GET /orders/ID shows it. The place of Next.js, Express or any other server.
import { createServer, type IncomingMessage } from "node:http";
import pg from "pg";
import { InvalidPayload } from "gristmill";
import { findOrder, placeOrder } from "./orders.js";

// A role of the app's own that is a member of gristmill_app. See README.md.
const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"] });

async function body(request: IncomingMessage): Promise<any> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}

async function answer(request: IncomingMessage): Promise<{ status: number; json: unknown }> {
  const [, name, id] = new URL(request.url!, "http://localhost").pathname.split("/");
  if (name !== "orders") return { status: 404, json: { error: "not found" } };
  if (request.method === "POST") return { status: 201, json: { id: await placeOrder(pool, await body(request)) } };
  const order = id && (await findOrder(pool, id));
  return order ? { status: 200, json: order } : { status: 404, json: { error: "not found" } };
}

const server = createServer((request, response) => {
  answer(request)
    .catch((error) => {
      if (error instanceof InvalidPayload) return { status: 400, json: { error: error.message, field: error.field } };
      console.error(error);
      return { status: 500, json: { error: "internal error" } };
    })
    .then(({ status, json }) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json)));
});
server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => console.log(`listening on ${JSON.stringify(server.address())}`));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close(() => void pool.end()));
