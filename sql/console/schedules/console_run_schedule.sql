-- A schedule of users enqueues one more job; Gristmill's own work is done at once, in this transaction.
create or replace function public.console_run_schedule(p_name text, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ran boolean;
begin
  perform mill.begin_console_action('operator', p_reason);
  if exists (select from mill.job_schedule s where s.schedule = p_name) then
    return jsonb_build_object('name', p_name, 'ran', true, 'job', public.run_schedule_now(p_name) -> 'id');
  end if;
  v_ran := mill.run_schedule(p_name);
  perform mill.audit('schedule', p_name, 'run', p_new => jsonb_build_object('succeeded', v_ran));
  return jsonb_build_object('name', p_name, 'ran', v_ran, 'job', null);
end
$$;

comment on function public.console_run_schedule(text, text) is 'Runs a schedule now: {name, ran, job}. For operators of the console.';
revoke execute on function public.console_run_schedule(text, text) from public, anon;
grant execute on function public.console_run_schedule(text, text) to authenticated, service_role;
