-- One bounded piece of one step. A failure is an answer: {"error": SQLSTATE}, recorded, with everything else of the
-- step taken back.
create or replace function public.run_cleanup_step(p_step text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_step mill.cleanup_step;
  v_report jsonb;
  v_error text;
begin
  select s.* into v_step from mill.cleanup_step s where s.step = p_step and s.enabled;
  if not found then
    raise exception 'there is no cleanup step "%"', left(p_step, 64) using errcode = 'GM031';
  end if;
  begin
    execute format('select %s($1)', v_step.run) into v_report using v_step.max_items;
  exception
    when query_canceled then
      raise;
    when others then
      v_error := format('%s %s', sqlstate, sqlerrm);
      v_report := jsonb_build_object('error', sqlstate);
      insert into mill.event (at, code, detail) values (mill.now(), 'cleanup_failed',
        jsonb_build_object('step', p_step, 'sqlstate', sqlstate, 'message', sqlerrm));
  end;
  update mill.cleanup_step s set last_run_at = mill.now(), last_error = v_error, last_report = v_report - 'remove'
  where s.step = p_step;
  perform mill.record_heartbeat('cleanup');
  return coalesce(v_report, '{}');
end
$$;

comment on function public.run_cleanup_step(text) is
  'Runs a piece of a cleanup step; answers its report, with more when there is more and remove where objects must go first.';
revoke execute on function public.run_cleanup_step(text) from public, anon, authenticated;
grant execute on function public.run_cleanup_step(text) to service_role;
