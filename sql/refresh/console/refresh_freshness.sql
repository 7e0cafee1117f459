-- How fresh a data type is among the symbols that are watched: {watched, stale, more, error}. At most 500 symbols are looked at. A type whose staleness
-- function or table is broken says so, and hides no other.
create or replace function mill.refresh_freshness(p_type public.data_type_registry, p_symbols text[]) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_watched text[] := array(
    select distinct s.symbol from unnest(p_symbols) s(symbol)
    where exists (select from public.active_subscriptions_v2 a where a.symbol = s.symbol and a.data_type = p_type.data_type));
begin
  return jsonb_build_object('watched', cardinality(v_watched), 'stale', cardinality(mill.stale_symbols(p_type, v_watched)), 'error', null);
exception when others then
  return jsonb_build_object('watched', cardinality(v_watched), 'stale', null, 'error', left(sqlerrm, 300));
end
$$;

comment on function mill.refresh_freshness(public.data_type_registry, text[]) is 'How many of some symbols are watched for a data type, and how many of those are stale.';
revoke execute on function mill.refresh_freshness(public.data_type_registry, text[]) from public;

-- The quota, and when it is reached if the days to come are like the seven before: {limit, used, in_flight, next_batch, days, reached_at, per_day}.
create or replace function mill.refresh_quota() returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('days', q.days, 'allowed', q.allowed, 'used', q.used, 'in_flight', mill.quota_in_flight(), 'next_batch', mill.quota_next_batch(), 'per_day', q.per_day,
    -- What is older than the window falls out of it, so a steady use never comes to more than a window of it.
    'forecast', round(q.per_day * q.days),
    'reached_at', case when q.used >= q.allowed then mill.now() when q.per_day * q.days > q.allowed and q.per_day > 0
      then mill.now() + make_interval(hours => least(24 * 365, ceil(24 * (q.allowed - q.used) / q.per_day))::int) end)
  from (
    select d.days, round(mill.quota_limit(null, null)) as allowed, mill.quota_used(d.days)::numeric as used, round(mill.quota_used(7) / 7.0) as per_day
    from (select mill.setting('refresh.quota_days', '30')::int as days) d) q
$$;

comment on function mill.refresh_quota() is 'The data quota with a forecast by the last seven days, in bytes.';
revoke execute on function mill.refresh_quota() from public;
