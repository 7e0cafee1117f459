// Who acts while the database of a release is filled: users, services and the operator, over one connection and by the engine's clock.
import assert from "node:assert/strict";

import { callerOf } from "../../house/callers.mjs";

export const ADA = "aaaaaaaa-0000-4000-8000-00000000000a";
export const BOB = "bbbbbbbb-0000-4000-8000-00000000000b";

export function actorsOf(client) {
  const service = callerOf(client, "service_role");
  const json = JSON.stringify;

  /** Claims the job for which `isWanted` is true, and gives the others back as they were. */
  async function claim(queue, isWanted, worker = "worker-live") {
    const jobs = await service("select public.claim_jobs($1, array[$2], 100)", worker, queue);
    const job = jobs.find(isWanted);
    assert.ok(job, `no such job waits in ${queue}`);
    const others = jobs.filter((other) => other !== job).map(({ id, attempt }) => ({ id, attempt, outcome: "released" }));
    if (others.length > 0) await service("select public.settle_jobs($1, $2::jsonb)", worker, json(others));
    return { ...job, worker };
  }

  return {
    service,
    claim,
    user: (sub) => callerOf(client, "authenticated", sub),
    /** The operator, who owns the database. */
    owner: (text, ...values) => client.query(text, values),

    async settle(job, outcome) {
      const answers = await service("select public.settle_jobs($1, $2::jsonb)", job.worker, json([{ id: job.id, attempt: job.attempt, ...outcome }]));
      assert.equal(answers[0].status, "accepted");
    },

    /** Enqueues one job ahead of all others in its queue, and claims it. */
    async hold(kind, queue, payload, worker) {
      const { id } = await service("select public.submit_job($1, $2::jsonb, p_priority => 100, p_owner => $3)", kind, json(payload), ADA);
      return claim(queue, (job) => job.id === id, worker);
    },

    /** Does something as if it were that many seconds ago. */
    async ago(seconds, work) {
      await client.query("select set_config('mill.now', (clock_timestamp() - make_interval(secs => $1))::text, false)", [seconds]);
      try {
        return await work();
      } finally {
        await client.query("reset mill.now");
      }
    },
  };
}
