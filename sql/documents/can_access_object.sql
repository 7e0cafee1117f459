-- Objects lie below the id of the profile or user they belong to, who may read them. The storage stand-in asks this for
-- each request of a user; on Supabase the policies of storage.objects do. See can_write_object, can_remove_object.
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
  return v_folder::uuid = auth.uid() or public.has_profile_access(auth.uid(), v_folder::uuid);
end
$$;

comment on function public.can_access_object(text) is 'Whether the caller may read an object, or list below a prefix.';
revoke execute on function public.can_access_object(text) from public, anon;
grant execute on function public.can_access_object(text) to authenticated, service_role;
