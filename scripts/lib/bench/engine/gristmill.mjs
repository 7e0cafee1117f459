// Gristmill through its stable operations, on the queue and the kind that every installation starts with. That
// queue is served by a function, so enqueue pays for its wake-up. Asked for back is what a worker needs: no ids from
// enqueue (pg-boss gives none either), id, kind, payload and attempt from claim, and from settle what was lost.
import pg from "pg";

export const name = "gristmill";

export const QUEUE = "default";
export const KIND = "echo";

/** Nothing to do: its databases are copies of a migrated one. */
export async function install() {}

export async function open(url, connections) {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  pool.on("error", () => {});
  const call = async (name, text, ...values) => (await pool.query({ name, text, values })).rows;
  const enqueue = (jobs) => call("enqueue", "select count(*) from mill.enqueue($1)", JSON.stringify(jobs));
  const claim = (max, worker = "bench") =>
    call("claim", "select id, kind, payload, attempt from mill.claim($1, $2, $3)", worker, [QUEUE], max);
  const settle = (outcomes, worker = "bench") =>
    call("settle", "select id, status from mill.settle($1, $2) where status = 'lost'", worker, JSON.stringify(outcomes));
  return {
    enqueue: (payloads, options) => enqueue(payloads.map((payload) => ({ kind: KIND, payload, ...options }))),
    claim,
    complete: (jobs) => settle(jobs.map(({ id, attempt }) => ({ id, attempt, outcome: "completed" }))),
    settle,
    // What the pump and pg_cron do in production. The peers need nothing of the kind in so short a time.
    housekeep: () => call("tick", "select mill.tick()"),
    query: (text, values) => pool.query(text, values),
    close: () => pool.end(),
  };
}
