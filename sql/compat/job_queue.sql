create or replace view public.job_queue as
select
  j.id as job_id,
  j.kind as job_type,
  j.name as job_name,
  j.payload as job_payload,
  coalesce(j.category, 'standard') as job_category,
  j.queue as job_lane,
  j.state as status,
  j.priority,
  j.run_at as scheduled_at,
  j.worker as worker_id,
  j.lease_until as lease_expires_at,
  greatest(j.attempt - 1, 0) as retry_count,
  j.max_attempts - 1 as max_retries,
  j.progress,
  j.result as job_result,
  j.error as error_details,
  j.owner as user_id,
  j.created_at,
  j.started_at,
  j.finished_at as completed_at
from (
  select j.id, j.kind, j.name, j.payload, j.category, j.queue, j.state, j.priority, j.run_at, j.worker, j.lease_until, j.attempt,
    j.max_attempts, j.progress, j.result, j.error, j.owner, j.created_at, j.started_at, j.finished_at
  from mill.job j
  union all
  select p.id, p.kind, p.name, p.payload, p.category, p.queue, p.state, p.priority, p.run_at, p.worker, p.lease_until, p.attempt,
    p.max_attempts, p.progress, p.result, p.error, p.owner, p.created_at, p.started_at, p.finished_at
  from mill.packed_job p) j;

comment on view public.job_queue is
  'Every job under its documented column names. Statuses: pending, processing, completed, failed, cancelled, retrying, deferred.';
revoke all on public.job_queue from public, anon, authenticated, service_role;
grant select on public.job_queue to service_role;
