create or replace function public.console_delete_schedule(p_name text, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.begin_console_action('operator', p_reason);
  if not exists (select from mill.job_schedule s where s.schedule = p_name) then
    raise exception 'there is no schedule "%" of users', left(p_name, 64) using errcode = 'GM112', hint = 'console_schedules lists them. Gristmill''s own are never deleted.';
  end if;
  perform public.remove_schedules(array[p_name]);
  return jsonb_build_object('name', p_name, 'deleted', true);
end
$$;

comment on function public.console_delete_schedule(text, text) is 'Deletes a schedule of users; its jobs stay: {name, deleted}. For operators of the console.';
revoke execute on function public.console_delete_schedule(text, text) from public, anon;
grant execute on function public.console_delete_schedule(text, text) to authenticated, service_role;
