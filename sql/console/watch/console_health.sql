-- Tables of ours by size. Rows are estimates of the statistics collector; partitions are added up under their parent.
create or replace function mill.console_tables() returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(jsonb_build_object('name', t.name, 'partitions', t.partitions, 'rows_about', t.rows, 'bytes', t.bytes, 'index_bytes', t.index_bytes, 'dead_rows', t.dead,
    'last_vacuum_at', t.vacuumed) order by t.bytes desc), '[]')
  from (
    select coalesce(i.inhparent, c.oid)::regclass::text as name, count(*) filter (where i.inhparent is not null) as partitions,
      sum(greatest(s.n_live_tup, 0)) as rows, sum(pg_table_size(c.oid)) as bytes, sum(pg_indexes_size(c.oid)) as index_bytes, sum(s.n_dead_tup) as dead,
      max(greatest(s.last_vacuum, s.last_autovacuum)) as vacuumed
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_inherits i on i.inhrelid = c.oid and (select p.relkind = 'p' from pg_class p where p.oid = i.inhparent) and c.relname ~ '_(\d{6,8}|default)$'
    left join pg_stat_all_tables s on s.relid = c.oid
    where n.nspname = 'mill' and c.relkind = 'r'
    group by 1 order by 4 desc limit 40) t
$$;

comment on function mill.console_tables() is 'The forty largest tables in mill with size, estimated rows and last vacuum.';
revoke execute on function mill.console_tables() from public;

create or replace function public.console_health() returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.require_console('viewer');
  v_now timestamptz := mill.now();
  v_report jsonb := public.health_report();
begin
  return jsonb_build_object('now', v_now, 'version', mill.version(), 'postgres', current_setting('server_version'),
    'parts', (select coalesce(jsonb_agg(jsonb_build_object('part', p.part, 'schema', p.schema, 'installed_at', p.installed_at) order by p.part), '[]') from mill.part p),
    'checks', v_report -> 'checks', 'notes', v_report -> 'notes', 'alerts', mill.console_alerts(20),
    'pump', (
      select jsonb_build_object('last_round_at', (select h.at from mill.heartbeat h where h.part = 'tick'), 'late', coalesce(bool_or(c.reason is not null), false), 'reason', min(c.reason))
      from mill.cron_health() c join mill.schedule s on s.name = c.name where s.step = 'mill.pump_once'),
    'cron', case when to_regclass('cron.job') is null then 'none' when exists (select from pg_extension e where e.extname = 'pg_cron') then 'pg_cron' else 'relay' end,
    'invocations', (
      select jsonb_build_object(
        'hour', jsonb_build_object('asked', count(*), 'begun', count(i.begun_at), 'failed', count(i.failure), 'more', count(*) >= 10000),
        'recent', (select coalesce(jsonb_agg(jsonb_build_object('queue', r.queue, 'reason', r.reason, 'asked_at', r.asked_at, 'begun_at', r.begun_at, 'ended_at', r.ended_at,
            'claimed', r.claimed, 'failure', mill.cut_text(r.failure, 500), 'ms', round(extract(epoch from r.ended_at - r.asked_at) * 1000)) order by r.asked_at desc), '[]')
          from (select * from mill.invocation o order by o.asked_at desc limit 50) r))
      from (select o.begun_at, o.failure from mill.invocation o where o.asked_at > v_now - interval '1 hour' order by o.asked_at desc limit 10000) i),
    'breakers', (select coalesce(jsonb_agg(jsonb_build_object('target', b.target, 'state', b.state, 'reason', b.reason, 'changed_at', b.changed_at, 'retry_at', b.retry_at) order by b.target), '[]')
      from (select * from mill.breaker order by target limit 200) b),
    'breaker_changes', (select coalesce(jsonb_agg(jsonb_build_object('target', c.target, 'at', c.at, 'state', c.state, 'reason', mill.cut_text(c.reason, 500)) order by c.id desc), '[]')
      from (select * from mill.breaker_change order by id desc limit 50) c),
    'events', (select coalesce(jsonb_agg(jsonb_build_object('at', e.at, 'code', e.code, 'detail', case when pg_column_size(e.detail) < 4000 then e.detail else '{}' end) order by e.id desc), '[]')
      from (select * from mill.event order by id desc limit 50) e),
    'tables', mill.console_tables(), 'database_bytes', pg_database_size(current_database()),
    'maintenance', mill.setting('maintenance.enabled', 'false') = 'true');
end
$$;

comment on function public.console_health() is 'Health checks, alerts, the pump, invocations, breakers, events and sizes of tables. For viewers of the console.';
revoke execute on function public.console_health() from public, anon;
grant execute on function public.console_health() to authenticated, service_role;
