-- A step that fails takes back only itself.
create or replace function mill.run_step(p_step text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  execute format('select %s()', p_step);
exception when others then
  insert into mill.event (at, code, detail) values (mill.now(), 'tick_failed',
    jsonb_build_object('step', p_step, 'sqlstate', sqlstate, 'message', sqlerrm));
end
$$;

comment on function mill.run_step(text) is 'Runs one step of the tick; a failure becomes an event tick_failed.';
revoke execute on function mill.run_step(text) from public;
