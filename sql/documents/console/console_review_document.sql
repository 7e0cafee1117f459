-- An operator has looked at a document and says what came of it. The reason is the note of the review and stands in the audit log.
create or replace function public.console_review_document(p_id uuid, p_decision text, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.begin_console_action('operator', p_reason);
  v_file public.shell_files;
begin
  select f.* into v_file from public.shell_files f where f.id = p_id for update;
  if v_file.id is null then
    raise exception 'there is no document %', p_id using errcode = 'GM112', hint = 'It never existed, or it was erased.';
  end if;
  return mill.end_review(v_file, p_decision, p_reason, null);
end
$$;

comment on function public.console_review_document(uuid, text, text) is
  'Ends the review of a document as confirmed or unusable: {decision, note, by, at}. For operators of the console.';
revoke execute on function public.console_review_document(uuid, text, text) from public, anon;
grant execute on function public.console_review_document(uuid, text, text) to authenticated, service_role;
