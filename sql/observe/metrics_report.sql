create or replace function public.metrics_report() returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'queues', public.queue_stats(),
    'breakers', (select coalesce(jsonb_object_agg(b.target, b.state), '{}') from mill.breaker b),
    'schedules', (select coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'age_seconds', c.age_seconds, 'late', c.reason is not null)), '[]')
                  from mill.cron_health() c),
    'alerts', (select coalesce(jsonb_agg(jsonb_build_object('rule', r.rule, 'severity', r.severity, 'threshold', r.threshold,
                 'firing', (select count(*) from mill.alert a where a.rule = r.rule and a.state = 'firing'))), '[]')
               from mill.alert_rule r where r.enabled),
    'rule_values', mill.rule_values(),
    'gauges', mill.gauge_values(),
    'workers', mill.count_workers(mill.now()))
$$;

comment on function public.metrics_report() is 'What /metrics shows: numbers under names of queues, targets, schedules and rules, no content.';
revoke execute on function public.metrics_report() from public, anon, authenticated;
grant execute on function public.metrics_report() to service_role;
