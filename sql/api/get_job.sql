create or replace function public.get_job(p_id uuid) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  -- Null for an unknown job and for another's alike.
  select jsonb_build_object(
    'id', j.id, 'queue', j.queue, 'kind', j.kind, 'name', j.name, 'state', j.state, 'priority', j.priority,
    'payload', j.payload, 'progress', j.progress, 'attempt', j.attempt, 'max_attempts', j.max_attempts,
    'result', j.result, 'error', j.error, 'correlation_id', j.correlation_id,
    'run_at', j.run_at, 'created_at', j.created_at, 'started_at', j.started_at, 'finished_at', j.finished_at)
  from mill.job j
  where j.id = p_id and (public.is_service_role() or j.owner = auth.uid())
  union all
  select jsonb_build_object(
    'id', j.id, 'queue', j.queue, 'kind', j.kind, 'name', null, 'state', j.state, 'priority', j.priority,
    'payload', j.payload, 'progress', 0, 'attempt', 0, 'max_attempts', j.max_attempts,
    'result', null, 'error', null, 'correlation_id', null,
    'run_at', j.run_at, 'created_at', j.created_at, 'started_at', null, 'finished_at', null)
  from mill.packed_job j
  where j.pack = mill.pack_of(p_id) and j.id = p_id and public.is_service_role() -- they have no owner
$$;

comment on function public.get_job(uuid) is 'One job of the caller''s (any, for the service), or null.';
revoke execute on function public.get_job(uuid) from public, anon;
grant execute on function public.get_job(uuid) to authenticated, service_role;
