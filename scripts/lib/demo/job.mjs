// One job, as a signed-in user would submit it, until Postgres says that it is settled.
export const order = 1;
export const title = "A job went the whole way";
export const way = "enqueue → Postgres → net → processor (wasm) → Postgres";

export async function show({ stack, user, until }) {
  const enqueue = `${stack.url}/functions/v1/enqueue`;
  const body = JSON.stringify({ kind: "echo", payload: { hello: "Gristmill" } });
  const answer = await fetch(enqueue, { method: "POST", headers: user.headers, body });
  if (answer.status !== 202) throw new Error(`enqueue answered ${answer.status}: ${await answer.text()}`);
  const { id } = await answer.json();
  const job = await until(`job ${id} is completed`, async () => {
    const job = await (await fetch(`${enqueue}/${id}`, { headers: user.headers })).json();
    return job.state === "completed" && job;
  });

  return {
    id: job.id,
    result: JSON.stringify(job.result),
    took: `${Date.parse(job.finished_at) - Date.parse(job.created_at)} ms from enqueue to settled`,
  };
}
