-- Counts watchers in one batch. Nothing that users or the processor wait for touches this table.
create or replace function public.refresh_analytics_from_presence_v2() returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_counted int;
begin
  if not mill.entry_lock('refresh-analytics-from-presence-v2') then
    return jsonb_build_object('skipped', true);
  end if;
  insert into public.subscription_analytics as s (symbol, data_type, watchers, counted_at)
  select a.symbol, a.data_type, count(*), v_now from public.active_subscriptions_v2 a
  where a.last_seen_at > v_now - interval '5 minutes'
  group by a.symbol, a.data_type
  on conflict (symbol, data_type) do update set watchers = excluded.watchers, counted_at = excluded.counted_at;
  get diagnostics v_counted = row_count;
  delete from public.subscription_analytics s where s.counted_at < v_now;
  return jsonb_build_object('counted', v_counted);
end
$$;

comment on function public.refresh_analytics_from_presence_v2() is 'Counts watchers by symbol and type; {counted} or {skipped}.';
revoke execute on function public.refresh_analytics_from_presence_v2() from public, anon, authenticated;
grant execute on function public.refresh_analytics_from_presence_v2() to service_role;
