-- Ends invocations that will not end by themselves, and takes their jobs back. Without this, four invocations that died with a crash fill
-- max_parallel, and their queue stands still until the leases expire.
--
-- An invocation is lost when its request failed, or when invocation_seconds have passed without an answer. The function may still be at work
-- where only the connection was lost. Its settlement is then refused, as that of any worker that lost its lease.
--
-- After an outage the jobs return at once: the crash was most likely not theirs. After an error or a timeout of the function itself one of
-- the jobs may be the cause, so they return spread out (see mill.return_lost_jobs). After an answer below 400 they keep their leases: the function has
-- spoken, and may settle them later.
--
-- Lock order: settling locks jobs and then the invocation, here it is the other way round. So both are skipped when locked (see mill.running_transactions).
create or replace function mill.end_lost_invocations() returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_now timestamptz := mill.now();
  v_running xid[] := mill.running_transactions();
  v_invocation record;
  v_rows tid[];
  v_count int := 0;
begin
  for v_invocation in
    select i.id, i.begun_at, i.worker, i.jobs, a.is_over, a.is_outage,
      case
        when not a.is_over then format('no answer within %s s', q.invocation_seconds)
        when a.failure is null and i.begun_at is null then 'answered without asking for jobs'
        else a.failure
      end as failure
    from mill.queue q
    join mill.invocation i on i.queue = q.queue
    cross join lateral mill.answer_to_invocation(i.request_id, i.asked_at, i.handed_at is not null and i.begun_at is not null) a
    where i.ended_at is null
      and (a.is_over or coalesce(i.begun_at, i.asked_at) < v_now - make_interval(secs => q.invocation_seconds))
    order by i.id
    for update of i skip locked
  loop
    if v_invocation.failure is not null and v_invocation.begun_at is not null then
      v_rows := array(
        select j.ctid from mill.job_live j
        where j.id = any (v_invocation.jobs) and j.worker = v_invocation.worker and j.state = 'processing' and j.xmax <> all (v_running)
        order by j.id
        for update skip locked);
      perform mill.return_lost_jobs(v_rows, mill.worker_lost_error('its invocation was lost: ' || v_invocation.failure),
        case when v_invocation.is_outage then 0 else mill.setting('worker.reclaim_jitter_max_seconds', '60')::numeric end, v_now);
    end if;
    update mill.invocation i set ended_at = v_now, failure = v_invocation.failure, jobs = null where i.id = v_invocation.id;
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;

comment on function mill.end_lost_invocations() is 'Ends invocations whose request failed or took too long, and takes their jobs back; says how many.';
revoke execute on function mill.end_lost_invocations() from public;
