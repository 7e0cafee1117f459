create or replace function public.is_profile_stale(p_modified_at timestamptz, p_ttl_minutes int) returns boolean
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$ select public.is_data_stale(p_modified_at, p_ttl_minutes) $$;

comment on function public.is_profile_stale(timestamptz, int) is 'is_data_stale under its compatible name for company profiles.';
revoke execute on function public.is_profile_stale(timestamptz, int) from public, anon;
grant execute on function public.is_profile_stale(timestamptz, int) to authenticated, service_role;
