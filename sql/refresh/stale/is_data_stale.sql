-- No default for the time to live, here and everywhere: a forgotten argument must not decide how fresh data is.
-- Missing is stale, whichever of the two is missing. A time to live of zero would make every look a call to the provider.
create or replace function public.is_data_stale(p_fetched_at timestamptz, p_ttl_minutes int) returns boolean
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_ttl_minutes <= 0 then
    raise exception 'a time to live of % minutes is not positive', p_ttl_minutes using errcode = '22023';
  end if;
  return coalesce(p_fetched_at <= mill.now() - make_interval(mins => p_ttl_minutes), true);
end
$$;

comment on function public.is_data_stale(timestamptz, int) is 'Whether data fetched then is older than its time to live; missing data is stale. A time to live of zero or less raises.';
revoke execute on function public.is_data_stale(timestamptz, int) from public, anon;
grant execute on function public.is_data_stale(timestamptz, int) to authenticated, service_role;
