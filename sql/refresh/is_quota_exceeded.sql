-- Predictive: what was used, what is under way and the batch about to be served, against 95% of the quota. Waiting until
-- the use itself is over would serve one batch too many.
create or replace function public.is_quota_exceeded(
  p_quota_gb numeric default null, p_rolling_days int default null, p_safety_buffer numeric default null)
returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_days int := coalesce(p_rolling_days, mill.setting('refresh.quota_days', '30')::int);
begin
  perform mill.require_primary();
  return mill.quota_used(v_days) + mill.quota_in_flight() + mill.quota_next_batch() > mill.quota_limit(p_quota_gb, p_safety_buffer);
end
$$;

comment on function public.is_quota_exceeded(numeric, int, numeric) is
  'Whether the next batch would pass the data quota: GB, rolling days and buffer (0.95) from the arguments, or from the settings.';
revoke execute on function public.is_quota_exceeded(numeric, int, numeric) from public, anon, authenticated;
grant execute on function public.is_quota_exceeded(numeric, int, numeric) to service_role;
