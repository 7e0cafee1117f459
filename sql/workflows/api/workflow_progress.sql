-- One row by its key: cheap enough to be polled.
create or replace function mill.shown_progress(p_job mill.workflow) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'id', p_job.id, 'type', p_job.type, 'revision', p_job.revision * 2 + 1 + s.begun::int,
    'status', s.status,
    'progress', jsonb_build_object(
      'percent', s.percent, 'phase', s.phase, 'docs_complete', p_job.docs_complete, 'docs_total', p_job.docs_total, 'message', s.message),
    'error', p_job.error, 'created_at', p_job.created_at, 'updated_at', p_job.updated_at, 'finished_at', p_job.finished_at)
  from mill.workflow_state s where s.id = p_job.id
$$;

comment on function mill.shown_progress(mill.workflow) is 'What is shown of a job.';
revoke execute on function mill.shown_progress(mill.workflow) from public;

create or replace function public.workflow_progress(p_id uuid) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  -- Null for an unknown job and for another's alike.
  select mill.shown_progress(j) from mill.workflow j where j.id = p_id and (public.is_service_role() or j.user_id = auth.uid())
$$;

comment on function public.workflow_progress(uuid) is 'Status and progress of one job of the caller''s (any, for the service), or null.';
revoke execute on function public.workflow_progress(uuid) from public, anon;
grant execute on function public.workflow_progress(uuid) to authenticated, service_role;
