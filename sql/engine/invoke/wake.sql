-- Wake on enqueue: a job starts in milliseconds instead of at the next round of the pump, or when the worker looks by itself.
-- Every function that inserts jobs calls it, with the queue's row that it has read anyway.
--
-- Debounced without a lock that producers would queue for: while an invocation has been asked for and has not
-- begun, it will see this job too, and nobody looks whether there is work. Two producers that commit at once may
-- both ask; and a producer that commits after the invocation claimed is served by the one that settle asks for, or
-- by the pump.
--
-- Invocations that were lost in a crash hold nobody up, also before mill.end_lost_invocations has ended them. Here they are only looked
-- at: a lock on them would last until the producer's commit. Answers are read only when max_parallel is reached, because that costs two index
-- probes per invocation. A request that has not begun after a second is not waited for, whatever its answer: one invocation too many finds no
-- work and does no harm. Reading its answer made a single enqueue 12% slower while requests waited.
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_running int;
begin
  if p_queue.paused or p_queue.served_by = 'external' then
    return;
  end if;
  if p_queue.served_by = 'worker' then
    perform mill.call_worker(p_queue.queue, p_reason);
    return;
  end if;

  -- After one second a request counts as lost: the next enqueue asks anew.
  if exists (
      select from mill.invocation i
      where i.queue = p_queue.queue and i.ended_at is null and i.begun_at is null and i.asked_at > v_now - interval '1 second')
    or not mill.has_pending(p_queue.queue)
  then
    return;
  end if;
  select count(*) into v_running
  from mill.invocation i
  where i.queue = p_queue.queue and i.begun_at is not null and i.ended_at is null
    and i.begun_at > v_now - make_interval(secs => p_queue.invocation_seconds);
  if v_running >= p_queue.max_parallel then
    select count(*) into v_running
    from mill.invocation i
    where i.queue = p_queue.queue and i.begun_at is not null and i.ended_at is null
      and i.begun_at > v_now - make_interval(secs => p_queue.invocation_seconds)
      and not (mill.answer_to_invocation(i.request_id, i.asked_at, i.handed_at is not null)).is_over;
  end if;
  if v_running < p_queue.max_parallel then
    begin
      perform mill.invoke(p_queue.queue, p_reason);
    exception when others then
      perform mill.record_wake_failure(p_queue.queue, sqlstate, sqlerrm);
    end;
  end if;
end
$$;

comment on function mill.wake(mill.queue, text) is 'Asks for an invocation of a queue that has due jobs, unless one is on its way; calls the worker where that serves it.';
revoke execute on function mill.wake(mill.queue, text) from public;
