-- Schedules come first: enqueueing takes the keys of jobs before their rows, and the tick locks rows.
create or replace function mill.pump_once() returns jsonb
language sql
set search_path = pg_catalog, pg_temp
as $$
  select mill.record_heartbeat('process-queue-batch');
  select mill.enqueue_schedules();
  select mill.tick() || jsonb_build_object('invoked', mill.invoke_due());
$$;

comment on function mill.pump_once() is 'One round of the pump in one transaction.';
revoke execute on function mill.pump_once() from public;
