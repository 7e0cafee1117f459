-- The compat worker stores its file in the bucket exports and describes it here, before or after it completes the job. Completing alone
-- makes the row already, so after that the description changes what it says. A file that is not stored, or that belongs to no export, has no row.
create or replace function mill.insert_export_history() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_path text := mill.export_object(new.file_path);
  v_file mill.export_file;
  v_export mill.export;
begin
  perform mill.refuse_in_maintenance();
  if new.user_id is null or new.file_path is null then
    raise exception 'a row of export_history needs user_id and file_path' using errcode = 'GM004';
  elsif coalesce(new.format, 'pdf') <> 'pdf' then
    raise exception 'format must be pdf' using errcode = 'GM004';
  end if;
  perform mill.lock_exports(new.user_id);
  v_file := mill.register_export_object(new.user_id, new.document_id, v_path);
  select e.* into v_export from mill.export e where e.id = v_file.export_id;

  insert into mill.export_history as h (
    id, user_id, document_id, version, template, file_name, file_path, file_size, page_count, expires_at, created_at)
  values (v_export.id, v_export.owner, v_export.document_id, coalesce(new.document_version, v_export.version),
    coalesce(new.template_slug, v_export.template), coalesce(new.file_name, mill.export_file_name(v_export.title)), v_path, v_file.size,
    coalesce(new.page_count, v_export.result_pages, 1), coalesce(v_file.expires_at, mill.export_expiry()), mill.now())
  on conflict (id) do update set version = coalesce(new.document_version, h.version), template = coalesce(new.template_slug, h.template),
    file_name = coalesce(new.file_name, h.file_name), file_path = excluded.file_path, file_size = excluded.file_size;
  select h.* into new from public.export_history h where h.id = v_export.id;
  return new;
end
$$;

comment on function mill.insert_export_history() is 'Describes the file of an export where the service inserts a row into export_history.';
revoke execute on function mill.insert_export_history() from public;

drop trigger if exists history_is_beside_a_file on public.export_history;
create trigger history_is_beside_a_file instead of insert on public.export_history
  for each row execute function mill.insert_export_history();
