-- What the function documents calls under its compatible name, for a reference to a stored file. The same upsert that a client makes, with the
-- caller's own rights: the triggers and policies of shell_files decide. Without a key the place is the key, so a repeat finds the document.
create or replace function public.register_stored_file(
  p_storage_path text, p_filename text default null, p_mime_type text default null, p_size bigint default null,
  p_idempotency_key text default null, p_profile_id uuid default null)
returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_id uuid;
begin
  insert into public.shell_files as f (patient_id, filename, original_filename, file_size_bytes, mime_type, storage_path, idempotency_key, status)
  values (coalesce(p_profile_id, public.default_profile()), left(p_filename, 300), left(p_filename, 300), p_size, p_mime_type, p_storage_path,
    coalesce(p_idempotency_key, p_storage_path), 'uploaded')
  on conflict (idempotency_key) do update set status = excluded.status
  returning f.id into v_id;
  return (select jsonb_build_object('id', f.id, 'status', f.status) from public.shell_files f where f.id = v_id);
end
$$;

comment on function public.register_stored_file(text, text, text, bigint, text, uuid) is
  'Makes a document of a file that the caller has stored in medical-docs: {id, status}. A repeat answers the same document.';
revoke execute on function public.register_stored_file(text, text, text, bigint, text, uuid) from public, anon, service_role;
grant execute on function public.register_stored_file(text, text, text, bigint, text, uuid) to authenticated;
