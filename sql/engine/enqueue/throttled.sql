create or replace function mill.throttled(p_jobs jsonb, p_room jsonb) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_object_agg(a.ordinality - 1, '{"status": "throttled"}'::jsonb), '{}')
  from jsonb_array_elements(p_jobs) with ordinality as a(job, ordinality)
  join mill.kind k on k.kind = a.job ->> 'kind'
  where p_room ? k.queue
$$;

comment on function mill.throttled(jsonb, jsonb) is 'The answer throttled for every job of a batch whose queue has a depth limit.';
revoke execute on function mill.throttled(jsonb, jsonb) from public;
