// pgmq by its SQL functions: send_batch, read, and archive of an array (archive keeps the message, as we do;
// delete would keep nothing).
import fs from "node:fs/promises";
import pg from "pg";

import { pgmqSql } from "./pgmq-sql.mjs";

export const name = "pgmq";

const QUEUE = "bench";
const INVISIBLE_SECONDS = 300; // as long as our lease

export async function install(client) {
  await client.query(await fs.readFile(await pgmqSql(), "utf8"));
  await client.query("select pgmq.create($1)", [QUEUE]);
}

export async function open(url, connections) {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  pool.on("error", () => {});
  const call = async (name, text, ...values) => (await pool.query({ name, text, values, rowMode: "array" })).rows; // as ours
  return {
    enqueue: (payloads) => call("send", "select pgmq.send_batch($1, $2::jsonb[])", QUEUE, payloads.map((payload) => JSON.stringify(payload))),
    claim: (max) => call("read", "select * from pgmq.read($1, $2, $3)", QUEUE, INVISIBLE_SECONDS, max),
    complete: (messages) => call("archive", "select pgmq.archive($1, $2::bigint[])", QUEUE, messages.map(([id]) => id)),
    close: () => pool.end(),
  };
}
