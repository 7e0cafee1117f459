-- One run of a schedule, in one transaction. A step that fails takes back only itself, leaves an event and no
-- heartbeat, so that health sees a schedule that runs but never succeeds.
create or replace function mill.run_schedule(p_name text) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_step text := (select s.step from mill.schedule s where s.name = p_name);
begin
  if v_step is null then
    raise exception 'there is no schedule "%"', left(p_name, 64) using errcode = 'GM030';
  end if;
  execute format('select %s()', v_step);
  perform mill.record_heartbeat(p_name);
  return true;
exception
  when query_canceled or sqlstate 'GM030' then
    raise;
  when others then
    insert into mill.event (at, code, detail) values (mill.now(), 'schedule_failed',
      jsonb_build_object('schedule', p_name, 'sqlstate', sqlstate, 'message', sqlerrm));
    return false;
end
$$;

comment on function mill.run_schedule(text) is 'Runs a schedule''s step and records it; false when it failed.';
revoke execute on function mill.run_schedule(text) from public;
