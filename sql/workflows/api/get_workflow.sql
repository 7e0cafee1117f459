create or replace function public.get_workflow(p_id uuid, p_max_tasks int default 200) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  -- Null for an unknown job and for another's alike.
  select mill.shown_progress(j) || jsonb_build_object(
    'version', j.version, 'params', j.params, 'output', j.output, 'correlation_id', j.correlation_id,
    'steps', (
      select coalesce(jsonb_agg(jsonb_build_object('key', w.key, 'kind', w.kind, 'phase', w.phase, 'needs', w.needs, 'each', w.each_of,
        'state', s.state, 'total', s.total, 'completed', s.completed, 'failed', s.failed, 'skipped', s.skipped) order by w.position), '[]')
      from mill.step s join mill.workflow_step w on w.type = j.type and w.version = j.version and w.key = s.key
      where s.job_id = j.id),
    'tasks', mill.task_states(j.id, least(p_max_tasks, 1000)),
    'artifacts', (
      select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'task_id', a.task_id, 'type', a.artifact_type, 'storage_path', a.storage_path, 'bucket', a.bucket,
        'bytes', a.file_size_bytes, 'duration', a.duration_seconds, 'sha256', a.sha256, 'title', a.title) order by a.artifact_type, a.task_id), '[]')
      from (select r.* from public.job_artifacts r where r.job_id = j.id order by r.id limit 1000) a))
  from mill.workflow j
  where j.id = p_id and (public.is_service_role() or j.user_id = auth.uid())
$$;

comment on function public.get_workflow(uuid, int) is
  'One job of the caller''s (any, for the service) with its steps, its first tasks and its artifacts, or null.';
revoke execute on function public.get_workflow(uuid, int) from public, anon;
grant execute on function public.get_workflow(uuid, int) to authenticated, service_role;
