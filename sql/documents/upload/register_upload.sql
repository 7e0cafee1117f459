-- Second phase, for the user's own call and for the sweep: the file is there, its first stage begins.
create or replace function mill.register_upload(p_file public.shell_files, p_place text, p_size bigint, p_sha256 text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  update public.shell_files f set
    status = 'uploaded', storage_path = p_place, upload_path = p_place, file_size_bytes = p_size, sha256 = p_sha256,
    uploaded_at = mill.now(), updated_at = mill.now(), version = f.version + 1
  where f.id = p_file.id;
  perform mill.start_stage(p_file.id, 'security');
  -- What the uploader said. The security stage audits what it measured.
  perform mill.audit('shell_files', p_file.id::text, 'INSERT', null,
    jsonb_build_object('claimed_size_bytes', p_size, 'claimed_mime_type', p_file.mime_type, 'claimed_sha256', p_sha256),
    'uploaded', 'documents', p_file.patient_id);
end
$$;

comment on function mill.register_upload(public.shell_files, text, bigint, text) is
  'Marks a document uploaded and enqueues its first stage, in the caller''s transaction.';
revoke execute on function mill.register_upload(public.shell_files, text, bigint, text) from public;
