-- Inserts many jobs in one statement, or none. mill.check_jobs names what is refused.
--
-- Lock order: rows are inserted sorted by (queue, dedupe_key), so two batches that share keys in another
-- order wait for each other instead of deadlocking.
create or replace function mill.enqueue(p_jobs jsonb)
returns table (ordinal int, id uuid, status text)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_made timestamptz := clock_timestamp();
begin
  perform mill.check_jobs(p_jobs);

  return query
  with asked as materialized (
    select
      (a.ordinality - 1)::int as at,
      mill.uuid7(v_made + a.ordinality * interval '1 microsecond') as id, -- in the order asked,
      k.queue,
      k.kind,
      a.job ->> 'name' as name,
      a.job -> 'payload' as payload,
      coalesce((a.job ->> 'priority')::int, 5) as priority,
      coalesce((a.job ->> 'run_at')::timestamptz, v_now) as run_at,
      coalesce((a.job ->> 'max_attempts')::int, q.max_attempts) as max_attempts,
      a.job ->> 'dedupe_key' as dedupe_key,
      a.job ->> 'group_key' as group_key,
      (a.job ->> 'owner')::uuid as owner,
      (a.job ->> 'parent')::uuid as parent,
      a.job ->> 'correlation_id' as correlation_id
    from jsonb_array_elements(p_jobs) with ordinality as a(job, ordinality)
    join mill.kind k on k.kind = a.job ->> 'kind'
    join mill.queue q on q.queue = k.queue
  ),
  -- One row a key: a statement may not touch the same conflicting row twice.
  first_of_key as (
    select distinct on (a.queue, a.dedupe_key, case when a.dedupe_key is null then a.id end) a.*
    from asked a
    order by a.queue, a.dedupe_key, case when a.dedupe_key is null then a.id end, a.at
  ),
  written as (
    insert into mill.job_live as j (
      id, queue, kind, name, payload, state, priority, run_at, max_attempts,
      dedupe_key, group_key, owner, parent, correlation_id, created_at)
    select
      f.id, f.queue, f.kind, f.name, f.payload,
      case when f.run_at > v_now then 'deferred' else 'pending' end,
      f.priority, f.run_at, f.max_attempts,
      f.dedupe_key, f.group_key, f.owner, f.parent, f.correlation_id, v_now
    from first_of_key f
    -- A duplicate can only hurry the job that is there: higher priority, earlier run_at. A job that waits
    -- for its backoff keeps waiting: asking again is no reason to hammer whatever made it fail.
    on conflict (queue, dedupe_key) where dedupe_key is not null do update set
      priority = greatest(j.priority, excluded.priority),
      run_at = case when j.state = 'deferred' then least(j.run_at, excluded.run_at) else j.run_at end,
      state = case when j.state = 'deferred' and excluded.run_at <= v_now then 'pending' else j.state end
    returning j.id, j.queue, j.dedupe_key
  )
  select a.at, coalesce(own.id, twin.id), case when own.id is null then 'duplicate' else 'new' end
  from asked a
  left join written own on own.id = a.id
  left join written twin on twin.queue = a.queue and twin.dedupe_key = a.dedupe_key
  order by a.at;
end
$$;

comment on function mill.enqueue(jsonb) is
  'Inserts an array of jobs {kind, payload, name, priority, run_at, max_attempts, dedupe_key, group_key, owner, parent, correlation_id}; answers new or duplicate for each.';
revoke execute on function mill.enqueue(jsonb) from public;
