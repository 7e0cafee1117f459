-- Who may upsert shell_files, and what happens then. The trigger functions are in receive_upserted_file.sql. current_user is asked by the
-- triggers themselves, because within their functions it is the owner.
grant insert (patient_id, filename, original_filename, file_size_bytes, mime_type, storage_path, idempotency_key, status),
  update (patient_id, filename, original_filename, file_size_bytes, mime_type, storage_path, idempotency_key, status)
  on public.shell_files to authenticated, service_role;

drop policy if exists users_register_what_they_stored on public.shell_files;
create policy users_register_what_they_stored on public.shell_files for insert to authenticated
  with check (patient_id in (select public.accessible_profiles()));
drop policy if exists users_register_it_again on public.shell_files;
create policy users_register_it_again on public.shell_files for update to authenticated
  using (patient_id in (select public.accessible_profiles())) with check (patient_id in (select public.accessible_profiles()));

drop trigger if exists users_wait_in_maintenance on public.shell_files;
-- Not where our own functions write: an upload that was begun before maintenance is brought to its end.
create trigger users_wait_in_maintenance before insert or update on public.shell_files
  for each statement when (current_user in ('anon', 'authenticated', 'service_role')) execute function mill.refuse_users_in_maintenance();
drop trigger if exists a_clients_row_becomes_a_document on public.shell_files;
create trigger a_clients_row_becomes_a_document before insert on public.shell_files
  for each row when (current_user in ('anon', 'authenticated', 'service_role')) execute function mill.receive_upserted_file();
drop trigger if exists a_clients_row_is_started on public.shell_files;
create trigger a_clients_row_is_started after insert on public.shell_files
  for each row when (current_user in ('anon', 'authenticated', 'service_role')) execute function mill.start_upserted_file();
drop trigger if exists a_clients_repeat_changes_nothing on public.shell_files;
create trigger a_clients_repeat_changes_nothing before update on public.shell_files
  for each row when (current_user in ('anon', 'authenticated', 'service_role')) execute function mill.keep_upserted_file();

-- Called before this part is removed.
create or replace function mill.remove_compat_documents() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  revoke insert, update on public.shell_files from authenticated, service_role;
end
$$;
comment on function mill.remove_compat_documents() is 'Takes back what this part has granted. For mill.forget_part alone.';
revoke execute on function mill.remove_compat_documents() from public;
