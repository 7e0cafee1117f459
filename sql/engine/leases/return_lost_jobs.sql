-- Takes running jobs back whose worker was lost. The attempt stays counted. Losses are counted apart, and a job that loses its
-- worker max_lease_losses times is dead-lettered, so that a poison job cannot crash workers for ever. A job that
-- was asked to cancel ends as cancelled. The caller has locked the rows.
--
-- A job that is lost again returns within worker.reclaim_jitter_max_seconds, at random: a poison job and the jobs that were claimed
-- with it must not be claimed together a third time, because all of them would be buried.
create or replace function mill.return_lost_jobs(p_rows tid[], p_error jsonb, p_first_jitter numeric, p_now timestamptz) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_jitter numeric := mill.setting('worker.reclaim_jitter_max_seconds', '60')::numeric;
  v_cancelled uuid[];
  v_dead uuid[];
  v_count int;
begin
  with counted as (
    insert into mill.stat_batch (at, jobs, bucket, total_ms, bytes, queue, kind, outcome, tenant)
    select p_now, count(*), mill.duration_bucket(d.ms), sum(d.ms), sum(d.bytes), d.queue, d.kind, 'lost',
      case when count(distinct coalesce(d.tenant, '')) = 1 then min(d.tenant) end
    from (
      select j.queue, j.kind, (extract(epoch from p_now - j.started_at) * 1000)::bigint as ms,
        pg_column_size(j.payload) as bytes, nullif(mill.tenant_of(j.owner, j.group_key), '') as tenant
      from mill.job_live j where j.ctid = any (p_rows)) d
    group by d.queue, d.kind, mill.duration_bucket(d.ms)
  ),
  returned as (
    update mill.job_live j set
      state = 'retrying',
      waits = true,
      run_at = p_now + make_interval(
        secs => (random() * case when j.lease_losses = 0 then p_first_jitter else v_jitter end)::double precision),
      lease_losses = j.lease_losses + 1,
      worker = null,
      lease_until = null,
      slot = null,
      -- A job that already ran when its queue became fair stands in no lane yet.
      lane = coalesce(j.lane, (select mill.lane_of(q.dequeue, q.max_running_per_group, j.owner, j.group_key) from mill.queue q where q.queue = j.queue)),
      -- The worker that was lost, not the one that noticed.
      error = mill.stamped_error(p_error, j.worker, j.attempt, p_now),
      error_log = mill.append_error(j.error_log, mill.stamped_error(p_error, j.worker, j.attempt, p_now))
    where j.ctid = any (p_rows)
    returning j.id, j.queue, j.lease_losses, j.attempt, j.max_attempts, j.cancel_requested
  )
  select count(*),
    coalesce(array_agg(r.id) filter (where r.cancel_requested), '{}'),
    coalesce(array_agg(r.id) filter (where not r.cancel_requested
      and (r.lease_losses >= q.max_lease_losses or r.attempt >= r.max_attempts)), '{}')
  into v_count, v_cancelled, v_dead
  from returned r join mill.queue q using (queue);

  perform mill.end_jobs(v_cancelled, 'cancelled', p_now);
  perform mill.end_jobs(v_dead, 'failed', p_now);
  perform mill.call_acted_hooks(v_dead, 'dead', 'its workers were lost');
  if v_count > 0 then
    insert into mill.event (at, code, detail)
    values (p_now, 'leases_lost', jsonb_build_object(
      'count', v_count, 'dead', cardinality(v_dead), 'reason', p_error ->> 'message'));
  end if;
  return v_count;
end
$$;

comment on function mill.return_lost_jobs(tid[], jsonb, numeric, timestamptz) is
  'Returns running jobs of a lost worker to retrying, or buries them; says how many. p_first_jitter: seconds over which first losses return.';
revoke execute on function mill.return_lost_jobs(tid[], jsonb, numeric, timestamptz) from public;
