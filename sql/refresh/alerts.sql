-- What refresh alarms about, and the quota as health sees it.
create or replace function mill.quota_percent() returns numeric
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select round(100.0 * mill.quota_used(mill.setting('refresh.quota_days', '30')::int) / mill.quota_limit(null, 1), 2)
$$;
comment on function mill.quota_percent() is 'How much of the data quota the rolling days have used.';
revoke execute on function mill.quota_percent() from public;

create or replace function mill.measure_quota() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select 'data', mill.quota_percent() $$;
comment on function mill.measure_quota() is 'Percent of the data quota in use.';
revoke execute on function mill.measure_quota() from public;

create or replace function mill.check_quota() returns table (detail text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select format('%s%% of the data quota is used, serving has stopped', mill.quota_percent()) where mill.is_quota_exceeded() $$;
comment on function mill.check_quota() is 'Whether refreshes have stopped for want of quota.';
revoke execute on function mill.check_quota() from public;

create or replace function mill.measure_call_rate() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select u.provider, sum(u.calls)::numeric from public.api_data_usage u
  where u.created_at > mill.now() - interval '1 minute' and u.created_at <= mill.now() group by u.provider
$$;
comment on function mill.measure_call_rate() is 'Calls of the last minute to each provider.';
revoke execute on function mill.measure_call_rate() from public;

create or replace function mill.measure_estimates() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select e.detail ->> 'data_type', max((e.detail ->> 'bytes')::numeric / nullif((e.detail ->> 'estimate')::numeric, 0))
  from mill.event e where e.code = 'estimate_exceeded' and e.at > mill.now() - interval '1 hour'
  group by 1
$$;
comment on function mill.measure_estimates() is 'For each type of the last hour''s surprises: how many times its estimate an answer was.';
revoke execute on function mill.measure_estimates() from public;

-- A type that was never fetched waits since its first watcher came.
create or replace function mill.measure_unrefreshed() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select s.data_type, extract(epoch from mill.now() - greatest(s.since, (
    select max(u.created_at) from public.api_data_usage u where u.data_type = s.data_type))) / 3600
  from (select a.data_type, min(a.subscribed_at) as since from public.active_subscriptions_v2 a group by a.data_type) s
$$;
comment on function mill.measure_unrefreshed() is 'Hours since each watched data type was last fetched.';
revoke execute on function mill.measure_unrefreshed() from public;

create or replace function mill.measure_warnings() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select e.detail ->> 'data_type', count(*)::numeric
  from mill.event e where e.at > mill.now() - interval '1 hour' and e.detail ? 'data_type'
  group by 1
$$;
comment on function mill.measure_warnings() is 'Events of the last hour that name a data type, for each.';
revoke execute on function mill.measure_warnings() from public;

-- An advisory lock of one bigint shows as its upper and lower half.
create or replace function mill.measure_staleness_lock() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select 'check-stale-data', extract(epoch from mill.now() - a.query_start)
  from pg_locks l join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and (l.classid::bigint << 32 | l.objid::bigint) = 7022341640271841 -- that of mill.check_stale_data
$$;
comment on function mill.measure_staleness_lock() is 'Seconds for which one run of the staleness pass has held its lock; a sound one ends within the minute.';
revoke execute on function mill.measure_staleness_lock() from public;

create or replace function mill.measure_content_length() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select 'providers', count(*)::numeric from mill.event e
  where e.at > mill.now() - interval '1 hour' and e.code = 'content_length_missing'
$$;
comment on function mill.measure_content_length() is 'Batches of the last hour in which a provider did not say how long its answer is.';
revoke execute on function mill.measure_content_length() from public;

insert into mill.alert_rule (rule, severity, measure, threshold, description) values
  ('data_type_warnings', 'P2', 'mill.measure_warnings', 5, '5 warnings for one data type in an hour'),
  ('content_length_missing', 'P2', 'mill.measure_content_length', 1, 'A provider does not announce the length of its answers'),
  ('quota_75', 'P2', 'mill.measure_quota', 75, '75% of the data quota is used'),
  ('quota_90', 'P1', 'mill.measure_quota', 90, '90% of the data quota is used'),
  ('call_rate', 'P2', 'mill.measure_call_rate', 251, 'Over 250 calls a minute to one provider'),
  ('estimate_exceeded', 'P2', 'mill.measure_estimates', 2, 'An answer of over twice its estimated size'),
  ('staleness_lock_held', 'P0', 'mill.measure_staleness_lock', 600, 'One run of the staleness pass holds its lock for over 10 minutes'),
  ('no_refresh', 'P1', 'mill.measure_unrefreshed', 24, 'Subscribers, but no refresh in 24 hours')
on conflict (rule) do nothing;

insert into mill.health_check (name, step, place) values ('quota', 'mill.check_quota', 60)
on conflict (name) do update set step = excluded.step, place = excluded.place;
create or replace function mill.cleanup_analytics(p_max int) returns jsonb
language sql
set search_path = pg_catalog, pg_temp
as $$ select public.refresh_analytics_from_presence_v2() $$;
comment on function mill.cleanup_analytics(int) is 'The count of watchers as a step of the cleanup.';
revoke execute on function mill.cleanup_analytics(int) from public;

insert into mill.cleanup_step (step, description, run, max_items, place) values
  ('subscriptions', 'Subscriptions that nobody has seen', 'mill.cleanup_subscriptions', 20000, 40),
  ('refresh-analytics-from-presence-v2', 'Watchers by symbol and type are counted', 'mill.cleanup_analytics', 1, 41)
on conflict (step) do update set run = excluded.run, description = excluded.description;
