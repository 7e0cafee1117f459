// Calls of RPCs over a plain connection, as the role that makes them.
export const USER = "11111111-1111-4111-8111-111111111111";

/** A caller as the gateway makes one: a transaction under a role, with the claims of a token. It answers the first column of the first row. */
export function callerOf(client, role, sub = USER) {
  const claims = JSON.stringify(role === "authenticated" ? { role, sub } : { role });
  return async (text, ...values) => {
    await client.query("begin");
    try {
      await client.query("select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)", [role, claims]);
      const { rows } = await client.query({ text, values, rowMode: "array" });
      await client.query("commit"); // what advances at commit runs as the caller, too
      return rows[0]?.[0];
    } catch (error) {
      await client.query("rollback");
      throw error;
    }
  };
}

export const user = (client) => callerOf(client, "authenticated");
export const service = (client) => callerOf(client, "service_role");

/** Claims what is due in a queue and completes it. Answers the ids. */
export async function complete(client, queue, max = 10) {
  const call = service(client);
  const jobs = await call("select public.claim_jobs('house', array[$1], $2::int)", queue, max);
  if (jobs.length === 0) return [];
  const outcomes = jobs.map(({ id, attempt }) => ({ id, attempt, outcome: "completed", result: { echo: { message: "done" } } }));
  const answers = await call("select public.settle_jobs('house', $1::jsonb)", JSON.stringify(outcomes));
  const lost = answers.filter((answer) => answer.status !== "accepted");
  if (lost.length > 0) throw new Error(`not settled: ${JSON.stringify(lost)}`);
  return jobs.map((job) => job.id);
}

export const stateOf = async (server, database, id) =>
  (await server.query(database, "select state from mill.job where id = $1", [id])).rows[0]?.state;
