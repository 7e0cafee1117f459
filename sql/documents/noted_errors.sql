-- The engine's errors in the words of processing_error: current_error, and error_history with what was resolved.
create or replace function mill.document_error(p_error jsonb) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'type', case p_error ->> 'type'
      when 'worker_lost' then 'worker_timeout' when 'rate_limited' then 'api_rate_limit' when 'panic' then 'worker_timeout'
      when 'timeout' then 'ai_timeout' else coalesce(p_error ->> 'type', 'network_error') end,
    'message', p_error ->> 'message', 'retry_count', (p_error ->> 'attempt')::int, 'worker_id', p_error ->> 'worker',
    'api_provider', p_error ->> 'provider', 'rate_limit_hit', p_error ->> 'type' = 'rate_limited',
    'heartbeat_expired', p_error ->> 'type' = 'worker_lost', 'duration_ms', (p_error ->> 'duration_ms')::int,
    'timestamp', p_error ->> 'at'))
$$;

comment on function mill.document_error(jsonb) is 'An error of a job in the form of processing_error.';
revoke execute on function mill.document_error(jsonb) from public;

create or replace function mill.noted_errors(p_known jsonb, p_log jsonb) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case when p_log is null then p_known else
    p_known || jsonb_build_object(
      'current_error', mill.document_error(p_log -> -1),
      'error_history', (
        select jsonb_agg(h.entry order by h.at) from (
          select distinct on (e.entry ->> 'timestamp') e.entry || '{"resolved": false}' as entry, e.entry ->> 'timestamp' as at
          from (
            select k as entry from jsonb_array_elements(coalesce(p_known -> 'error_history', '[]')) k
            union all select mill.document_error(l) from jsonb_array_elements(p_log) l) e
          order by e.entry ->> 'timestamp') h)) end
$$;

comment on function mill.noted_errors(jsonb, jsonb) is 'processing_error with the errors of a job added, each once.';
revoke execute on function mill.noted_errors(jsonb, jsonb) from public;

create or replace function mill.resolved_errors(p_known jsonb) returns jsonb
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select (p_known - 'current_error') || case when p_known ? 'error_history' then jsonb_build_object('error_history', (
    select jsonb_agg(e || '{"resolved": true}') from jsonb_array_elements(p_known -> 'error_history') e)) else '{}' end
$$;

comment on function mill.resolved_errors(jsonb) is 'processing_error once the stage has succeeded.';
revoke execute on function mill.resolved_errors(jsonb) from public;
