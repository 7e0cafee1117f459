create or replace function public.console_pause_schedule(p_name text, p_paused boolean, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.begin_console_action('operator', p_reason);
  if exists (select from mill.schedule s where s.name = p_name) and not exists (select from mill.job_schedule s where s.schedule = p_name) then
    raise exception 'the schedule % is Gristmill''s own and is never paused', left(p_name, 64) using errcode = 'GM112', hint = 'Pause the queue that it works for.';
  end if;
  return jsonb_build_object('name', p_name, 'paused', mill.pause_job_schedule(p_name, coalesce(p_paused, true)));
end
$$;

comment on function public.console_pause_schedule(text, boolean, text) is 'Pauses or resumes a schedule of users: {name, paused}. For operators of the console.';
revoke execute on function public.console_pause_schedule(text, boolean, text) from public, anon;
grant execute on function public.console_pause_schedule(text, boolean, text) to authenticated, service_role;
