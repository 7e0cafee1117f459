// Workflows before, in the middle of and after their work, one of them spread over a list.
import { ADA, BOB } from "./actors.mjs";

function stepsOf({ user, claim }) {
  const start = async (owner, type, params = {}) => (await user(owner)("select public.start_workflow($1, $2::jsonb)", type, JSON.stringify(params))).id;
  /** Claims a task of this workflow that may run. */
  const next = async (owner, id, worker) => {
    const own = new Set(await user(owner)("select coalesce(jsonb_agg(t.id), '[]') from public.job_tasks t where t.job_id = $1", id));
    return claim("default", (job) => own.has(job.id), worker);
  };
  return { start, next };
}

/** A task whose worker was never heard of again. */
export async function lose(actors) {
  const { start, next } = stepsOf(actors);
  const id = await start(ADA, "echo", { message: "lost" });
  await actors.ago(3600, () => next(ADA, id, "worker-gone"));
}

export async function fill(actors) {
  const { service, user, settle } = actors;
  const { start, next } = stepsOf(actors);
  await service(`insert into public.workflow_definition (type, version, tasks) values ('acme_list', 1,
    '[{"key": "each", "kind": "echo", "for_each": "params.items", "input": {"item": "{{item}}"}},
      {"key": "after", "kind": "echo", "each": "each", "input": {"n": 1}},
      {"key": "last", "kind": "echo", "needs": ["after"], "input": {"n": 2}}]')`);
  const done = { outcome: "completed", result: { echo: { message: "done" } } };

  const completed = await start(ADA, "echo");
  for (let task = 0; task < 2; task++) await settle(await next(ADA, completed), done);
  const failed = await start(ADA, "echo");
  await settle(await next(ADA, failed), { outcome: "dead", error: { type: "broken", message: "it broke" } });
  await user(BOB)("select public.cancel_workflow($1)", await start(BOB, "echo"));
  const half = await start(ADA, "echo");
  await settle(await next(ADA, half), done); // the second task waits
  await next(BOB, await start(BOB, "echo"), "worker-live"); // the first one runs
  const list = await start(BOB, "acme_list", { items: [1, 2, 3, 4, 5] });
  for (let item = 0; item < 3; item++) await settle(await next(BOB, list), done);
  await start(ADA, "nuclear_v2");
  await user(ADA)("select public.start_workflow('echo', '{\"message\": \"kept\"}', p_idempotency_key => 'workflow-1')");
}
