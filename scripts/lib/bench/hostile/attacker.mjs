// The attacker of the hostile bench: one signed-in user who does at once, and again and again, what has stopped the service for everybody.
//   node attacker.mjs      reads {url, anonKey, token, attacks} as JSON from HOSTILE. Says "attacking", and after "stop" on standard input
//                          what was answered. Ends with its standard input, and after five minutes in any case.
//
//   filters    twelve GETs of 400 regular expressions over documents of one megabyte
//   slow       twelve GETs of as many regular expressions as one request may have, over the same documents
//   exports    two exports of a field of 340,000 combining marks, soft hyphens or bidi controls
//   payloads   sixty jobs whose payload can never be worked off, every ten seconds
//   answers    the same megabyte selected thirty times over twenty rows
//   jobs       three hundred jobs with priority 100 that take 24 s each, and again what is refused of them, every ten seconds
//   documents  six PDFs of many pages that take long to read, at once
//   refreshes  twenty thousand symbols, subscribed to as far as that is allowed and asked for by check_and_queue_stale_batch with priority 10, fifty at a time
import { setTimeout as sleep } from "node:timers/promises";

import { slowPdf } from "../../samples/hostile.mjs";
import { uuidOf } from "../applications.mjs";
import { ATTACKED, SYMBOLS } from "./symbols.mjs";

const LONGEST_MS = 300_000;
const DOCUMENTS = 20;
const TERMS = 400;
const ALLOWED_TERMS = 10;
const { url, anonKey, token, attacks } = JSON.parse(process.env.HOSTILE);
const headers = { apikey: anonKey, authorization: `Bearer ${token}` };
const counts = {};
let attacking = true;

process.stdin.once("data", () => {
  attacking = false;
  console.log(JSON.stringify(counts));
});
process.stdin.on("end", () => process.exit(0));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(0));
setTimeout(() => process.exit(0), LONGEST_MS).unref();

const attackers = {
  filters: () => times(12, (n) => send("filters", "GET", filter(n))),
  slow: () => times(12, (n, round) => send("slow", "GET", filter(n + 12 * round, ALLOWED_TERMS))),
  exports: () => times(2, (n, round) => hostileExport((n + round) % HOSTILE_TEXTS.length)),
  payloads: () => times(1, async () => {
    await Promise.all(Array.from({ length: 60 }, (_, n) =>
      send("payloads", "POST", "functions/v1/enqueue", { kind: "echo", payload: { delay_ms: "never", n } })));
    await sleep(10_000);
  }),
  jobs: () => times(1, async () => {
    await Promise.all(Array.from({ length: 300 }, (_, n) =>
      send("jobs", "POST", "functions/v1/enqueue", { kind: "echo", priority: 100, payload: { delay_ms: 24_000, n } })));
    await sleep(10_000);
  }),
  documents: () => times(6, (n, round) => hostileUpload(`${n}-${round}`)),
  refreshes: () => times(50, async (n, round) => {
    const p_symbol = `${ATTACKED}${(n + 50 * round) % SYMBOLS}`;
    await send("subscriptions", "POST", "rest/v1/rpc/upsert_active_subscription_v2", { p_symbol, p_data_type: "quote" });
    await send("refreshes", "POST", "rest/v1/rpc/check_and_queue_stale_batch", { p_symbol, p_data_types: ["quote"], p_priority: 10 });
  }),
  answers: () => times(1, () => send("answers", "GET", `rest/v1/documents?${new URLSearchParams({
    select: Array.from({ length: 30 }, (_, n) => `c${n}:data`).join(",") })}`)),
};

// Each is one field, and fits a document: 340,000 characters of two or three bytes.
const HOSTILE_TEXTS = [["combining marks", "e", "\u0301\u0323"], ["soft hyphens", "word", "\u00ad\u00ad"], ["bidi controls", "word", "\u202e\u202d"]]
  .map(([name, begin, pair]) => ({ name, text: begin + pair.repeat(170_000) }));

await writeDocuments();
// Filters and answers may keep everything else out, the attacker's own requests too: what must be accepted first goes first.
for (const attack of ["exports", "payloads", "jobs", "documents", "refreshes"].filter((name) => attacks.includes(name))) attackers[attack]();
await sleep(1_000);
for (const attack of ["filters", "slow", "answers"].filter((name) => attacks.includes(name))) attackers[attack]();
console.log("attacking");

