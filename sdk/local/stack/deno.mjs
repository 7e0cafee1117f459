// Serves all functions of wrangler.toml under Deno, each below /functions/v1/NAME: what Supabase's edge
// runtime does with the same files. One Deno process a function, and a front that forwards by name.
//   node deno.mjs PORT      bindings for all functions come as JSON in GRISTMILL_BINDINGS; GRISTMILL_FUNCTIONS names
//   those to serve, where not all are wanted
import { spawn } from "node:child_process";
import http from "node:http";
import path from "node:path";

import { root } from "./paths.mjs";
import { freePorts, isListening } from "./ports.mjs";
import { nameOf, unknownFunction } from "./unknown-function.mjs";
import { readFunctions, workersOf } from "./wrangler.mjs";

const port = Number(process.argv[2]);
const bindings = JSON.parse(process.env.GRISTMILL_BINDINGS);
const { functions } = readFunctions(process.env.GRISTMILL_FUNCTIONS);
const workers = workersOf(functions);
const ports = await freePorts(workers.length);
const targets = new Map();

const children = workers.map(({ names, folder, vars }, at) => {
  for (const name of names) targets.set(name, ports[at]);
  return spawn(path.join(root, "node_modules/.bin/deno"),
    ["run", "--no-prompt", "--allow-net", "--allow-env", path.join(folder, "deno.js")],
    { env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1",
        ...vars, ...bindings, PORT: String(ports[at]), GRISTMILL_HOST: "127.0.0.1" },
      stdio: ["ignore", "inherit", "inherit"] });
});

const front = http.createServer((request, response) => {
  const target = targets.get(nameOf(request.url));
  if (!target) {
    const { status, headers, body } = unknownFunction(request.headers["x-correlation-id"]);
    request.resume(); // read to its end: an answer to a body that was not read can be lost with the connection
    return response.writeHead(status, headers).end(body);
  }
  const forwarded = http.request(
    { host: "127.0.0.1", port: target, path: request.url, method: request.method, headers: request.headers },
    (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
  forwarded.on("error", () => response.headersSent ? response.destroy() : response.writeHead(502).end());
  response.on("close", () => forwarded.destroy()); // whoever has left is not kept waiting for
  request.pipe(forwarded);
});

// What npm calls deno is a script that starts the real one: the signal goes to the whole group, or that would stay.
const stop = () => {
  for (const signal of ["SIGTERM", "SIGINT"]) process.removeAllListeners(signal).on(signal, () => {});
  for (const child of children) child.kill();
  try {
    process.kill(-process.pid, "SIGTERM");
  } catch (error) {
    if (error.code !== "ESRCH") throw error; // not the leader of a group: started by hand
  }
  process.exit(0);
};
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, stop);

const patience = Date.now() + 90_000;
while (!(await Promise.all(ports.map(isListening))).every(Boolean)) {
  if (Date.now() > patience) throw new Error("a function did not start under Deno");
  await new Promise((resolve) => setTimeout(resolve, 20));
}
front.listen(port, "127.0.0.1", () => console.log(`functions are served on port ${port}`));
