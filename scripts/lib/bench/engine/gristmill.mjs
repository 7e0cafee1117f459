// Gristmill through its stable operations, on a queue of one's own, as a team makes it for its jobs. (The queue that every installation
// starts with is open to users, and so it takes fair turns, which cost more.) The queue is served by a function, so enqueue pays for its wake-up. The calls are those made for many plain jobs, as the peers'
// are: such jobs wait packed, and their rows are written by the claim. Asked for back is what a worker needs: id, kind, payload
// and attempt from claim, and from complete what was lost.
import pg from "pg";

export const name = "gristmill";

export const QUEUE = "bench";
export const KIND = "noop";

// A claimed job is an array: pg takes longer to make an object of a row.
export const ID = 0;
export const PAYLOAD = 2;
export const ATTEMPT = 3;
const CLAIMED = "id, kind, payload, attempt";

// As Postgres reads it: pg would look at each element for what it has to escape.
const arrayOf = (jobs, column) => `{${jobs.map((job) => job[column]).join()}}`;

/** Its databases are copies of a migrated one: only the queue is missing. */
export async function install(client) {
  await client.query("insert into mill.queue (queue, served_by, function) values ($1, 'function', 'processor')", [QUEUE]);
  await client.query("insert into mill.kind (kind, queue) values ($1, $2)", [KIND, QUEUE]);
}

export async function open(url, connections) {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  const cron = new pg.Pool({ connectionString: url, max: 1 }); // pg_cron does not borrow a worker's connection
  for (const one of [pool, cron]) one.on("error", () => {});
  const call = async (name, text, ...values) => (await pool.query({ name, text, values, rowMode: "array" })).rows;
  const enqueue = (jobs) => call("enqueue", "select count(*) from mill.enqueue($1)", JSON.stringify(jobs));
  const enqueueMany = (payloads) => call("enqueue_many", "select cardinality(mill.enqueue_many($1, $2))", KIND, JSON.stringify(payloads));
  const claim = (max, worker = "bench") =>
    call("claim", `select ${CLAIMED} from mill.claim($1, $2, $3)`, worker, [QUEUE], max);
  const settle = (outcomes, worker = "bench") =>
    call("settle", "select id, status from mill.settle($1, $2) where status = 'lost'", worker, JSON.stringify(outcomes));
  return {
    enqueue: (payloads, options) =>
      options ? enqueue(payloads.map((payload) => ({ kind: KIND, payload, ...options }))) : enqueueMany(payloads),
    claim,
    complete: (jobs, worker = "bench") =>
      call("complete", "select mill.complete($1, $2, $3) as lost", worker, arrayOf(jobs, ID), arrayOf(jobs, ATTEMPT)),
    settle,
    // What the pump and pg_cron do in production. The peers need nothing of the kind in so short a time.
    housekeep: () => cron.query("select mill.tick()"),
    query: (text, values) => pool.query(text, values),
    close: () => Promise.all([pool.end(), cron.end()]),
  };
}
