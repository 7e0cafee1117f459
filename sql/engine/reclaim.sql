-- Takes back expired leases. The attempt stays counted; losses are counted apart, and a job that loses its
-- worker max_lease_losses times is dead-lettered, so that a poison job cannot crash workers for ever.
create or replace function mill.reclaim(p_max int default 1000) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_jitter numeric := mill.setting('worker.reclaim_jitter_max_seconds', '60')::numeric;
  v_count int;
begin
  with expired as materialized (
    select j.id, j.lease_losses + 1 >= q.max_lease_losses or j.attempt >= j.max_attempts as is_dead,
      -- The worker that was lost, not whoever noticed.
      jsonb_build_object('type', 'worker_lost', 'message', 'the lease expired before the worker settled',
        'retryable', true, 'worker', j.worker, 'attempt', j.attempt, 'at', v_now) as error
    from mill.job_live j join mill.queue q using (queue)
    where j.state = 'processing' and j.lease_until <= v_now
    order by j.id
    limit p_max
    for update of j skip locked
  ),
  dead as (
    delete from mill.job_live j using expired e where j.id = e.id and e.is_dead returning j.*, e.error as loss
  ),
  buried as (
    insert into mill.job (
      id, queue, kind, name, payload, state, priority, run_at, attempt, max_attempts, lease_losses, worker,
      dedupe_key, group_key, owner, parent, progress, result, error, error_log, correlation_id,
      created_at, started_at, finished_at)
    select d.id, d.queue, d.kind, d.name, d.payload, 'failed', d.priority, d.run_at, d.attempt, d.max_attempts,
      d.lease_losses + 1, d.worker, d.dedupe_key, d.group_key, d.owner, d.parent, d.progress, d.result,
      d.loss, mill.append_error(d.error_log, d.loss), d.correlation_id, d.created_at, d.started_at, v_now
    from dead d
    returning 1
  ),
  retried as (
    update mill.job_live j set
      state = 'retrying',
      run_at = v_now + make_interval(secs => (random() * v_jitter)::double precision),
      lease_losses = j.lease_losses + 1,
      worker = null,
      lease_until = null,
      error = e.error,
      error_log = mill.append_error(j.error_log, e.error)
    from expired e
    where j.id = e.id and not e.is_dead
    returning 1
  )
  select (select count(*) from buried) + (select count(*) from retried) into v_count;

  if v_count > 0 then
    insert into mill.event (at, code, detail) values (v_now, 'leases_lost', jsonb_build_object('count', v_count));
  end if;
  return v_count;
end
$$;

comment on function mill.reclaim(int) is 'Returns jobs of lost workers to retrying with jitter, or buries them; says how many leases were lost.';
revoke execute on function mill.reclaim(int) from public;
