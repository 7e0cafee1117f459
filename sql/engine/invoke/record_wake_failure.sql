-- A wake-up is a hint: failing to give it must never fail the enqueue.
create or replace function mill.record_wake_failure(p_queue text, p_sqlstate text, p_message text) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into mill.event (at, code, detail)
  values (mill.now(), 'wake_failed', jsonb_build_object('queue', p_queue, 'sqlstate', p_sqlstate, 'message', p_message))
$$;

comment on function mill.record_wake_failure(text, text, text) is 'Records that a queue could not be woken.';
revoke execute on function mill.record_wake_failure(text, text, text) from public;
