-- The refresh queue under its compatible columns.
--
-- processed_at is when the job was claimed, completed or failed. Of a job that waits again it is when its attempt failed; a job that was
-- given back waits without one. An error that is older than the last claim is that of an earlier attempt.
create or replace view public.api_call_queue as
select
  j.id,
  j.payload ->> 'symbol' as symbol,
  j.payload ->> 'data_type' as data_type,
  j.priority,
  case when j.state in ('processing', 'completed') then j.state when j.state in ('failed', 'cancelled') then 'failed' else 'pending' end as status,
  coalesce((j.result ->> 'bytes')::bigint, (j.payload ->> 'estimated_size')::bigint) as estimated_data_size_bytes,
  j.created_at,
  case
    when j.state = 'processing' then j.started_at
    when j.finished_at is not null then j.finished_at
    when (j.error ->> 'at')::timestamptz >= j.started_at then (j.error ->> 'at')::timestamptz
  end as processed_at,
  case when j.state = 'processing' or j.finished_at is not null then greatest(j.attempt - 1, 0) else j.attempt end as retry_count,
  j.error ->> 'message' as error_message,
  coalesce(j.payload -> 'metadata', '{}') as metadata
from mill.job j
where j.queue ~ '^refresh(-|$)';

comment on view public.api_call_queue is 'The refresh queue under its compatible column names. Statuses: pending, processing, completed, failed.';
revoke all on public.api_call_queue from public, anon, authenticated, service_role;
grant select, insert, update on public.api_call_queue to service_role;
