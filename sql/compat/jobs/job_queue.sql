-- Every job under the compatible names of its columns, ours after them. Nothing here is written for the view's sake: what the older system
-- keeps in its rows is worked out from what the engine records.
--
--   heartbeat_at    when the next heartbeat is due. Of a lease of ours: the lease's end less worker.timeout_seconds, so that the older
--                   system's rule "lost when heartbeat_at is older than the timeout" holds for every row.
--   retry_count     what the next claim will say while the job waits, else what the last one said.
--   error_details   the errors of the job one upon the other, the latest wins, as the older system merges its own.
--
-- No function of mill may be called here: a view's functions run with the rights of the caller, and those end at the schema.
create or replace view public.job_queue as
select
  j.id,
  j.kind as job_type,
  j.name as job_name,
  j.payload as job_payload,
  coalesce(j.category, 'standard') as job_category,
  j.priority,
  j.state as status,
  j.run_at as scheduled_at,
  j.created_at,
  greatest(j.created_at, j.started_at, j.finished_at, l.seen_at,
    case when j.error ->> 'at' ~ '^\d{4}-\d\d-\d\d' then (j.error ->> 'at')::timestamptz end) as updated_at,
  case when j.lease_until is not null or j.finished_at is not null then j.started_at end as started_at,
  case when j.state <> 'failed' then j.finished_at end as completed_at,
  j.worker as worker_id,
  case when j.lease_until is not null then coalesce(l.heartbeat_at, j.lease_until - (
    select make_interval(secs => s.value::double precision) from mill.settings s where s.key = 'worker.timeout_seconds')) end as heartbeat_at,
  case when j.state = 'failed' then j.finished_at end as dead_letter_at,
  case when j.lease_until is null and j.finished_at is null then j.attempt else greatest(j.attempt - 1, 0) end as retry_count,
  j.max_attempts - 1 as max_retries,
  j.result as job_result,
  case when j.error is not null then (
    select jsonb_object_agg(e.key, e.value order by g.n)
    from jsonb_array_elements(coalesce(j.error_log, jsonb_build_array(j.error))) with ordinality g(error, n)
    cross join lateral jsonb_each(g.error || case g.error ->> 'type'
      when 'rescheduled' then '{}'
      when 'worker_lost' then jsonb_build_object('error_type', 'worker_timeout', 'error_message', g.error -> 'message', 'original_worker', g.error -> 'worker', 'timeout_at', g.error -> 'at',
        -- Only of the latest: a later wait has overwritten when the job came back.
        'reclaim_jitter_seconds', case when g.error = j.error then round(extract(epoch from j.run_at - (g.error ->> 'at')::timestamptz), 3) end)
      else jsonb_build_object('error_type', g.error -> 'type', 'error_message', g.error -> 'message') end) e
    where jsonb_typeof(g.error) = 'object')
    || case when j.state = 'failed' then jsonb_build_object(
      'dead_letter_reason', case
        when j.error ->> 'type' = 'worker_lost' then 'worker_timeout'
        when j.attempt >= j.max_attempts and j.error -> 'retryable' is distinct from 'false' then 'max_retries_exceeded'
        else coalesce(j.error ->> 'type', 'error') end,
      'final_worker', coalesce(j.worker, j.error ->> 'worker'), 'dead_lettered_at', j.finished_at) else '{}' end end as error_details,
  j.queue as job_lane,
  j.lease_until as lease_expires_at,
  j.progress,
  j.owner as user_id
from (
  select j.id, j.kind, j.name, j.payload, j.category, j.queue, j.state, j.priority, j.run_at, j.worker, j.lease_until, j.attempt,
    j.max_attempts, j.progress, j.result, j.error, j.error_log, j.owner, j.created_at, j.started_at, j.finished_at
  from mill.job j
  union all
  select p.id, p.kind, p.name, p.payload, p.category, p.queue, p.state, p.priority, p.run_at, p.worker, p.lease_until, p.attempt,
    p.max_attempts, p.progress, p.result, p.error, null, p.owner, p.created_at, p.started_at, p.finished_at
  from mill.packed_job p) j
left join mill.compat_lease l on l.id = j.id and l.worker = j.worker and l.attempt = j.attempt and l.started_at = j.started_at
  and j.lease_until is not null;

comment on view public.job_queue is
  'Every job under its compatible column names. Statuses: pending, processing, completed, failed, cancelled, retrying, deferred. An update to pending reschedules.';
revoke all on public.job_queue from public, anon, authenticated, service_role;
grant select, update on public.job_queue to service_role;
