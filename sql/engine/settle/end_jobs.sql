-- Moves live jobs that the caller has locked to where finished ones lie.
create or replace function mill.end_jobs(p_ids uuid[], p_state text, p_now timestamptz) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_count int;
begin
  with ended as (
    delete from mill.job_live j where j.id = any (p_ids) returning j.*
  ),
  counted as (
    insert into mill.stat_batch (at, jobs, bucket, total_ms, bytes, queue, kind, outcome)
    select p_now, count(*), 0, 0, sum(pg_column_size(e.payload)), e.queue, e.kind, 'cancelled'
    from ended e where p_state = 'cancelled'
    group by e.queue, e.kind
  ),
  noted as (
    insert into mill.ended (parent, name, state, ids, errors, at)
    select e.parent, e.name, p_state, array_agg(e.id), array_agg(e.error), p_now
    from ended e where e.parent is not null and e.name is not null
    group by e.parent, e.name
  )
  insert into mill.job (
    id, queue, kind, name, category, payload, state, priority, run_at, attempt, max_attempts, lease_losses,
    worker, dedupe_key, group_key, owner, parent, progress, result, error, error_log, correlation_id, traceparent,
    created_at, started_at, finished_at)
  select
    e.id, e.queue, e.kind, e.name, e.category, e.payload, p_state, e.priority, e.run_at, e.attempt,
    e.max_attempts, e.lease_losses, e.worker, e.dedupe_key, e.group_key, e.owner, e.parent, e.progress, e.result,
    e.error, e.error_log, e.correlation_id, e.traceparent, e.created_at, e.started_at, p_now
  from ended e;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

comment on function mill.end_jobs(uuid[], text, timestamptz) is 'Ends live jobs as cancelled or failed; says how many.';
revoke execute on function mill.end_jobs(uuid[], text, timestamptz) from public;
