// the relay: from commit to sent, and the rate that it holds
// needs: native
import { once } from "node:events";
import http from "node:http";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

import { Stack } from "../../../sdk/local/stack/stack.mjs";
import { percentile } from "./progress.mjs";

const SINGLES = 300;
const HOLD = { seconds: 10, rate: 1000, ticksPerSecond: 5 };
const LIMIT_MS = 30;
const PATIENCE_MS = 60_000;

export default async function* measure({ progress }) {
  const stack = new Stack(`bench-relay-${process.pid}`, { parts: ["relay"], onStep: (part) => progress(`starting ${part}`) });
  const target = new Target();
  try {
    await stack.start();
    await target.listen();
    const client = new pg.Client({ connectionString: stack.databaseUrl });
    await client.connect();
    const latencies = await commitToSent(client, target, progress);
    for (const [name, share] of [["p50", 0.5], ["p99", 0.99]]) {
      const value = percentile(latencies, share);
      yield { metric: `commit to sent, ${name}`, value, unit: "ms", peer: `limit ${LIMIT_MS} ms`, ratio: value / LIMIT_MS };
    }
    progress(`${HOLD.rate} requests a second for ${HOLD.seconds} s`);
    const { rate, lag } = await hold(client, target);
    yield { metric: `sent while ${HOLD.rate}/s are asked for, ${HOLD.seconds} s`, value: rate, unit: "requests/s", peer: `asked ${HOLD.rate}/s`, ratio: rate / HOLD.rate };
    yield { metric: "last one sent after its commit", value: lag, unit: "ms" };
    await client.end();
  } finally {
    progress("stopping");
    target.close();
    await stack.destroy();
  }
}

/** Where requests go: a server in this process, so that both ends of a measurement share a clock. */
class Target {
  arrivals = [];
  #waiting = null;

  async listen() {
    this.server = http.createServer((request, response) => {
      this.arrivals.push(performance.now());
      request.resume();
      response.end("ok");
      if (this.#waiting && this.arrivals.length >= this.#waiting.count) this.#waiting.resolve();
    });
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    this.url = `http://127.0.0.1:${this.server.address().port}/`;
  }

  /** Waits until `count` requests have arrived since the start. */
  async reached(count) {
    if (this.arrivals.length >= count) return;
    const arrived = new Promise((resolve) => (this.#waiting = { count, resolve }));
    const late = sleep(PATIENCE_MS, null, { ref: false }).then(() => {
      throw new Error(`${count - this.arrivals.length} requests are missing a minute after the last commit`);
    });
    await Promise.race([arrived, late]);
  }

  close() {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}

// One at a time, from the moment the commit is known here until the request has arrived.
async function commitToSent(client, target, progress) {
  const took = [];
  for (let sent = 1; sent <= SINGLES; sent++) {
    if (sent % 50 === 0) progress(`commit to sent: ${sent} of ${SINGLES}`);
    await client.query("select net.http_post($1)", [target.url]);
    const committed = performance.now();
    await target.reached(sent);
    took.push(Math.max(0, target.arrivals.at(-1) - committed)); // it may arrive before the commit's answer
  }
  return took;
}

// Requests a second that arrived while as many were asked for, and how long the last one lagged.
async function hold(client, target) {
  const batch = HOLD.rate / HOLD.ticksPerSecond;
  const before = target.arrivals.length;
  const begun = performance.now();
  for (let tick = 0; tick < HOLD.seconds * HOLD.ticksPerSecond; tick++) {
    await sleep(Math.max(0, begun + (tick * 1000) / HOLD.ticksPerSecond - performance.now()));
    await client.query("select net.http_post($1) from generate_series(1, $2::int)", [target.url, batch]);
  }
  const committed = performance.now();
  // The last tick's requests belong to the fifth of a second after it.
  const due = begun + HOLD.seconds * 1000;
  const all = HOLD.seconds * HOLD.rate;
  await target.reached(before + all);
  const last = target.arrivals.at(-1);
  return { rate: all / ((Math.max(last, due) - begun) / 1000), lag: Math.max(0, last - committed) };
}
