-- For ten minutes this person can read the PDF, through the same function as its owner. The audit row is written in the same transaction.
create or replace function public.console_reveal_export(p_id uuid, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.begin_console_action('admin', p_reason);
  v_export mill.export;
begin
  select e.* into v_export from mill.export e where e.id = p_id;
  if v_export.id is null then
    raise exception 'there is no export %', p_id using errcode = 'GM112', hint = 'It never existed, or it was so long ago that it is forgotten.';
  end if;
  perform mill.audit('export', p_id::text, 'reveal', p_new => jsonb_build_object('owner', v_export.owner), p_job_id => p_id);
  return jsonb_build_object('until', mill.grant_console(p_id), 'file', mill.export_json(v_export) -> 'file');
end
$$;

comment on function public.console_reveal_export(uuid, text) is
  'Lets the caller read the PDF of an export for ten minutes: {until, file}. For admins of the console; the audit log keeps who, when and why.';
revoke execute on function public.console_reveal_export(uuid, text) from public, anon;
grant execute on function public.console_reveal_export(uuid, text) to authenticated, service_role;
