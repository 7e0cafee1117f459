// The load of the chaos tests: all applications at a moderate rate, from a process of its own.
//   node load.mjs       reads {site, folder, seed, rates, limits, symbols} as JSON from CHAOS_LOAD. "stop" on standard input ends the
//                       asking, and what is under way is still looked after; the end of standard input ends the process.
import { setTimeout as sleep } from "node:timers/promises";

import { uuidOf } from "../../scripts/lib/bench/applications.mjs";
import { random } from "../../scripts/lib/samples/image.mjs";
import { openClient } from "./client.mjs";
import { openLedger } from "./ledger.mjs";

// What is older no longer counts as outstanding: it may wait for a lease to end, and the load must go on meanwhile.
const OUTSTANDING_MS = 10_000;
// A user may ask for a hundred exports per day: users are changed long before.
const REQUESTS_PER_USER = 20;

const { site, folder, seed, rates, limits } = JSON.parse(process.env.CHAOS_LOAD);
const ledger = await openLedger(folder);
const client = openClient(site, ledger, { poll: 250 });
const over = new AbortController();
let asking = true;
process.stdin.on("data", () => (asking = false));
process.stdin.on("end", () => process.exit(0));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {}); // ends with whoever started it

await Promise.all(Object.keys(rates).map(run));

/** Keeps one application busy: `rate` requests per second, at most `limit` of them young and outstanding. */
async function run(app, index) {
  const next = random(seed * 10 + index);
  const young = new Set();
  for (let n = 0; asking; n++) {
    if (n > 0) await sleep((0.5 + next()) * 1000 / rates[app]);
    if (young.size >= limits[app]) continue;
    const item = {};
    young.add(item);
    setTimeout(() => young.delete(item), OUTSTANDING_MS).unref();
    // Symbols are those that the test has made; every other key is of our own making.
    const key = app === "refresh" ? `L${n}` : `load-${app}-${n}`;
    // Two at a time: one user has half of the invocations of a function at the most.
    const user = uuidOf(`load-${seed}-${app}-${Math.floor(n / (2 * REQUESTS_PER_USER))}-${n % 2}`);
    const options = app === "job" ? { delay_ms: Math.floor(next() * 2_500) } : undefined;
    client.wholeWay(app, key, user, over.signal, options).catch(() => {}).finally(() => young.delete(item));
  }
}
