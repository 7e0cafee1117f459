-- The documented names of a worker's calls. As with the engine's own, the worker's name is the token: two processes
-- must not share one.
create or replace function public.claim_tasks(p_worker_id text, p_max_tasks int default 1, p_task_types text[] default null)
returns table (task_id uuid, job_id uuid, task_type text, input jsonb, attempt int, lease_until timestamptz)
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select c.id, t.job_id, c.kind, c.payload, c.attempt, c.lease_until
  from mill.claim(
    p_worker_id,
    array(select distinct k.queue from mill.kind k where k.kind = any (
      coalesce(p_task_types, array(select distinct w.kind from mill.workflow_step w)))),
    p_max_tasks,
    coalesce(p_task_types, array(select distinct w.kind from mill.workflow_step w))) c
  left join mill.task t on t.id = c.id
$$;

comment on function public.claim_tasks(text, int, text[]) is
  'Leases due tasks of the types to a worker; of all types that workflows use when none is named. job_id is null for a job of the type that belongs to no workflow.';
revoke execute on function public.claim_tasks(text, int, text[]) from public, anon, authenticated;
grant execute on function public.claim_tasks(text, int, text[]) to service_role;
