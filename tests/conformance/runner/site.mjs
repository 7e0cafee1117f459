// What all scenarios share: one Postgres with the engine, one gateway, and the secrets of the invoker.
import { randomBytes } from "node:crypto";

import pg from "pg";

import { startStack } from "../../support.mjs";

/** Kinds that the scenarios use. No program has a handler for the last. */
const KINDS = ["conform", "conform_two", "conform_unknown"];

/** What every library registers: nobody runs its jobs. */
const MAIL = {
  kind: "conform_mail", queue: "conform_mail", max_attempts: 8, unique: { by: ["to"], within_seconds: 3600 },
  schema: { type: "object", required: ["to"], properties: { to: { type: "string" } } },
};

/** `kinds`: further ones, of programs with kinds of their own. */
export async function openSite(kinds) {
  const stack = await startStack("conformance", { parts: ["gateway"], applications: "none" });
  const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 10 });
  pool.on("error", () => {});
  const query = async (text, values) => (await pool.query(text, values)).rows;

  // A kind belongs to one queue, and programs under test know only a few kinds. So the kinds are given to this queue for the time of one call by the service;
  // the lock on their rows has other scenarios wait.
  async function withKinds(queue, kinds, text, value) {
    const client = await pool.connect();
    try {
      await client.query("begin");
      await client.query("update mill.kind set queue = $1 where kind in (select kind from mill.kind where kind = any ($2) order by kind for update)", [queue, kinds]);
      await client.query("set local role service_role");
      const { rows } = await client.query(text, [value]);
      await client.query("commit");
      return rows[0].answer;
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  }

  await query("select public.register_jobs($1)", [{ kinds: [MAIL] }]);
  await query("insert into mill.kind (kind, queue) select k, 'conform_mail' from unnest($1::text[]) k on conflict do nothing", [[...KINDS, ...kinds]]);

  return {
    stack,
    query,
    secrets: [stack.secrets.invokeSecret, `whsec_${randomBytes(24).toString("base64")}`],

    async makeQueue(queue, options) {
      const row = { queue, ...options };
      const columns = Object.keys(row);
      await query(`insert into mill.queue (${columns.join(", ")}) values (${columns.map((_, at) => `$${at + 1}`).join(", ")})`, Object.values(row));
    },

    /** Enqueues as the service. */
    enqueue: (queue, jobs) => withKinds(queue, jobs.map(({ kind }) => kind), "select public.enqueue_jobs($1::jsonb) as answer", `[${jobs.map(({ text }) => text).join(",")}]`),

    /** The request that Postgres has asked to be sent for a job: {url, headers, body}, signed by Postgres. */
    wakeUp: (queue, kinds, job) => withKinds(queue, kinds, "select public.claim_wake_up($1) as answer", job),

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
      const headers = { apikey: stack.serviceKey, authorization: `Bearer ${stack.serviceKey}`, "content-type": "application/json" };
      return (await fetch(`${stack.url}/rest/v1/rpc/get_job_logs`, { method: "POST", headers, body: JSON.stringify({ p_id: id }) })).json();
    },

    async close() {
      await pool.end();
      await stack.destroy();
    },
  };
}
