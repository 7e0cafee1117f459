// Every route of every function: each serves its OpenAPI document, and schemathesis sends generated requests, good and bad, to
// whatever is declared there. A 5xx, a status or media type that is not documented, or an answer that is not as its schema says, fails.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";

import { readFunctions } from "../../sdk/local/stack/wrangler.mjs";
import { isSoak, signIn, startStack } from "../support.mjs";

const cache = process.env.CACHE ?? process.env.GRISTMILL_CACHE ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), ".cache"), "gristmill");
const schemathesis = fs.readdirSync(cache).filter((name) => name.startsWith("schemathesis-")).sort().map((name) => path.join(cache, name, "bin/schemathesis")).pop();
const CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
  + "response_headers_conformance,negative_data_rejection,unsupported_method,allow_header_conformance";
const EXAMPLES = isSoak ? 1000 : 15;

const { functions } = readFunctions();
let stack, tokens;
before(async () => {
  assert.ok(schemathesis && fs.existsSync(schemathesis), "schemathesis is missing: ./scripts/setup --for test");
  stack = await startStack("openapi", { parts: ["gateway", "relay", "workerd", "storage"] });
  // Health answers 503 on purpose when something is late, which here would count as a failure.
  await stack.postgres.query("update mill.schedule set slack_seconds = 100000");
  const user = await signIn(stack);
  tokens = { health: stack.secrets.metricsToken, audit: stack.serviceKey, default: user.token };
});
after(() => stack?.destroy());

// A stream of events answers for a minute: it is described, but not walked.
function withoutStreams(api) {
  for (const methods of Object.values(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if ("text/event-stream" in (operation.responses[200]?.content ?? {})) delete methods[method];
    }
  }
  api.paths = Object.fromEntries(Object.entries(api.paths).filter(([, methods]) => Object.keys(methods).length > 0));
  return api;
}

// Schemathesis cannot sign. What goes through here is signed as the engine signs, so that generated requests get past the gate.
async function signing(work) {
  const key = Buffer.from(stack.secrets.invokeSecret.replace("whsec_", ""), "base64");
  const proxy = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const [id, at] = [randomUUID(), Math.floor(Date.now() / 1000)];
    const signature = createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest("base64");
    const onward = http.request(new URL(request.url, stack.url), { method: request.method, headers: {
      ...request.headers, "webhook-id": id, "webhook-timestamp": at, "webhook-signature": `v1,${signature}` } }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    onward.end(body);
  });
  await new Promise((listening) => proxy.listen(0, "127.0.0.1", listening));
  try {
    return await work(`http://127.0.0.1:${proxy.address().port}`);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
}

const isSigned = (api) => Object.values(api.paths).flatMap(Object.values).some(({ security }) =>
  (security ?? []).flatMap(Object.keys).some((scheme) => /sign/i.test(scheme)));

function withoutSecurity(api) {
  for (const operation of Object.values(api.paths).flatMap(Object.values)) delete operation.security;
  return api;
}

const document = async (name) => (await fetch(`${stack.url}/functions/v1/${name}/openapi.json`)).json();

function run(cwd, args) {
  const child = spawn(schemathesis, args, { cwd, env: { ...process.env, NO_COLOR: "1", PYTHONUNBUFFERED: "1" }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}

// A further name of a function serves what the function serves: only what is its own is walked again.
async function ownOf(name, of) {
  const api = await document(name);
  if (name === of) return api;
  const theirs = (await document(of)).paths;
  for (const [at, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (isDeepStrictEqual(operation, theirs[at]?.[method])) delete methods[method];
    }
    if (Object.keys(methods).length === 0) delete api.paths[at];
  }
  return api;
}

for (const { name, of } of functions) {
  describe(name, () => {
    test("describes itself in OpenAPI 3.1, and every operation says who may call it and what it answers", async () => {
      const api = await document(name);
      assert.equal(api.openapi, "3.1.0");
      const operations = Object.entries(api.paths).flatMap(([at, methods]) => Object.entries(methods).map(([method, operation]) => ({ at, method, ...operation })));
      assert.ok(operations.length > 0);
      for (const operation of operations) {
        assert.ok(operation.summary, `${operation.method} ${operation.at} has no summary`);
        assert.ok(Object.keys(operation.responses).some((status) => status < 400), `${operation.method} ${operation.at} never succeeds`);
        for (const scheme of (operation.security ?? []).flatMap(Object.keys)) assert.ok(api.components.securitySchemes[scheme]);
      }
    });

    test("answers generated requests as it says", async () => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-openapi-"));
      try {
        const file = path.join(folder, "openapi.json");
        const api = withoutStreams(await ownOf(name, of));
        if (Object.keys(api.paths).length === 0) return;
        fs.writeFileSync(file, JSON.stringify(api));
        const walk = async (url) => {
          const { code, output } = await run(folder, ["run", file, "--url", `${url}/functions/v1/${name}`,
            "--header", `Authorization: Bearer ${tokens[of] ?? tokens.default}`, "--checks", CHECKS, "--phases", "examples,coverage,fuzzing",
            "--max-examples", String(EXAMPLES), "--seed", "1", "--warnings", "off", "--request-timeout", "30", "--continue-on-failure"]);
          assert.equal(code, 0, output.slice(-6000));
        };
        await walk(stack.url);
        if (isSigned(api)) {
          fs.writeFileSync(file, JSON.stringify(withoutSecurity(api)));
          await signing(walk);
        }
      } finally {
        fs.rmSync(folder, { recursive: true, force: true });
      }
    });
  });
}
