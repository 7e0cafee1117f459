// What the tests share: a stack of their own, a caller with a token, and waiting on a condition.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import pg from "pg";

import { Stack } from "../sdk/local/stack/stack.mjs";

export { sleep };
export const isSoak = process.env.GRISTMILL_SOAK === "1";

export const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** The database with a mutant in it, where tests/mutants asks this file whether it notices. */
export const mutantDatabase = process.env.GRISTMILL_MUTANT_DATABASE;

/** Starts a stack whose data is gone with the test. */
export function startStack(name, options) {
  if (mutantDatabase) return { databaseUrl: mutantDatabase, destroy: () => {} };
  return new Stack(`test-${name}-${process.pid}`, options).start();
}

/** Many connections as the superuser, for races. Their ends with the server are no error of the test. */
export function connect(stack, max = 50) {
  const pool = new pg.Pool({ connectionString: stack.databaseUrl, max });
  pool.on("error", () => {});
  return pool;
}

/** Waits until `condition` gives something truthy, and returns it. */
export async function until(condition, what, patience = 90_000) {
  const deadline = Date.now() + patience;
  for (let pause = 5; ; pause = Math.min(pause * 1.3, 100)) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${patience / 1000} s`);
    await sleep(pause);
  }
}

/** A signed-in user who calls functions. */
export async function signIn(stack, sub = randomUUID()) {
  const token = await stack.token({ role: "authenticated", sub });
  const call = async (method, path, { body, headers, ...init } = {}) => {
    const answer = await fetch(`${stack.url}/functions/v1/${path}`, {
      method, headers: { authorization: `Bearer ${token}`, ...headers },
      body: typeof body === "object" && !(body instanceof Uint8Array) && !(body instanceof ReadableStream) ? JSON.stringify(body) : body,
      ...init,
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: text && JSON.parse(text) };
  };
  return {
    sub,
    token,
    call,
    submit: (job) => call("POST", "enqueue", { body: job }),
    job: async (id) => (await call("GET", `enqueue/${id}`)).json,
    settled: (id) => until(async () => {
      const { json } = await call("GET", `enqueue/${id}`);
      return ["completed", "failed"].includes(json.state) && json;
    }, `job ${id} settling`),
  };
}
