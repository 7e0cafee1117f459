-- A duplicate can only hurry the job that is there: higher priority, earlier run_at. A job that waits for its
-- backoff keeps waiting: asking again is no reason to hammer whatever made it fail. Lock order: by id.
create or replace function mill.hurry(
  p_jobs jsonb, p_answered jsonb, p_now timestamptz, p_turn bigint, p_random bytea, p_max_bytes int)
returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_answers jsonb;
  v_wanted record;
begin
  with asked as materialized (
    select * from mill.asked_jobs(p_jobs, p_now, p_turn, p_random, p_max_bytes) a
    where a.dedupe_key is not null and not p_answered ? a.at::text
  )
  select coalesce(jsonb_object_agg(a.at, jsonb_build_object(
    'id', j.id, 'status', 'duplicate', 'priority', a.priority, 'run_at', a.run_at)), '{}')
  into v_answers
  from asked a
  cross join lateral (
    select j.id from mill.job_live j where j.queue = a.queue and j.dedupe_key = a.dedupe_key limit 1) j;

  -- One at a time: duplicates are few, and a join would leave the way to the rows to the planner.
  for v_wanted in
    select (a.value ->> 'id')::uuid as id, max((a.value ->> 'priority')::int) as priority,
      min((a.value ->> 'run_at')::timestamptz) as run_at
    from jsonb_each(v_answers) a
    group by 1 order by 1
  loop
    update mill.job_live j set
      priority = greatest(j.priority, v_wanted.priority),
      run_at = case when j.state = 'deferred' then least(j.run_at, v_wanted.run_at) else j.run_at end,
      state = case when j.state = 'deferred' and v_wanted.run_at <= p_now then 'pending' else j.state end,
      -- Never below the floor of the line that it joins.
      turn = greatest(j.turn, (
        select f.turn from mill.floor f
        where f.queue = j.queue and f.priority = greatest(j.priority, v_wanted.priority)))
    where j.id = v_wanted.id and (
      j.state = 'pending' and j.priority < v_wanted.priority
      or j.state = 'deferred' and (j.priority < v_wanted.priority or j.run_at > v_wanted.run_at));
  end loop;
  return v_answers;
end
$$;

comment on function mill.hurry(jsonb, jsonb, timestamptz, bigint, bytea, int) is
  'Answers the duplicates of a batch, as ordinal to {id, status}, and hurries the jobs that they duplicate.';
revoke execute on function mill.hurry(jsonb, jsonb, timestamptz, bigint, bytea, int) from public;
