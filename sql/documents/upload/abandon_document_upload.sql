-- The upload came to nothing: the ticket goes, and the row with it unless another upload of the same key is under way. The sweep may
-- have found the object and registered it meanwhile. The answer then is false, and the object stays: a document has it.
create or replace function public.abandon_document_upload(p_id uuid, p_place text) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_file public.shell_files := mill.require_document(p_id);
begin
  delete from mill.document_upload u where u.place = p_place and u.document_id = p_id and not u.is_copy;
  delete from public.shell_files f
  where f.id = p_id and f.status = 'uploading' and not exists (select from mill.document_upload u where u.document_id = p_id);
  return not exists (select from mill.document_upload u where u.place = p_place)
    and not exists (select from public.shell_files f where f.id = p_id and p_place in (f.storage_path, f.upload_path));
end
$$;

comment on function public.abandon_document_upload(uuid, text) is 'Takes back an upload; true when nothing names its place any more, so that the caller may remove what is stored there.';
revoke execute on function public.abandon_document_upload(uuid, text) from public, anon;
grant execute on function public.abandon_document_upload(uuid, text) to authenticated, service_role;