/** Keeps `count` of something under way. A refusal is followed by a rest, as a person with curl in a loop would. */
async function times(count, once) {
  await Promise.all(Array.from({ length: count }, async (_, n) => {
    for (let round = 0; attacking; round++) {
      const begun = performance.now();
      await once(n, round);
      if (performance.now() - begun < 250) await sleep(250);
    }
  }));
}

/** One request, whose answer is read to its end and thrown away. Gives the body where it is short. */
async function send(attack, method, address, body, type = "application/json") {
  let outcome, text = "";
  try {
    const answer = await fetch(`${url}/${address}`, { method, headers: { ...headers, "content-type": type },
      body: type === "application/json" ? body && JSON.stringify(body) : body, signal: AbortSignal.timeout(60_000) });
    outcome = String(answer.status);
    for await (const piece of answer.body ?? []) if (text.length < 10_000) text += Buffer.from(piece);
  } catch (error) {
    outcome = error.name === "TimeoutError" ? "no answer in 60 s" : "cut off";
  }
  counts[attack] ??= {};
  counts[attack][outcome] = (counts[attack][outcome] ?? 0) + 1;
  return { outcome, text };
}

/** Asks for an export, and watches it until it has ended or for a minute. */
async function hostileExport(which) {
  const document_id = uuidOf(`${token} ${which}`);
  const { outcome, text } = await send("exports", "POST", "functions/v1/export/v1/exports", { document_id });
  if (outcome !== "202") return;
  const { id } = JSON.parse(text);
  for (const deadline = Date.now() + 60_000; attacking && Date.now() < deadline; await sleep(500)) {
    const seen = await send("exports' polls", "GET", `functions/v1/export/v1/exports/${id}`);
    const status = seen.outcome === "200" && JSON.parse(seen.text).status;
    if (!["completed", "failed", "cancelled"].includes(status)) continue;
    const name = `${HOSTILE_TEXTS[which].name} ${status}`;
    counts.exports[name] = (counts.exports[name] ?? 0) + 1;
    return;
  }
}

/** Uploads a PDF that takes long to read, and watches it until it has ended or for a minute. No two are the same. */
async function hostileUpload(name) {
  const { outcome, text } = await send("documents", "POST", `functions/v1/documents/v1/documents?filename=${name}.pdf`, slowPdf(name), "application/pdf");
  if (!["200", "202"].includes(outcome)) return;
  const { id } = JSON.parse(text);
  for (const deadline = Date.now() + 60_000; attacking && Date.now() < deadline; await sleep(500)) {
    const seen = await send("documents' polls", "GET", `functions/v1/documents/v1/documents/${id}`);
    const status = seen.outcome === "200" && /"status":"(\w+)"/.exec(seen.text)?.[1];
    if (!["completed", "needs_review", "failed", "refused", "infected"].includes(status)) continue;
    counts.documents[status] = (counts.documents[status] ?? 0) + 1;
    return;
  }
}

// None of them matches, and each is another one: nothing is found early and nothing is found in a cache.
function filter(n, count = TERMS) {
  const terms = Array.from({ length: count }, (_, at) => `data->>x.match."[a-m]+[n-z]+[${n % 10}${at % 10}]{2}q${at}"`);
  return `rest/v1/documents?${new URLSearchParams({ select: "id", or: `(${terms.join(",")})` })}`;
}

async function writeDocuments() {
  const write = async (key, data) => {
    const { outcome, text } = await send("documents", "POST", "rest/v1/documents", { id: uuidOf(`${token} ${key}`), title: String(key), data });
    // A refusal is a defence, and the attack goes on with what it has.
    if (outcome !== "201") console.error(`the attacker could not write document ${key}: ${outcome} ${text.slice(0, 200)}`);
  };
  if (attacks.includes("exports")) {
    for (const [which, { name, text }] of HOSTILE_TEXTS.entries()) await write(which, { basics: { name, summary: text } });
  }
  if (["filters", "slow", "answers"].some((name) => attacks.includes(name))) {
    const letters = Array.from({ length: 1_000_000 }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join("");
    for (let n = 0; n < DOCUMENTS; n++) await write(`large ${n}`, { x: letters });
  }
}
