-- Objects lie below the id of the profile or user they belong to, who may read them. A document's file ({profile}/{document}/{file}) is
-- read only at the place where the security stage has put what it scanned: neither before that, nor at the place of the upload.
-- The storage stand-in asks this for each request of a user; on Supabase the policies of storage.objects do. See
-- can_write_object and can_remove_object.
create or replace function public.can_access_object(p_key text) returns boolean
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_folder text := split_part(p_key, '/', 1);
begin
  if public.is_service_role() then
    return true;
  end if;
  if auth.uid() is null or v_folder !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return false;
  end if;
  if v_folder::uuid <> auth.uid() and not public.has_profile_access(auth.uid(), v_folder::uuid) then
    return false;
  end if;
  return p_key !~ '^[^/]+/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[^/]+$' or exists (
    select from public.shell_files f
    where f.id = split_part(p_key, '/', 2)::uuid and f.storage_path = p_key and f.scanned_at is not null
      and f.status in ('uploaded', 'processing', 'completed', 'failed'));
end
$$;

comment on function public.can_access_object(text) is 'Whether the caller may read an object, or list below a prefix that ends in "/".';
revoke execute on function public.can_access_object(text) from public, anon;
grant execute on function public.can_access_object(text) to authenticated, service_role;
