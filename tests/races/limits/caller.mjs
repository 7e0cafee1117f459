// Workers that call a limited provider as fast as they are let: a process of its own, so that it can be killed.
//   node caller.mjs DATABASE_URL acquire|claim WORKERS NAME MILLISECONDS_A_CALL
// Prints one line a grant. Stops when its input ends, gives back what it holds, and exits.
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";

const [connectionString, way, workers, name, milliseconds] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: Number(workers) });
let stopping = false;
process.stdin.resume().on("end", () => (stopping = true));

const turns = {
  // Half of them are compat workers, which know no lease id: `if (await acquire()) call()`, then release.
  async acquire(worker, at) {
    if (at % 2 === 0) {
      if (!(await pool.query("select public.acquire_api_capacity('p', 'acquire', 100) as a")).rows[0].a) return false;
      process.stdout.write("granted\n");
      await pause(Number(milliseconds) * (0.5 + Math.random())); // the call
      await pool.query("select public.release_api_capacity('p', 'acquire', 100, 80)");
      return true;
    }
    const { rows: [{ a }] } = await pool.query("select public.reserve_api_capacity('p', 'acquire', 100) as a");
    if (!a.granted) return false;
    process.stdout.write(`${a.granted_at}\n`);
    await pause(Number(milliseconds) * (0.5 + Math.random()));
    await pool.query("select public.settle_api_capacity($1, 80)", [a.lease_id]);
    return true;
  },
  async claim(worker) {
    const { rows } = await pool.query("select id, attempt, lease_until from mill.claim($1, array['limited'], 3)", [worker]);
    if (rows.length === 0) return false;
    for (const row of rows) process.stdout.write(`${row.id}\n`);
    await pause(Number(milliseconds) * (0.5 + Math.random()));
    await pool.query("select mill.settle($1, $2)", [worker, JSON.stringify(rows.map(({ id, attempt }) => (
      { id, attempt, outcome: "completed", usage: { requests: 1, tokens: 80 } })))]);
    return true;
  },
};

await Promise.all(Array.from({ length: Number(workers) }, async (_, at) => {
  while (!stopping) {
    // Refused: it comes back soon. Far sooner than it was told to, which is the point.
    if (!(await turns[way](`${name}-${at}`, at))) await pause(10 + Math.random() * 30);
  }
}));
await pool.end();
