-- For ten minutes the texts are shown to this person, and the file can be read. The audit row is written in the same transaction.
create or replace function public.console_reveal_document(p_id uuid, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.begin_console_action('admin', p_reason);
  v_profile uuid := (select f.patient_id from public.shell_files f where f.id = p_id);
begin
  if v_profile is null then
    raise exception 'there is no document %', p_id using errcode = 'GM112', hint = 'It never existed, or it was erased.';
  end if;
  perform mill.audit('shell_files', p_id::text, 'reveal', p_patient_id => v_profile);
  return jsonb_build_object('until', mill.grant_console(p_id));
end
$$;

comment on function public.console_reveal_document(uuid, text) is
  'Shows the caller the texts and the file of a document for ten minutes: {until}. For admins of the console; the audit log keeps who, when and why.';
revoke execute on function public.console_reveal_document(uuid, text) from public, anon;
grant execute on function public.console_reveal_document(uuid, text) to authenticated, service_role;
