create or replace function public.console_cancel_workflow(p_id uuid, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.begin_console_action('operator', p_reason);
  if not exists (select from mill.workflow j where j.id = p_id) then
    raise exception 'there is no workflow %', p_id using errcode = 'GM112', hint = 'It never existed, or its time of retention is over.';
  end if;
  return mill.stop_workflow(p_id) - 'running';
end
$$;

comment on function public.console_cancel_workflow(uuid, text) is 'Cancels a workflow: {id, status, cancelled}. Raises GM067 when it has ended. For operators of the console.';
revoke execute on function public.console_cancel_workflow(uuid, text) from public, anon;
grant execute on function public.console_cancel_workflow(uuid, text) to authenticated, service_role;
