-- Whoever finishes first decides what the document is. A later one with the same digest gets the same answer; with
-- another the answer says is_other. Either way the caller removes the object that it stored; what it does not get round to, the
-- sweep finds: no row names it. The same for over: the plan does not admit the file, and its row is gone.
--
-- Any user can make this call, so p_size and p_sha256 are what the caller says, not what is so. The size is taken from the store where
-- Postgres can see it. Otherwise both hold until the security stage has read the file: that measures, corrects the row and the
-- usage, and refuses what the plan does not admit. See mill.measure_upload.
create or replace function public.finish_document_upload(p_id uuid, p_place text, p_size bigint, p_sha256 text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_file public.shell_files := mill.require_document(p_id);
  v_size bigint := coalesce(mill.stored_size(p_place), p_size);
  v_over text[];
begin
  if v_size is null or v_size not between 1 and mill.max_document_bytes() then
    raise exception 'a file has 1 to % bytes', mill.max_document_bytes() using errcode = 'GM049';
  end if;
  if p_sha256 !~ '^[0-9a-f]{64}$' then
    raise exception 'p_sha256 is the SHA-256 of the file, as 64 hexadecimal digits' using errcode = 'GM049';
  end if;
  delete from mill.document_upload u where u.place = p_place and u.document_id = p_id and not u.is_copy;
  if not found then
    -- The client repeats a call whose answer it never received, or the sweep finished the upload first.
    if v_file.upload_path is distinct from p_place then
      raise exception 'there is no such upload' using errcode = 'GM046';
    end if;
    update public.shell_files f set sha256 = p_sha256 where f.id = p_id and f.sha256 is null;
    return jsonb_build_object('id', p_id, 'status', v_file.status, 'is_new', true);
  end if;
  if v_file.status = 'uploading' then
    v_over := mill.count_upload(v_file.patient_id, p_id, v_size, true);
    if v_over <> '{}' then
      delete from public.shell_files f where f.id = p_id and not exists (select from mill.document_upload u where u.document_id = p_id);
      return jsonb_build_object('id', p_id, 'status', v_file.status, 'is_new', false, 'over', v_over);
    end if;
    perform mill.register_upload(v_file, p_place, v_size, p_sha256);
    return jsonb_build_object('id', p_id, 'status', 'uploaded', 'is_new', true);
  end if;
  -- The digest of one that the sweep registered is found by its first stage; until then its size has to do.
  return jsonb_build_object('id', p_id, 'status', v_file.status, 'is_new', false,
    'is_other', coalesce(v_file.sha256 <> p_sha256, v_file.file_size_bytes is distinct from v_size));
end
$$;

comment on function public.finish_document_upload(uuid, text, bigint, text) is
  'Ends an upload: {id, status, is_new, is_other, over}. Unless is_new, the caller removes what it stored; is_other: the key belongs to another file; over: the meters of the plan that forbid it.';
revoke execute on function public.finish_document_upload(uuid, text, bigint, text) from public, anon;
grant execute on function public.finish_document_upload(uuid, text, bigint, text) to authenticated, service_role;
