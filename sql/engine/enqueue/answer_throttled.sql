create or replace function mill.answer_throttled(p_jobs jsonb, p_capacity jsonb) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_object_agg(a.ordinality - 1, '{"status": "throttled"}'::jsonb), '{}')
  from jsonb_array_elements(p_jobs) with ordinality as a(job, ordinality)
  join mill.kind k on k.kind = a.job ->> 'kind'
  where p_capacity ? k.queue
$$;

comment on function mill.answer_throttled(jsonb, jsonb) is 'The answer throttled for every job of a batch whose queue has a depth limit.';
revoke execute on function mill.answer_throttled(jsonb, jsonb) from public;
