-- The documented names of a worker's calls. As with the engine's own, the worker's name is the token: two processes
-- must not share one. A task is leased for five minutes from its claim or its last heartbeat.
create or replace function public.claim_tasks(p_worker_id text, p_max_tasks int default 1, p_task_types text[] default null)
returns table (task_id uuid, job_id uuid, task_type text, input jsonb, attempt int, lease_until timestamptz)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lease_seconds constant int := 300;
  v_types text[] := coalesce(p_task_types, array(select distinct w.kind from mill.workflow_step w));
  v_ids uuid[];
begin
  v_ids := array(
    select c.id from mill.claim(
      p_worker_id, array(select distinct k.queue from mill.kind k where k.kind = any (v_types)), p_max_tasks, v_types) c);
  perform mill.note_compat_leases(v_ids, v_lease_seconds);
  return query
  select j.id, t.job_id, j.kind, j.payload, j.attempt, j.lease_until
  from unnest(v_ids) with ordinality c(id, place)
  join mill.job_live j on j.id = c.id
  left join mill.task t on t.id = c.id
  order by c.place;
end
$$;

comment on function public.claim_tasks(text, int, text[]) is
  'Leases due tasks of the types to a worker; of all types that workflows use when none is named. job_id is null for a job of the type that belongs to no workflow.';
revoke execute on function public.claim_tasks(text, int, text[]) from public, anon, authenticated;
grant execute on function public.claim_tasks(text, int, text[]) to service_role;
