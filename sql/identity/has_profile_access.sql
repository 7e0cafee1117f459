-- Decides everywhere who reaches what a profile owns. A signed-in caller may only ask for itself: about anybody
-- else the answer is no, as it is for a profile that does not exist, so that nothing can be probed.
create or replace function public.has_profile_access(p_user_id uuid, p_profile_id uuid) returns boolean
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select (coalesce(auth.jwt() ->> 'role', '') not in ('anon', 'authenticated') or p_user_id is not distinct from auth.uid())
    and (
      exists (select from public.user_profiles p where p.id = p_profile_id and p.user_id = p_user_id)
      or exists (
        select from public.profile_access_grants g
        where g.profile_id = p_profile_id and g.grantee_user_id = p_user_id
          and g.accepted_at is not null and (g.expires_at is null or g.expires_at > mill.now())))
$$;

comment on function public.has_profile_access(uuid, uuid) is
  'Whether a user owns a profile or was let in. For a signed-in caller only about itself.';
revoke execute on function public.has_profile_access(uuid, uuid) from public, anon;
grant execute on function public.has_profile_access(uuid, uuid) to authenticated, service_role;
