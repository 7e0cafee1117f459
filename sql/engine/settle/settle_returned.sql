create or replace function mill.settle_returned(p_held jsonb, p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_ids uuid[] := array(
    select h.key::uuid from jsonb_each(p_held) h where h.value ->> 'verdict' in ('failed', 'snoozed', 'released'));
begin
  update mill.job_live j set
    state = case
      when p_held -> j.id::text ->> 'verdict' = 'failed' then 'retrying'
      when p_held -> j.id::text ->> 'verdict' = 'snoozed' or (p_held -> j.id::text ->> 'delay')::double precision > 0 then 'deferred'
      else 'pending' end,
    waits = p_held -> j.id::text ->> 'verdict' <> 'released' or coalesce((p_held -> j.id::text ->> 'delay')::double precision > 0, false),
    attempt = j.attempt - (p_held -> j.id::text ->> 'verdict' <> 'failed')::int,
    run_at = p_now + case p_held -> j.id::text ->> 'verdict'
      when 'failed' then coalesce(
        make_interval(secs => (p_held -> j.id::text ->> 'delay')::double precision),
        (select mill.backoff(j.attempt, q.backoff_base_seconds, q.backoff_cap_seconds, q.backoff_jitter) from mill.queue q where q.queue = j.queue))
      when 'snoozed' then make_interval(secs => coalesce((p_held -> j.id::text ->> 'delay')::double precision, 30))
      else make_interval(secs => coalesce(greatest((p_held -> j.id::text ->> 'delay')::double precision, 0), 0)) end,
    -- A job that was released without a delay goes back to the head of its line, but not below the floor.
    turn = greatest(j.turn, (select f.turn from mill.floor f where f.line = j.line)),
    worker = null,
    lease_until = null,
    slot = null,
    error = coalesce(nullif(p_held -> j.id::text -> 'error', 'null'), j.error),
    error_log = mill.append_error(j.error_log, nullif(p_held -> j.id::text -> 'error', 'null'))
  where j.id = any (v_ids);
end
$$;

comment on function mill.settle_returned(jsonb, timestamptz) is 'Returns the failed, snoozed and released jobs of a batch to their line. For mill.settle_mixed alone.';
revoke execute on function mill.settle_returned(jsonb, timestamptz) from public;
