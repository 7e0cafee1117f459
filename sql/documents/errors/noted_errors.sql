-- The engine's errors in the words of processing_error: current_error, and error_history with what was resolved. Every key is there, null
-- where nothing is known, so that a reader need not ask.
create or replace function mill.document_error(p_error jsonb, p_next_retry_at timestamptz default null) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'error_type', case p_error ->> 'type'
      when 'worker_lost' then 'worker_timeout' when 'rate_limited' then 'api_rate_limit' when 'panic' then 'worker_timeout'
      when 'timeout' then 'ai_timeout' else coalesce(p_error ->> 'type', 'network_error') end,
    'error_message', p_error ->> 'message', 'retry_count', (p_error ->> 'attempt')::int, 'next_retry_at', p_next_retry_at,
    'worker_id', p_error ->> 'worker', 'api_provider', p_error ->> 'provider', 'rate_limit_hit', coalesce(p_error ->> 'type' = 'rate_limited', false),
    'heartbeat_expired', coalesce(p_error ->> 'type' = 'worker_lost', false), 'duration_ms', (p_error ->> 'duration_ms')::bigint,
    'timestamp', p_error ->> 'at')
$$;

comment on function mill.document_error(jsonb, timestamptz) is 'An error of a job in the form of processing_error.';
revoke execute on function mill.document_error(jsonb, timestamptz) from public;

-- Release 0.1.0 wrote type and message, and left out what was not known.
create or replace function mill.complete_error_entry(p_entry jsonb) returns jsonb
language sql immutable
return jsonb_build_object('error_type', p_entry -> 'type', 'error_message', p_entry -> 'message', 'retry_count', null, 'next_retry_at', null,
  'worker_id', null, 'api_provider', null, 'rate_limit_hit', false, 'heartbeat_expired', false, 'duration_ms', null, 'timestamp', null)
  || (p_entry - array['type', 'message']);

comment on function mill.complete_error_entry(jsonb) is 'An entry of processing_error with every compatible key.';
revoke execute on function mill.complete_error_entry(jsonb) from public;

-- An entry that is there stays as it is: it says when the next attempt was due, which the job's log does not.
create or replace function mill.noted_errors(p_known jsonb, p_log jsonb, p_next_retry_at timestamptz default null) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case when p_log is null then p_known else
    p_known || jsonb_build_object(
      'current_error', mill.document_error(p_log -> -1, p_next_retry_at),
      'error_history', (
        select jsonb_agg(h.entry order by h.at) from (
          select distinct on (e.entry ->> 'timestamp') e.entry || '{"resolved": false}' as entry, e.entry ->> 'timestamp' as at
          from (
            select mill.complete_error_entry(k) as entry, 1 as source from jsonb_array_elements(coalesce(p_known -> 'error_history', '[]')) k
            union all
            select mill.document_error(l.error, case when l.at = jsonb_array_length(p_log) then p_next_retry_at end), 2
            from jsonb_array_elements(p_log) with ordinality l(error, at)) e
          order by e.entry ->> 'timestamp', e.source) h)) end
$$;

comment on function mill.noted_errors(jsonb, jsonb, timestamptz) is 'processing_error with the errors of a job added, each once.';
revoke execute on function mill.noted_errors(jsonb, jsonb, timestamptz) from public;

create or replace function mill.resolved_errors(p_known jsonb) returns jsonb
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select (p_known - 'current_error') || case when p_known ? 'error_history' then jsonb_build_object('error_history', (
    select jsonb_agg(mill.complete_error_entry(e) || '{"resolved": true}') from jsonb_array_elements(p_known -> 'error_history') e)) else '{}' end
$$;

comment on function mill.resolved_errors(jsonb) is 'processing_error once the stage has succeeded.';
revoke execute on function mill.resolved_errors(jsonb) from public;
