-- Somebody who lets a stranger in would otherwise fill the stranger's lists, and make the stranger responsible for what lies there.
create or replace function public.accept_profile_access(p_grant_id uuid) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.refuse_in_maintenance();
  update public.profile_access_grants g set accepted_at = coalesce(g.accepted_at, mill.now())
  where g.id = p_grant_id and g.grantee_user_id = auth.uid() and (g.expires_at is null or g.expires_at > mill.now());
  return found;
end
$$;

comment on function public.accept_profile_access(uuid) is 'Accepts a grant of access that the caller was given; false for an unknown one and another''s alike. Refusing it is a DELETE.';
revoke execute on function public.accept_profile_access(uuid) from public, anon, service_role;
grant execute on function public.accept_profile_access(uuid) to authenticated;
