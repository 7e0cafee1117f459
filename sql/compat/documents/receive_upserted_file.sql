-- Compat clients register a stored file by an upsert of shell_files. These triggers make a document of the row that such a client sends, and start it.
--
-- They fire only for statements of the API's roles: what our own functions write is written by their owner. What the client says of size and
-- type is a claim until the security stage has read the object (mill.measure_upload). A repeat changes nothing: it answers the row as it is.

-- First the row as the client sent it. Everything that a client may not say is set here, whatever it said.
create or replace function mill.receive_upserted_file() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_path text := regexp_replace(new.storage_path, '^medical-docs/', ''); -- fullPath of supabase-js has the bucket
begin
  perform mill.refuse_in_maintenance();
  if not (public.is_service_role() or public.has_profile_access(auth.uid(), new.patient_id)) then
    raise exception 'this profile does not exist, or is not yours' using errcode = '42501';
  end if;
  if coalesce(new.status, 'uploaded') <> 'uploaded' then
    raise exception 'a file is registered with the status uploaded' using errcode = '42501';
  end if;
  if v_path is null or not mill.is_upload_place(v_path)
    or not (public.is_service_role() or split_part(v_path, '/', 1) = auth.uid()::text)
  then
    raise exception 'storage_path is a file below the caller''s own id in the bucket medical-docs' using errcode = '42501';
  end if;
  perform mill.refuse_excess(auth.uid(), 'uploads');
  if new.file_size_bytes not between 1 and mill.max_document_bytes() then
    raise exception 'a file has 1 to % bytes', mill.max_document_bytes() using errcode = 'GM049';
  end if;
  new := jsonb_populate_record(null::public.shell_files, jsonb_build_object(
    'id', mill.uuid7(), 'patient_id', new.patient_id, 'uploaded_by', split_part(v_path, '/', 1), 'bucket', 'medical-docs',
    'filename', coalesce(mill.clean_file_name(new.filename), mill.clean_file_name(new.original_filename), regexp_replace(v_path, '^.*/', '')),
    'original_filename', coalesce(mill.clean_file_name(new.original_filename), mill.clean_file_name(new.filename)), 'mime_type', coalesce(new.mime_type, 'application/octet-stream'),
    'file_size_bytes', coalesce(mill.size_of_object('medical-docs:' || v_path), new.file_size_bytes, 0), 'storage_path', v_path, 'upload_path', v_path,
    'idempotency_key', new.idempotency_key, 'status', 'uploaded', 'stage_jobs', '{}'::jsonb, 'run', 1, 'version', 1, 'processing_error', '{}'::jsonb,
    'created_at', v_now, 'updated_at', v_now, 'uploaded_at', v_now));
  return new;
end
$$;
comment on function mill.receive_upserted_file() is 'Makes a document of a row that a client inserts into shell_files.';
revoke execute on function mill.receive_upserted_file() from public;

-- Then, only where the row is new: usage, the first stage and the audit log, as for every upload. The object of a file that the plan does not
-- cover is swept like each that no row names.
create or replace function mill.start_upserted_file() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_over text[] := mill.count_upload(new.patient_id, new.id, new.file_size_bytes, true);
begin
  if v_over <> '{}' then
    raise exception 'the plan does not cover the file, which is past these limits: %', array_to_string(v_over, ', ') using errcode = 'GM023';
  end if;
  perform mill.register_upload(new, new.storage_path, new.file_size_bytes, null);
  return null;
end
$$;
comment on function mill.start_upserted_file() is 'Starts a document that a client has inserted into shell_files.';
revoke execute on function mill.start_upserted_file() from public;

-- A repeat is an update of the row that is there. Nothing of it is taken: a status is never moved back, and no client moves it on. An update
-- without an insert is the same to Postgres, and changes as little.
create or replace function mill.keep_upserted_file() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return old;
end
$$;
comment on function mill.keep_upserted_file() is 'Keeps a row of shell_files as it is, whatever a client sends.';
revoke execute on function mill.keep_upserted_file() from public;
