create or replace function public.get_job(p_id uuid) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  -- Null for an unknown job and for another's alike.
  select jsonb_build_object(
    'id', j.id, 'queue', j.queue, 'kind', j.kind, 'name', j.name, 'state', j.state, 'priority', j.priority,
    'payload', j.payload, 'progress', j.progress, 'attempt', j.attempt, 'max_attempts', j.max_attempts,
    'result', j.result, 'error', j.error, 'correlation_id', j.correlation_id, 'traceparent', j.traceparent,
    'run_at', j.run_at, 'created_at', j.created_at, 'started_at', j.started_at, 'finished_at', j.finished_at)
  from (
    select j.id, j.queue, j.kind, j.name, j.state, j.priority, j.payload, j.progress, j.attempt, j.max_attempts, j.result, j.error,
      j.correlation_id, j.run_at, j.created_at, j.started_at, j.finished_at, j.owner, j.traceparent
    from mill.job j where j.id = p_id
    union all
    select p.id, p.queue, p.kind, p.name, p.state, p.priority, p.payload, p.progress, p.attempt, p.max_attempts, p.result, p.error,
      p.correlation_id, p.run_at, p.created_at, p.started_at, p.finished_at, p.owner, p.traceparent
    from mill.packed_job p where p.pack = mill.pack_of(p_id) and p.id = p_id) j
  where public.is_service_role() or j.owner = auth.uid()
$$;

comment on function public.get_job(uuid) is 'One job of the caller''s (any, for the service), or null.';
revoke execute on function public.get_job(uuid) from public, anon;
grant execute on function public.get_job(uuid) to authenticated, service_role;
