// The console in a real Chromium, on a real stack, watched: a page that breaks its own policy, asks a third party for anything, or learns a key
// of the deployment fails its test, whatever the test is about.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";

import { root } from "../../sdk/local/stack/paths.mjs";
import { startBrowser } from "../contract/browser.mjs";
import { startStack } from "../support.mjs";

/** One person per role, always the same. */
export const PEOPLE = {
  viewer: { sub: "00000000-0000-4000-8000-00000000000a", email: "vera@example.com" },
  operator: { sub: "00000000-0000-4000-8000-00000000000b", email: "oscar@example.com" },
  admin: { sub: "00000000-0000-4000-8000-00000000000c", email: "ada@example.com" },
  nobody: { sub: "00000000-0000-4000-8000-00000000000d", email: "nora@example.com" },
};

/**
 * Starts a stack with its console, and a browser.
 * @param {string} name
 * @param {object} [options]  of the stack; without others only Postgres, the gateway and the relay run
 */
export async function startConsole(name, options = {}) {
  if (!fs.existsSync(path.join(root, "console/dist/index.html"))) throw new Error("the console is not bundled: run scripts/lib/build-console.sh");
  const stack = await startStack(`console-${name}`, { parts: ["gateway", "relay"], applications: "none", ...options });
  try {
    return new Console(stack, await startBrowser());
  } catch (error) {
    await stack.destroy();
    throw error;
  }
}

export class Console {
  #contexts = new Set();
  #waiting = [];

  constructor(stack, browser) {
    Object.assign(this, { stack, browser, complaints: [] });
    this.secrets = Object.entries({ "the service key": stack.serviceKey, "the JWT secret": stack.secrets.jwtSecret,
      "the database's password": stack.secrets.postgresPassword, "the secret of invocations": stack.secrets.invokeSecret });
  }

  /** A token of that role in the console; "nobody" is signed in and has no role there. */
  token(role, claims = {}) {
    return this.stack.token({ role: "authenticated", ...PEOPLE[role], ...(role !== "nobody" && { app_metadata: { gristmill_role: role } }), expiresIn: "1h", ...claims });
  }

  /** Calls an RPC as that role, outside of the browser. */
  async call(role, rpc, body = {}) {
    const answer = await fetch(`${this.stack.url}/rest/v1/rpc/${rpc}`, { method: "POST", body: JSON.stringify(body),
      headers: { "content-type": "application/json", authorization: `Bearer ${role === "service" ? this.stack.serviceKey : await this.token(role)}` } });
    const text = await answer.text();
    return { status: answer.status, json: text ? JSON.parse(text) : null };
  }

  /**
   * A tab of its own, watched from its first request.
   * @param {{role?: "viewer"|"operator"|"admin"|"nobody"|null, at?: string, origin?: string, api?: string, phone?: boolean, dark?: boolean, still?: boolean, size?: object}} [options]
   *   role: signed in by a pasted token; null: not signed in. at: the screen. origin: another server than the gateway; api: where the deployment answers, if not there. still: no animations
   */
  async open({ role = "admin", at = "/overview", origin = this.stack.url, api = origin, phone = false, dark = false, still = true, size } = {}) {
    const context = await this.browser.newContext({ viewport: size ?? (phone ? { width: 390, height: 844 } : { width: 1280, height: 800 }), hasTouch: phone,
      colorScheme: dark ? "dark" : "light", reducedMotion: still ? "reduce" : "no-preference", acceptDownloads: true });
    this.#contexts.add(context);
    await this.watch(context, origin, api);
    if (role) {
      const token = await this.token(role);
      await context.addInitScript(([token, origin]) => { if (location.origin === origin) sessionStorage.setItem("gristmill.token", token); }, [token, new URL(origin).origin]);
    }
    const page = await context.newPage();
    await page.goto(`${origin}/console/#${at}`);
    return page;
  }

  /** Notes what no page of the console may do. */
  async watch(context, origin = this.stack.url, api = origin) {
    const own = [new URL(origin).origin, new URL(api).origin];
    const complain = (text) => this.complaints.push(text);
    await context.exposeBinding("complainOfViolation", (_, text) => complain(text));
    await context.addInitScript(() => document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile, lineNumber, sample }) =>
      window.complainOfViolation(`the policy's ${violatedDirective} forbids ${blockedURI} ${sample} (${sourceFile}:${lineNumber})`)));
    context.on("weberror", (error) => complain(`an error in the page: ${error.error().stack}`));
    context.on("request", (request) => {
      const url = request.url();
      if (!/^(blob|data):/.test(url) && !own.includes(new URL(url).origin)) complain(`a request to a third party: ${url}`);
      this.#waiting.push(request.allHeaders().then((headers) => this.#search(`the request ${url}`, url + JSON.stringify(headers) + (request.postDataBuffer()?.toString("latin1") ?? "")), () => {}));
    });
    context.on("response", (response) => {
      const type = response.headers()["content-type"] ?? "";
      if (/^(text|application\/json)/.test(type)) this.#waiting.push(response.text().then((text) => this.#search(`the answer of ${response.url()}`, text), () => {}));
    });
  }

  #search(where, text) {
    for (const [name, secret] of this.secrets) if (text.includes(secret)) this.complaints.push(`${name} is in ${where}`);
  }

  /** Looks into every open page and its storage, and fails on whatever was noted. */
  async check() {
    await Promise.all(this.#waiting.splice(0));
    for (const context of this.#contexts) {
      for (const page of context.pages()) {
        const text = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.documentElement.outerHTML])).catch(() => "");
        this.#search(`the page or the storage of ${page.url()}`, text);
      }
    }
    assert.deepEqual(this.complaints.splice(0), []);
  }

  /** Closes the tabs of a test, after looking at them. */
  async leave() {
    try {
      await this.check();
    } finally {
      for (const context of this.#contexts) await context.close();
      this.#contexts.clear();
    }
  }

  async close() {
    await this.browser.close();
    await this.stack.destroy();
  }
}

/** A job, as an application enqueues it; the arguments are those of submit_job without p_. */
export async function addJob(console, { kind = "echo", payload = { n: 1 }, ...named } = {}) {
  const args = Object.fromEntries(Object.entries({ kind, payload, ...named }).map(([name, value]) => [`p_${name}`, value]));
  const { status, json } = await console.call("service", "submit_job", args);
  if (status !== 200) throw new Error(`submit_job answered ${status}: ${JSON.stringify(json)}`);
  return json.id;
}

/** A dead letter, as a worker leaves it: enqueued, claimed and settled as failed for good. */
export async function addDead(console, { queue = "default", error = { type: "timeout", message: "no answer" }, ...job } = {}) {
  const id = await addJob(console, job);
  const worker = "worker-1";
  const claimed = (await console.call("service", "claim_jobs", { p_worker: worker, p_queues: [queue], p_max: 50 })).json;
  const outcomes = claimed.map(({ id, attempt }) => ({ id, attempt, outcome: "dead", error }));
  const settled = (await console.call("service", "settle_jobs", { p_worker: worker, p_outcomes: outcomes })).json;
  assert.ok(settled.some((one) => one.id === id), `the job ${id} was not settled: ${JSON.stringify(settled)}`);
  return id;
}
