-- Everything is bounded: 100 types, 500 symbols, 60 minutes, 30 days.
create or replace function public.console_refresh() returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.require_console('viewer');
  v_now timestamptz := mill.now();
  v_symbols text[] := mill.watched_symbols('', 500);
begin
  return jsonb_build_object('now', v_now, 'quota', mill.refresh_quota(), 'symbols_more', cardinality(v_symbols) = 500,
    'types', (
      select coalesce(jsonb_agg(jsonb_build_object('type', r.data_type, 'table', r.table_name, 'provider', r.provider, 'enabled', r.is_enabled, 'strategy', r.refresh_strategy,
          'schedule', r.refresh_schedule, 'ttl_minutes', r.default_ttl_minutes, 'estimate', r.estimated_data_size_bytes, 'freshness', mill.refresh_freshness(r, v_symbols),
          'hour', jsonb_build_object('calls', coalesce(u.calls, 0), 'bytes', coalesce(u.bytes, 0), 'actual', u.bytes / nullif(u.calls, 0)),
          'waiting', c.waiting, 'dead', c.dead) order by r.data_type), '[]')
      from (select * from public.data_type_registry order by data_type limit 100) r
      left join lateral (
        select sum(n.calls) as calls, sum(n.data_size_bytes) as bytes from public.api_data_usage n
        where n.data_type = r.data_type and n.created_at > v_now - interval '1 hour') u on true
      cross join lateral (
        select count(*) filter (where n.reason = 'unchanged') as waiting, count(*) filter (where n.reason = 'dead') as dead
        from (select * from mill.data_check n where n.data_type = r.data_type and n.next_check_at > v_now limit 10000) n) c),
    'watched', (
      select coalesce(jsonb_agg(jsonb_build_object('symbol', w.symbol, 'watchers', w.watchers, 'types', w.types, 'seen_at', w.seen_at) order by w.watchers desc, w.symbol), '[]')
      from (
        select a.symbol, count(distinct a.user_id) as watchers, array_agg(distinct a.data_type order by a.data_type) as types, max(a.last_seen_at) as seen_at
        from (select * from public.active_subscriptions_v2 a where a.symbol = any (v_symbols) order by a.symbol, a.data_type limit 10000) a
        group by a.symbol order by 2 desc, 1 limit 100) w),
    'minutes', (
      select coalesce(jsonb_agg(jsonb_build_object('minute', m.minute, 'calls', coalesce(u.calls, 0)) order by m.minute), '[]')
      from generate_series(date_trunc('minute', v_now) - interval '59 minutes', date_trunc('minute', v_now), interval '1 minute') m(minute)
      left join (
        select date_trunc('minute', n.created_at) as minute, sum(n.calls) as calls from public.api_data_usage n where n.created_at > v_now - interval '1 hour' group by 1) u
        on u.minute = m.minute),
    'limits', (
      select coalesce(jsonb_agg(jsonb_build_object('provider', l.provider_name, 'endpoint', l.api_endpoint, 'status', l.status, 'per_minute', l.requests_per_minute,
        'blocked_until', l.blocked_until, 'refusals', l.provider_refusals, 'queue', q.queue) order by q.queue), '[]')
      from mill.queue q join mill.api_rate_limits l on l.provider_name = q.provider and l.api_endpoint = q.endpoint
      where q.queue ~ '^refresh(-|$)'),
    'events', (
      select coalesce(jsonb_agg(jsonb_build_object('reason', e.code, 'count', e.count, 'last_at', e.last_at, 'symbols', e.symbols) order by e.count desc, e.code), '[]')
      from (
        select v.code, sum(coalesce((v.detail ->> 'count')::numeric, 1)) as count, max(v.at) as last_at, (array_agg(v.detail -> 'symbols' order by v.at desc))[1] as symbols
        from (select * from mill.event v where v.at > v_now - interval '1 day' order by v.at desc limit 20000) v
        where v.code in ('quota_exceeded', 'estimate_exceeded', 'content_length_missing', 'content_length_wrong', 'staleness_failed', 'queue_stale_failed',
          'check_stale_data_failed', 'scheduled_refresh_failed', 'data_table_not_published')
        group by v.code) e),
    'refused', (
      select coalesce(jsonb_agg(jsonb_build_object('type', f.type, 'reason', f.reason, 'count', f.count, 'symbols', f.symbols, 'dead', f.dead) order by f.count desc, f.type, f.reason), '[]')
      from (
        select j.payload ->> 'data_type' as type, j.error ->> 'type' as reason, count(*) as count, count(*) filter (where j.is_dead) as dead,
          (array_agg(distinct j.payload ->> 'symbol'))[:5] as symbols
        from mill.queue q
        cross join lateral (
          (select d.payload, d.error, true as is_dead from mill.job_dead d where d.queue = q.queue limit 2000)
          union all
          (select l.payload, l.error, false from mill.job_live l where l.waits and l.queue = q.queue and l.error is not null limit 2000)) j
        where q.queue ~ '^refresh(-|$)' group by 1, 2 limit 200) f),
    'days', (
      select coalesce(jsonb_agg(jsonb_build_object('day', d.day, 'calls', d.calls, 'bytes', d.bytes) order by d.day), '[]')
      from (
        select date_trunc('day', n.created_at at time zone 'utc')::date as day, sum(n.calls) as calls, sum(n.data_size_bytes) as bytes
        from public.api_data_usage n where n.created_at > v_now - interval '30 days' group by 1) d));
end
$$;

comment on function public.console_refresh() is
  'Data types with their freshness, watched symbols, calls per minute beside the limit, the quota with a forecast, and why answers were refused. For viewers of the console.';
revoke execute on function public.console_refresh() from public, anon;
grant execute on function public.console_refresh() to authenticated, service_role;
