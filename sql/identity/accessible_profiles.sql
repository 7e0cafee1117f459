-- For policies over many rows: "patient_id in (select public.accessible_profiles())" is evaluated once a statement,
-- has_profile_access once a row.
create or replace function public.accessible_profiles() returns setof uuid
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select p.id from public.user_profiles p where p.user_id = auth.uid()
  union
  select g.profile_id from public.profile_access_grants g
  where g.grantee_user_id = auth.uid() and g.accepted_at is not null and (g.expires_at is null or g.expires_at > mill.now())
$$;

comment on function public.accessible_profiles() is 'The profiles that the caller owns or was let into.';
revoke execute on function public.accessible_profiles() from public, anon;
grant execute on function public.accessible_profiles() to authenticated, service_role;
