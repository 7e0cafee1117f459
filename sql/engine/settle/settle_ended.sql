create or replace function mill.settle_ended(p_held jsonb, p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_ids uuid[] := array(
    select h.key::uuid from jsonb_each(p_held) h where h.value ->> 'verdict' in ('completed', 'dead', 'cancelled'));
begin
  with ended as (
    delete from mill.job_live j where j.id = any (v_ids)
    returning j.*, p_held -> j.id::text ->> 'verdict' as verdict,
      nullif(p_held -> j.id::text -> 'result', 'null') as given_result,
      nullif(p_held -> j.id::text -> 'error', 'null') as given_error
  ),
  noted as (
    insert into mill.ended (parent, name, state, ids, results, errors, at)
    select e.parent, e.name, case e.verdict when 'dead' then 'failed' else e.verdict end, array_agg(e.id),
      case e.verdict when 'completed' then array_agg(e.given_result) end,
      case when e.verdict <> 'completed' then array_agg(coalesce(e.given_error, e.error)) end, p_now
    from ended e where e.parent is not null and e.name is not null
    group by e.parent, e.name, e.verdict
  )
  insert into mill.job (
    id, queue, kind, name, category, payload, state, priority, run_at, attempt, max_attempts, lease_losses,
    worker, dedupe_key, group_key, owner, parent, progress, result, error, error_log, correlation_id, traceparent,
    created_at, started_at, finished_at)
  select
    e.id, e.queue, e.kind, e.name, e.category, e.payload,
    case e.verdict when 'dead' then 'failed' else e.verdict end,
    e.priority, e.run_at, e.attempt, e.max_attempts, e.lease_losses, e.worker,
    e.dedupe_key, e.group_key, e.owner, e.parent, case e.verdict when 'completed' then 100 else e.progress end,
    case e.verdict when 'completed' then e.given_result end, coalesce(e.given_error, e.error),
    mill.append_error(e.error_log, e.given_error), e.correlation_id, e.traceparent, e.created_at, e.started_at, p_now
  from ended e;
end
$$;

comment on function mill.settle_ended(jsonb, timestamptz) is 'Moves the completed, dead and cancelled jobs of a batch to where they lie. For mill.settle_mixed alone.';
revoke execute on function mill.settle_ended(jsonb, timestamptz) from public;
