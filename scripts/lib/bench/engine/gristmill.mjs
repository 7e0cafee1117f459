// Gristmill through its stable operations. The queue has a function, so enqueue pays for its wake-up.
import pg from "pg";

export const name = "gristmill";

const KIND = "bench";

/** Adding a queue is an INSERT; so is adding what may be enqueued on it. */
export async function install(client) {
  await client.query("insert into mill.queue (queue, function) values ($1, 'processor')", [KIND]);
  await client.query("insert into mill.kind (kind, queue) values ($1, $1)", [KIND]);
}

export async function open(url, connections) {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  pool.on("error", () => {});
  const call = async (name, text, ...values) => (await pool.query({ name, text, values })).rows;
  const enqueue = (jobs) => call("enqueue", "select * from mill.enqueue($1)", JSON.stringify(jobs));
  const claim = (max, worker = "bench") =>
    call("claim", "select * from mill.claim($1, $2, $3)", worker, [KIND], max);
  const settle = (outcomes, worker = "bench") =>
    call("settle", "select * from mill.settle($1, $2)", worker, JSON.stringify(outcomes));
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
