-- What is due of all schedules, in the order of their due times. One that fails takes back only itself: the reason is written to its row, once as an event,
-- and the next round tries again.
--
-- Enqueueing may wait for a key that a transaction of an application holds; the pump must not. So it waits half a second, which is also less than Postgres
-- takes to look for deadlocks.
create or replace function mill.enqueue_schedules(p_max int default 500) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $$
declare
  v_now timestamptz := mill.now();
  v_schedule mill.job_schedule;
  v_enqueued int := 0;
begin
  for v_schedule in
    select s.* from mill.job_schedule s where not s.paused and s.next_due <= v_now order by s.next_due limit p_max for update skip locked
  loop
    begin
      v_enqueued := v_enqueued + mill.enqueue_due_times(v_schedule, v_now);
    exception
      when query_canceled then
        raise;
      when others then
        if v_schedule.problem is distinct from sqlerrm then
          update mill.job_schedule s set problem = sqlerrm where s.schedule = v_schedule.schedule;
          insert into mill.event (at, code, detail) values (v_now, 'schedule_refused',
            jsonb_build_object('schedule', v_schedule.schedule, 'sqlstate', sqlstate, 'message', sqlerrm));
        end if;
    end;
  end loop;
  return v_enqueued;
end
$$;

comment on function mill.enqueue_schedules(int) is 'Enqueues the jobs of all due times; says how many. The pump calls it in every round.';
revoke execute on function mill.enqueue_schedules(int) from public;
