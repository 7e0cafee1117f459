-- Frees the storage of one export: as a user who deletes the row of export_history. Asking twice is harmless.
create or replace function public.delete_export_file(p_id uuid) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.refuse_in_maintenance();
  if not exists (select from mill.export e where e.id = p_id and e.owner = auth.uid()) then
    raise exception 'there is no such export, or it is not yours' using errcode = 'GM050';
  end if;
  delete from public.export_history h where h.id = p_id and h.user_id = auth.uid();
  return (select mill.export_json(e) from mill.export e where e.id = p_id);
end
$$;

comment on function public.delete_export_file(uuid) is 'Deletes the file of an export of the caller''s, which frees its storage at once; the export as it is then.';
revoke execute on function public.delete_export_file(uuid) from public, anon, service_role;
grant execute on function public.delete_export_file(uuid) to authenticated;
