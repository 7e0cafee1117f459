-- What a user's own token may remove: what it uploaded and no document is made of, or one that is being erased. Exports
-- and artifacts, which have other places ({user}/exports/…, {user}/{job}/{type}/…), go with their rows.
create or replace function public.can_remove_object(p_key text) returns boolean
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if public.is_service_role() then
    return true;
  end if;
  -- The folder is the caller's, and the place is one of documents.
  if not public.can_access_object(split_part(p_key, '/', 1) || '/') or p_key !~ '^[^/]+/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[^/]+$' then
    return false;
  end if;
  return not exists (
    select from public.shell_files f
    where f.id = split_part(p_key, '/', 2)::uuid and f.status <> 'erasing'
      and (f.storage_path = p_key or exists (select from mill.document_upload u where u.place = p_key and u.is_copy)));
end
$$;

comment on function public.can_remove_object(text) is 'Whether the caller may remove this object.';
revoke execute on function public.can_remove_object(text) from public, anon;
grant execute on function public.can_remove_object(text) to authenticated, service_role;
