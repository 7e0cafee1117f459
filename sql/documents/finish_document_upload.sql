-- Whoever finishes first decides what the document is. A later one with the same digest gets the same answer; with
-- another the answer says is_other. Either way the caller removes the object that it stored; what it does not get round to, the
-- sweep finds: no row names it.
create or replace function public.finish_document_upload(p_id uuid, p_place text, p_size bigint, p_sha256 text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_file public.shell_files := mill.require_document(p_id);
begin
  delete from mill.document_upload u where u.place = p_place and u.document_id = p_id;
  if not found then
    raise exception 'there is no such upload' using errcode = 'GM046';
  end if;
  if v_file.status = 'uploading' then
    perform mill.register_upload(v_file, p_place, p_size, p_sha256);
    return jsonb_build_object('id', p_id, 'status', 'uploaded', 'is_new', true);
  end if;
  if v_file.sha256 is distinct from p_sha256 then
    return jsonb_build_object('id', p_id, 'status', v_file.status, 'is_new', false, 'is_other', true);
  end if;
  return jsonb_build_object('id', p_id, 'status', v_file.status, 'is_new', false);
end
$$;

comment on function public.finish_document_upload(uuid, text, bigint, text) is
  'Ends an upload: {id, status, is_new, is_other}. Unless is_new, the caller removes what it stored; is_other: the key belongs to another file.';
revoke execute on function public.finish_document_upload(uuid, text, bigint, text) from public, anon;
grant execute on function public.finish_document_upload(uuid, text, bigint, text) to authenticated, service_role;
