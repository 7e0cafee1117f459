-- The worker says {total_calls, successful_calls, failed_calls, rate_limit_hits, backpressure_delays, tokens}. Release 0.1.0 kept those names.
create or replace function mill.counted_calls(p_known jsonb, p_usage jsonb) returns jsonb
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case when p_usage is null then '{}' else jsonb_build_object('api_metrics', (
    select jsonb_object_agg(m.name, coalesce((p_known #>> array['api_metrics', m.name])::bigint, (p_known #>> array['api_metrics', m.said])::bigint, 0)
      + coalesce((p_usage ->> m.said)::bigint, 0))
    from (values ('total_api_calls', 'total_calls'), ('rate_limit_hits', 'rate_limit_hits'), ('backpressure_delays', 'backpressure_delays'),
      ('successful_api_calls', 'successful_calls'), ('failed_api_calls', 'failed_calls'), ('total_tokens_used', 'tokens')) m(name, said))) end
$$;

comment on function mill.counted_calls(jsonb, jsonb) is 'The api_metrics of processing_error with a stage''s calls added.';
revoke execute on function mill.counted_calls(jsonb, jsonb) from public;
