// Users and the service, who write to every application over HTTP without a pause.
import { signIn } from "../support.mjs";

// An export and an upload keep the worker busy for long, a job does not: who asked for as many as this asks for jobs only.
const HEAVY = 3;

/**
 * @returns {Promise<{written: number, finish: () => void, result: Promise<object>}>}
 *   written: answers so far; finish: everybody writes a little more and stops; result: what was asked for and what was answered
 */
export async function startLoad(stack, { users, symbols }) {
  const load = { written: 0 };
  const counts = { requests: 0, unavailable: 0, longest: 0, faults: [] };
  const accepted = { jobs: [], exports: [], documents: [], workflows: [], symbols: [] };
  let left = Infinity;
  load.finish = () => {
    left = 100; // and after the upgrade all is as before
  };

  /** One request; its answer, or null where the server says that it is to be repeated later. */
  async function send(token, method, address, body, headers = {}) {
    const begun = Date.now();
    const answer = await fetch(`${stack.url}${address}`, {
      method, body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { authorization: `Bearer ${token}`, apikey: stack.anonKey, "content-type": "application/json", ...headers },
    });
    const text = await answer.text();
    counts.requests += 1;
    counts.longest = Math.max(counts.longest, Date.now() - begun);
    load.written += 1;
    left -= 1;
    if (answer.ok) return text && JSON.parse(text);
    if (answer.status === 503 && answer.headers.has("retry-after")) counts.unavailable += 1;
    else counts.faults.push(`${method} ${address}: ${answer.status} ${text.slice(0, 300)}`);
    return null;
  }

  const kinds = {
    async job(token, n) {
      const answer = await send(token, "POST", "/functions/v1/enqueue", { kind: "echo", payload: { n } });
      if (answer) accepted.jobs.push(answer.id);
    },
    async subscription(token, n) {
      const symbol = `S${n % symbols}`;
      const answer = await send(token, "POST", "/rest/v1/rpc/upsert_active_subscription_v2", { p_symbol: symbol, p_data_type: "quote" });
      if (answer) accepted.symbols.push(symbol);
    },
    async document(token, n) {
      await send(token, "POST", "/rest/v1/documents", { title: `Resume ${n}`, data: {} }, { prefer: "return=representation" });
    },
    async workflow(token, n) {
      const answer = await send(token, "POST", "/functions/v1/jobs/v1/jobs", { type: "echo", params: { message: `n ${n}` } });
      if (answer) accepted.workflows.push(answer.id);
    },
    async upload(token, n, user) {
      const answer = await send(token, "POST", `/functions/v1/upload/v1/documents?filename=${n}.txt`, `Patient: Ann Lee\nReference ${user}-${n}\nGlucose 142 mg/dL\n`, { "content-type": "text/plain" });
      if (answer) accepted.documents.push(answer.id);
    },
    async export(token, n) {
      const documents = await send(token, "POST", "/rest/v1/documents", { title: `Exported ${n}`, data: { basics: { name: "Ada" } } }, { prefer: "return=representation" });
      if (!documents) return;
      const answer = await send(token, "POST", "/functions/v1/export/v1/exports", { document_id: documents[0].id, template: "modern" });
      if (answer) accepted.exports.push(answer.id);
    },
  };
  const light = ["job", "subscription", "document", "workflow", "job", "document"];

  async function write(user) {
    const { token } = await signIn(stack);
    for (let n = 0; left > 0; n++) {
      // Heavy ones are spread, so that some of them fall into the upgrade.
      const heavy = n % 8 === 7 && n / 8 < HEAVY * 2 ? (n % 16 === 7 ? "upload" : "export") : null;
      await kinds[heavy ?? light[(n + user) % light.length]](token, n, user);
    }
  }

  async function serve() {
    for (let n = 0; left > 0; n++) {
      const jobs = await send(stack.serviceKey, "POST", "/rest/v1/rpc/enqueue_jobs", { p_jobs: [1, 2].map((m) => ({ kind: "echo", payload: { n, m } })) });
      if (jobs) accepted.jobs.push(...jobs.map(({ id }) => id));
    }
  }

  load.result = Promise.all([serve(), ...Array.from({ length: users }, (_, user) => write(user))]).then(() => ({ ...counts, accepted }));
  load.result.catch(() => {}); // whoever waits for it is told
  return load;
}
