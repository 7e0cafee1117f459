-- One row by its key: cheap enough to be polled. A job none of whose tasks has ended yet but one of which has begun is
-- a little way in; that a task has begun is never taken back, so neither is this.
create or replace function mill.job_progress(p_job public.jobs) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'id', p_job.id, 'type', p_job.type, 'revision', p_job.revision * 2 + 1 + b.begun::int,
    'status', case when b.begun then 'processing' else p_job.status end,
    'progress', jsonb_build_object(
      'percent', case when b.begun then greatest(p_job.percent, 5) else p_job.percent end,
      'phase', case when b.begun then f.phase else p_job.phase end,
      'docs_complete', p_job.docs_complete, 'docs_total', p_job.docs_total,
      'message', case when b.begun then initcap(f.phase) else p_job.message end),
    'error', p_job.error, 'created_at', p_job.created_at, 'updated_at', p_job.updated_at, 'finished_at', p_job.finished_at)
  from (
    select p_job.status = 'queued' and exists (
      select from mill.task t join mill.job_live l on l.id = t.id
      where t.job_id = p_job.id and t.state = 'queued' and l.started_at is not null) as begun) b
  left join lateral (
    select w.phase from mill.workflow_step w
    where w.type = p_job.type and w.version = p_job.version and not w.is_compensation order by w.position limit 1) f on true
$$;

comment on function mill.job_progress(public.jobs) is 'What is shown of a job.';
revoke execute on function mill.job_progress(public.jobs) from public;

create or replace function public.workflow_progress(p_id uuid) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  -- Null for an unknown job and for another's alike.
  select mill.job_progress(j) from public.jobs j where j.id = p_id and (public.is_service_role() or j.user_id = auth.uid())
$$;

comment on function public.workflow_progress(uuid) is 'Status and progress of one job of the caller''s (any, for the service), or null.';
revoke execute on function public.workflow_progress(uuid) from public, anon;
grant execute on function public.workflow_progress(uuid) to authenticated, service_role;
