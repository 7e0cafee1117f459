// What all scenarios share: one Postgres with the engine, one gateway, and the secrets of the invoker.
import { randomBytes } from "node:crypto";

import pg from "pg";

import { startStack } from "../../support.mjs";

/** Kinds that the scenarios use. No program has a handler for the last two. */
const KINDS = ["conform", "conform_two", "conform_unknown", "conform_mail"];

export async function openSite() {
  const stack = await startStack("conformance", { parts: ["gateway"], applications: "none" });
  const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 10 });
  pool.on("error", () => {});
  const query = async (text, values) => (await pool.query(text, values)).rows;
  await query("insert into mill.queue (queue, served_by) values ('conform_mail', 'external')");
  await query("insert into mill.kind (kind, queue) select k, 'conform_mail' from unnest($1::text[]) k", [KINDS]);

  return {
    stack,
    query,
    secrets: [stack.secrets.invokeSecret, `whsec_${randomBytes(24).toString("base64")}`],

    async makeQueue(queue, options) {
      const row = { queue, ...options };
      const columns = Object.keys(row);
      await query(`insert into mill.queue (${columns.join(", ")}) values (${columns.map((_, at) => `$${at + 1}`).join(", ")})`, Object.values(row));
    },

    /**
     * Enqueues as the service. A kind belongs to one queue, and programs under test know only a few kinds. So the kinds are given to this queue for the time of the call;
     * the lock on their rows has other scenarios wait.
     */
    async enqueue(queue, jobs) {
      const client = await pool.connect();
      try {
        await client.query("begin");
        await client.query("update mill.kind set queue = $1 where kind in (select kind from mill.kind where kind = any ($2) order by kind for update)",
          [queue, jobs.map(({ kind }) => kind)]);
        await client.query("set local role service_role");
        const { rows } = await client.query("select public.enqueue_jobs($1::jsonb) as answer", [`[${jobs.map(({ text }) => text).join(",")}]`]);
        await client.query("commit");
        return rows[0].answer;
      } catch (error) {
        await client.query("rollback");
        throw error;
      } finally {
        client.release();
      }
    },

    /** An invocation, as Postgres notes it before it sends the request. */
    async makeInvocation(queue) {
      const [{ id }] = await query("insert into mill.invocation (id, queue, reason, asked_at) values (mill.uuid7(), $1, 'wake', mill.now()) returning id", [queue]);
      return id;
    },

    async job(id) {
      const [row] = await query("select to_jsonb(j) || jsonb_build_object('result_text', j.result::text) as row from mill.job j where j.id = $1", [id]);
      return row?.row ?? null;
    },

    async logs(id) {
      const [{ lines }] = await query("select public.get_job_logs($1) as lines", [id]);
      return lines;
    },

    async close() {
      await pool.end();
      await stack.destroy();
    },
  };
}
