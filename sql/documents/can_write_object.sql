-- Objects are written by the parts that make them. All that a user's own token may store is a file whose upload was
-- begun and has not ended, at the place that was given for it: never an export, an artifact, a document that is there, or what the
-- worker has scanned.
create or replace function public.can_write_object(p_key text) returns boolean
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_document uuid;
begin
  if public.is_service_role() then
    return true;
  end if;
  select u.document_id into v_document from mill.document_upload u where u.place = p_key and not u.is_copy;
  return found and exists (
    select from public.shell_files f where f.id = v_document and public.has_profile_access(auth.uid(), f.patient_id));
end
$$;

comment on function public.can_write_object(text) is 'Whether the caller may store an object at this place.';
revoke execute on function public.can_write_object(text) from public, anon;
grant execute on function public.can_write_object(text) to authenticated, service_role;
