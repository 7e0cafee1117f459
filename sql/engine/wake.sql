-- Wake on enqueue: a job starts in milliseconds instead of at the next round of the pump.
--
-- Debounced without a lock that producers would queue for: while an invocation has been asked for and has not
-- begun, it will see this job too, and nobody looks whether there is work. Two producers that commit at once may
-- both ask; and a producer that commits after the invocation claimed is served by the one that settle asks for, or
-- by the pump.
create or replace function mill.wake(p_queue text, p_reason text default 'wake') returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_running int;
begin
  -- Two seconds after which a request counts as lost: the next enqueue asks anew.
  if exists (
      select from mill.invocation i
      where i.queue = p_queue and i.begun_at is null and i.asked_at > v_now - interval '2 seconds')
    or not mill.has_pending(p_queue)
  then
    return;
  end if;

  select count(*) into v_running
  from mill.invocation i join mill.queue q using (queue)
  where i.queue = p_queue and i.begun_at is not null and i.ended_at is null
    and i.begun_at > v_now - make_interval(secs => q.lease_seconds);
  if v_running < (select q.max_parallel from mill.queue q where q.queue = p_queue) then
    begin
      perform mill.invoke(p_queue, p_reason);
    exception when others then
      -- A wake-up is a hint; failing to give it must never fail the enqueue.
      insert into mill.event (at, code, detail)
      values (v_now, 'wake_failed', jsonb_build_object('queue', p_queue, 'sqlstate', sqlstate, 'message', sqlerrm));
    end;
  end if;
end
$$;

comment on function mill.wake(text, text) is 'Asks for an invocation of a queue that has due jobs, unless one is on its way.';
revoke execute on function mill.wake(text, text) from public;
