-- Predictive: what was used, what is under way and the batch about to be served, against 95% of the quota. Waiting until
-- the use itself is over would serve one batch too many.
create or replace function mill.is_quota_exceeded(p_quota_gb numeric default null, p_rolling_days int default null, p_safety_buffer numeric default null)
returns boolean
language sql
set search_path = pg_catalog, pg_temp
as $$
  select mill.quota_used(coalesce(p_rolling_days, mill.setting('refresh.quota_days', '30')::int))
    + mill.quota_in_flight() + mill.quota_next_batch() > mill.quota_limit(p_quota_gb, p_safety_buffer)
$$;

comment on function mill.is_quota_exceeded(numeric, int, numeric) is 'Whether the next batch would pass the data quota; the settings count where an argument is null.';
revoke execute on function mill.is_quota_exceeded(numeric, int, numeric) from public;

-- The compatible defaults stand for the settings, which have the same values until an operator changes them. Otherwise a program that
-- gives no arguments would stop at 20 GB on an installation that may use 50.
create or replace function public.is_quota_exceeded(
  p_quota_gb numeric default 20, p_rolling_days int default 30, p_safety_buffer numeric default 0.95)
returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.require_primary();
  return mill.is_quota_exceeded(nullif(p_quota_gb, 20), nullif(p_rolling_days, 30), nullif(p_safety_buffer, 0.95));
end
$$;

comment on function public.is_quota_exceeded(numeric, int, numeric) is
  'Whether the next batch would pass the data quota. Null and the compatible defaults (20 GB of 2^30 bytes, 30 days, 0.95) stand for the settings.';
revoke execute on function public.is_quota_exceeded(numeric, int, numeric) from public, anon, authenticated;
grant execute on function public.is_quota_exceeded(numeric, int, numeric) to service_role;
