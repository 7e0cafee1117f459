create or replace function mill.answer_duplicates(
  p_jobs jsonb, p_answered jsonb, p_now timestamptz, p_turn bigint, p_random text, p_max_bytes int)
returns jsonb
language sql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
  with asked as materialized (
    select * from mill.parse_jobs(p_jobs, p_now, p_turn, p_random, p_max_bytes) a
    where a.dedupe_key is not null and not p_answered ? a.at::text
  )
  select coalesce(jsonb_object_agg(a.at, jsonb_build_object(
    'id', j.id, 'status', 'duplicate', 'priority', a.priority, 'run_at', a.run_at)), '{}')
  from asked a
  cross join lateral (
    select j.id from mill.job_live j where j.queue = a.queue and j.dedupe_key = a.dedupe_key limit 1) j
$$;

comment on function mill.answer_duplicates(jsonb, jsonb, timestamptz, bigint, text, int) is
  'Answers the jobs of a batch whose key a live job holds, as ordinal to {id, status} and what they ask for. Takes no lock.';
revoke execute on function mill.answer_duplicates(jsonb, jsonb, timestamptz, bigint, text, int) from public;
