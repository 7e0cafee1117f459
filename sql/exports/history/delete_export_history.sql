-- The row is gone at once, and the file is closed and counts no more. Its object goes with the next cleanup.
create or replace function mill.delete_export_history() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_path text;
begin
  perform mill.refuse_in_maintenance();
  perform mill.lock_exports(old.user_id);
  delete from mill.export_history h where h.id = old.id and h.user_id = old.user_id returning h.file_path into v_path;
  if v_path is null then
    return null; -- cleanup, or the same user elsewhere, was faster
  end if;
  update mill.export_file f set state = 'deleted' where f.path = v_path and f.state <> 'removing';
  return old;
end
$$;

comment on function mill.delete_export_history() is 'Deletes an exported file where its row of export_history is deleted.';
revoke execute on function mill.delete_export_history() from public;

drop trigger if exists history_goes_with_its_file on public.export_history;
create trigger history_goes_with_its_file instead of delete on public.export_history
  for each row execute function mill.delete_export_history();
