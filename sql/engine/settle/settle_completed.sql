-- Deletes and inserts in one statement, without locking first. All jobs are in the same attempt, as nearly all
-- are in their first; mill.settle_mixed takes the rest.
--
-- The lock order is that of the index scan, which sorts the array of ids. Matched by an array and not by a join:
-- joined to the batch, 500 took 200 ms, presumably along the leases once for each job, as mill.settle_mixed did.
-- What ended is set aside once, and both the rows of job_done and what is counted come from there: an INSERT that returned what
-- it wrote, to be counted from that, took a twentieth more instructions.
create or replace function mill.settle_completed(p_worker text, p_ids uuid[], p_results jsonb, p_attempt int, p_now timestamptz) returns uuid[]
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
set enable_sort = off
set enable_mergejoin = off
as $$
declare
  v_lost uuid[];
begin
  with ended as (
    delete from mill.job_live j
    where j.id = any (p_ids) and j.attempt = p_attempt and j.worker = p_worker and j.state = 'processing'
      and not j.cancel_requested
    returning j.id, j.queue, j.kind, j.name, j.category, j.payload, j.priority, j.run_at, j.max_attempts,
      j.lease_losses, j.dedupe_key, j.group_key, j.owner, j.parent, j.error, j.error_log, j.correlation_id,
      j.traceparent, j.created_at, j.started_at
  ),
  kept as (
    insert into mill.job_done (
      id, queue, kind, name, category, payload, state, priority, run_at, attempt, max_attempts, lease_losses,
      worker, dedupe_key, group_key, owner, parent, progress, result, error, error_log, correlation_id, traceparent,
      created_at, started_at, finished_at)
    select
      e.id, e.queue, e.kind, e.name, e.category, e.payload, 'completed', e.priority, e.run_at, p_attempt,
      e.max_attempts, e.lease_losses, p_worker, e.dedupe_key, e.group_key, e.owner, e.parent, 100,
      case when p_results is not null then p_results -> e.id::text end,
      e.error, e.error_log, e.correlation_id, e.traceparent, e.created_at, e.started_at, p_now
    from ended e
  ),
  -- Jobs of one claim began together: nearly always one group, or one per parent and name.
  grouped as materialized (
    select e.queue, e.kind, e.parent, case when e.parent is not null then e.name end as key,
      (extract(epoch from p_now - e.started_at) * 1000)::bigint as ms,
      count(*) as jobs, sum(pg_column_size(e.payload)) as bytes, array_agg(e.id) as ids
    from ended e
    group by e.started_at, e.queue, e.kind, e.parent, key
  ),
  counted as (
    insert into mill.stat_batch (at, jobs, bucket, total_ms, bytes, queue, kind, outcome)
    select p_now, sum(g.jobs), mill.duration_bucket(g.ms), sum(g.jobs * g.ms), sum(g.bytes), g.queue, g.kind, 'completed'
    from grouped g
    group by g.queue, g.kind, mill.duration_bucket(g.ms)
  ),
  noted as (
    insert into mill.ended (parent, name, state, ids, results, at)
    select g.parent, g.key, 'completed', g.ids,
      case when p_results is not null then array(select p_results -> i.id::text from unnest(g.ids) as i(id)) end, p_now
    from grouped g
    where g.key is not null
  )
  select case
    when coalesce(sum(g.jobs), 0) < cardinality(p_ids) then
      array(select unnest(p_ids) except select unnest(g.ids) from grouped g)
    else '{}'
  end
  into v_lost
  from grouped g;
  return v_lost;
end
$$;

comment on function mill.settle_completed(text, uuid[], jsonb, int, timestamptz) is 'Completes a batch; says which of it were lost. For mill.settle alone.';
revoke execute on function mill.settle_completed(text, uuid[], jsonb, int, timestamptz) from public;
