-- First phase: the row, and a place to store the object at. The same key of the same profile gives the same document;
-- whether it is the same file is judged at the end, when its digest is known.
create or replace function public.begin_document_upload(
  p_mime_type text, p_filename text default null, p_idempotency_key text default null, p_profile_id uuid default null)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_profile uuid := coalesce(p_profile_id, public.default_profile());
  v_id uuid := mill.uuid7();
  v_extension text := mill.file_extension(p_mime_type);
  v_file public.shell_files;
  v_place text;
  v_over text[];
begin
  perform mill.refuse_in_maintenance();
  if v_extension is null then
    raise exception 'this type of file is not supported' using errcode = 'GM047';
  end if;
  if not public.has_profile_access(auth.uid(), v_profile) then
    raise exception 'there is no such profile' using errcode = 'GM046';
  end if;
  perform mill.refuse_excess(auth.uid(), 'uploads');
  insert into public.shell_files (
    id, patient_id, uploaded_by, filename, original_filename, mime_type, idempotency_key, created_at, updated_at)
  values (v_id, v_profile, auth.uid(), v_id || '.' || v_extension, mill.clean_file_name(p_filename), p_mime_type, p_idempotency_key, v_now, v_now)
  on conflict (idempotency_key) do nothing;
  if not found then
    select f.* into v_file from public.shell_files f where f.idempotency_key = mill.document_key(v_profile, p_idempotency_key);
    v_id := v_file.id;
  else
    v_over := mill.upload_over_plan(v_profile);
    if v_over <> '{}' then
      delete from public.shell_files f where f.id = v_id;
      perform mill.note_limits(v_profile, v_over, v_now);
      return jsonb_build_object('over', v_over);
    end if;
  end if;
  v_place := format('%s/%s/%s.%s', v_profile, v_id, mill.uuid7(), v_extension);
  insert into mill.document_upload (place, document_id, begun_at) values (v_place, v_id, v_now);
  return jsonb_build_object('id', v_id, 'place', v_place, 'is_stored', coalesce(v_file.status, 'uploading') <> 'uploading', 'sha256', v_file.sha256);
end
$$;

comment on function public.begin_document_upload(text, text, text, uuid) is
  'Registers an upload: {id, place, is_stored, sha256}, where is_stored says that an earlier upload with this key has ended; or {over}, the meters of the plan that forbid it.';
revoke execute on function public.begin_document_upload(text, text, text, uuid) from public, anon, service_role;
grant execute on function public.begin_document_upload(text, text, text, uuid) to authenticated;
