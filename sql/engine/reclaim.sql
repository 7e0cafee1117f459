-- Takes back expired leases. The attempt stays counted; losses are counted apart, and a job that loses its
-- worker max_lease_losses times is dead-lettered, so that a poison job cannot crash workers for ever. A job that
-- was asked to cancel ends as cancelled. Skips what is locked: whoever holds it is settling or extending it.
create or replace function mill.reclaim(p_max int default 1000) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_now timestamptz := mill.now();
  v_jitter numeric := mill.setting('worker.reclaim_jitter_max_seconds', '60')::numeric;
  v_rows tid[];
  v_cancelled uuid[];
  v_dead uuid[];
  v_count int;
begin
  v_rows := mill.expired_leases(v_now, p_max);
  if v_rows = '{}' then
    return 0;
  end if;

  with counted as (
    insert into mill.stat_batch (at, jobs, bucket, total_ms, bytes, queue, kind, outcome)
    select v_now, count(*), mill.duration_bucket(d.ms), sum(d.ms), sum(d.bytes), d.queue, d.kind, 'lost'
    from (
      select j.queue, j.kind, (extract(epoch from v_now - j.started_at) * 1000)::bigint as ms,
        pg_column_size(j.payload) as bytes
      from mill.job_live j where j.ctid = any (v_rows)) d
    group by d.queue, d.kind, mill.duration_bucket(d.ms)
  ),
  returned as (
    update mill.job_live j set
      state = 'retrying',
      waits = true,
      run_at = v_now + make_interval(secs => (random() * v_jitter)::double precision),
      lease_losses = j.lease_losses + 1,
      worker = null,
      lease_until = null,
      slot = null,
      -- The worker that was lost, not whoever noticed.
      error = mill.stamped_error(mill.worker_lost(), j.worker, j.attempt, v_now),
      error_log = mill.append_error(j.error_log, mill.stamped_error(mill.worker_lost(), j.worker, j.attempt, v_now))
    where j.ctid = any (v_rows)
    returning j.id, j.queue, j.lease_losses, j.attempt, j.max_attempts, j.cancel_requested
  )
  select count(*),
    coalesce(array_agg(r.id) filter (where r.cancel_requested), '{}'),
    coalesce(array_agg(r.id) filter (where not r.cancel_requested
      and (r.lease_losses >= q.max_lease_losses or r.attempt >= r.max_attempts)), '{}')
  into v_count, v_cancelled, v_dead
  from returned r join mill.queue q using (queue);

  perform mill.end_jobs(v_cancelled, 'cancelled', v_now);
  perform mill.end_jobs(v_dead, 'failed', v_now);
  if v_dead <> '{}' then
    perform mill.audit_jobs(v_dead, 'dead', 'its workers were lost');
  end if;
  insert into mill.event (at, code, detail)
  values (v_now, 'leases_lost', jsonb_build_object('count', v_count, 'dead', cardinality(v_dead)));
  return v_count;
end
$$;

comment on function mill.reclaim(int) is 'Returns jobs of lost workers to retrying with jitter, or buries them; says how many leases were lost.';
revoke execute on function mill.reclaim(int) from public;
