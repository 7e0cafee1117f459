-- The compatible names of a worker's calls. As with the engine's own, the worker's name is the token: two processes
-- must not share one. A task is leased for five minutes from its claim or its last heartbeat.
create or replace function public.claim_tasks(p_worker_id text, p_max_tasks int default 5, p_task_types text[] default null)
returns setof public.job_tasks
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
      p_worker_id, array(select distinct k.queue from mill.kind k where k.kind = any (v_types)), coalesce(p_max_tasks, 5), v_types) c);
  perform mill.note_compat_leases(v_ids, v_lease_seconds);
  insert into mill.task_claim as c (id, worker, attempt)
  select j.id, j.worker, j.attempt from mill.job_live j where j.id = any (v_ids) order by j.id
  on conflict (id) do update set worker = excluded.worker, attempt = excluded.attempt, heartbeat_at = null;
  -- As job_tasks would show them, without its search through what has ended. A job that is no task of a workflow has no job_id.
  return query
  select j.id, t.job_id, j.kind, coalesce(i.sequence, (w.position - 1) * 100000 + t.item), 'claimed'::text, j.payload, null::jsonb, j.worker, j.started_at,
    j.started_at, j.attempt, j.max_attempts, j.error ->> 'message', t.key, t.item, w.phase, j.progress::int, j.error, null::timestamptz
  from unnest(v_ids) with ordinality c(id, place)
  join mill.job_live j on j.id = c.id
  left join mill.task t on t.id = c.id
  left join mill.task_sequence i on i.id = c.id
  left join mill.workflow f on f.id = t.job_id
  left join mill.workflow_step w on w.type = f.type and w.version = f.version and w.key = t.key
  order by c.place;
end
$$;

comment on function public.claim_tasks(text, int, text[]) is
  'Leases due tasks of the types to a worker; of all types that workflows use when none is named. job_id is null for a job of the type that belongs to no workflow.';
revoke execute on function public.claim_tasks(text, int, text[]) from public, anon, authenticated;
grant execute on function public.claim_tasks(text, int, text[]) to service_role;
