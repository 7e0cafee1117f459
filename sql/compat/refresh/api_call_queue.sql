create or replace view public.api_call_queue as
select
  j.id,
  j.payload ->> 'symbol' as symbol,
  j.payload ->> 'data_type' as data_type,
  j.state as status,
  j.priority,
  (j.payload ->> 'estimated_size')::bigint as estimated_data_size_bytes,
  (j.result ->> 'bytes')::bigint as actual_data_size_bytes,
  greatest(j.attempt - 1, 0) as retry_count,
  j.max_attempts - 1 as max_retries,
  j.error ->> 'message' as error_message,
  j.created_at,
  j.run_at as scheduled_at,
  j.started_at,
  j.finished_at as processed_at
from mill.job j
where j.queue ~ '^refresh(-|$)';

comment on view public.api_call_queue is 'The refresh queue under its documented column names.';
revoke all on public.api_call_queue from public, anon, authenticated, service_role;
grant select on public.api_call_queue to service_role;
