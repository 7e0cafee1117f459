-- The security stage has read the file. What it measured takes the place of what the uploader said: in the row, in the usage and in
-- the audit log. p_measured: {size, sha256, mime_type}, and place where the scanned bytes were stored; without it they lie where the row says.
create or replace function mill.measure_upload(p_file public.shell_files, p_job_id uuid, p_measured jsonb) returns text[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_size bigint := (p_measured ->> 'size')::bigint;
begin
  update public.shell_files f set
    file_size_bytes = v_size, sha256 = coalesce(p_measured ->> 'sha256', f.sha256), mime_type = coalesce(p_measured ->> 'mime_type', f.mime_type)
  where f.id = p_file.id;
  perform mill.audit('shell_files', p_file.id::text, 'UPDATE',
    jsonb_build_object('file_size_bytes', p_file.file_size_bytes, 'mime_type', p_file.mime_type, 'sha256', p_file.sha256),
    jsonb_build_object('file_size_bytes', v_size, 'mime_type', p_measured ->> 'mime_type', 'sha256', p_measured ->> 'sha256'),
    'measured by the security stage', 'documents', p_file.patient_id, p_job_id);
  return mill.correct_upload(p_file.patient_id, p_file.id, v_size);
end
$$;

comment on function mill.measure_upload(public.shell_files, uuid, jsonb) is
  'Puts the measured size, digest and type of a file in the place of the claimed ones; answers the meters of the plan that forbid it.';
revoke execute on function mill.measure_upload(public.shell_files, uuid, jsonb) from public;

-- What was scanned is stored at a place of its own, and from now on the document is made of that.
create or replace function mill.keep_scanned(p_file public.shell_files, p_place text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_place is not null then
    delete from mill.document_upload u where u.place = p_place and u.document_id = p_file.id and u.is_copy;
    if not found then
      raise exception 'this storage path was not issued for document %', p_file.id using errcode = 'GM046';
    end if;
  end if;
  update public.shell_files f set storage_path = coalesce(mill.key_within(f.bucket, p_place), f.storage_path), scanned_at = mill.now()
  where f.id = p_file.id and (p_place is not null or f.scanned_at is not null);
end
$$;

comment on function mill.keep_scanned(public.shell_files, text) is 'Notes that a document''s file was scanned, and where the scanned bytes lie.';
revoke execute on function mill.keep_scanned(public.shell_files, text) from public;
