-- What refresh shows in /metrics.
create or replace function mill.measure_watched() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select a.data_type, count(distinct a.symbol)::numeric from public.active_subscriptions_v2 a group by a.data_type
$$;
comment on function mill.measure_watched() is 'How many symbols of each data type are watched.';
revoke execute on function mill.measure_watched() from public;

create or replace function mill.measure_quota_ratio() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select 'data', round(mill.quota_used(mill.setting('refresh.quota_days', '30')::int) / mill.quota_limit(null, 1)::numeric, 6)
$$;
comment on function mill.measure_quota_ratio() is 'How much of the data quota is used, as a part of it.';
revoke execute on function mill.measure_quota_ratio() from public;

create or replace function mill.measure_refresh_bytes() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select u.data_type, sum(u.data_size_bytes)::numeric from public.api_data_usage u
  where u.created_at > mill.now() - interval '1 hour' and u.created_at <= mill.now() group by u.data_type
$$;
comment on function mill.measure_refresh_bytes() is 'Bytes that the wire carried for each data type in the last hour.';
revoke execute on function mill.measure_refresh_bytes() from public;

create or replace function mill.measure_refresh_calls() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select u.data_type, sum(u.calls)::numeric from public.api_data_usage u
  where u.created_at > mill.now() - interval '1 hour' and u.created_at <= mill.now() group by u.data_type
$$;
comment on function mill.measure_refresh_calls() is 'Calls for each data type in the last hour.';
revoke execute on function mill.measure_refresh_calls() from public;

create or replace function mill.measure_refresh_age() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select m.subject, round(m.value * 3600) from mill.measure_unrefreshed() m
$$;
comment on function mill.measure_refresh_age() is 'Seconds since each watched data type was last refreshed well.';
revoke execute on function mill.measure_refresh_age() from public;

create or replace function mill.measure_refresh_errors() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select e.data_type, count(*)::numeric
  from mill.queue q cross join lateral (
    select d.payload ->> 'data_type' as data_type from mill.job_dead d where d.queue = q.queue and d.finished_at > mill.now() - interval '1 hour'
    union all
    select j.payload ->> 'data_type' from mill.job_live j where j.queue = q.queue and j.waits and j.state = 'retrying') e
  where q.queue ~ '^refresh(-|$)' and e.data_type is not null group by e.data_type
$$;
comment on function mill.measure_refresh_errors() is 'Refreshes of each data type that were given up in the last hour, or wait for another try.';
revoke execute on function mill.measure_refresh_errors() from public;

create or replace function mill.measure_estimate_ratio() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select u.data_type, round(sum(u.data_size_bytes) / nullif(sum(u.calls) * max(r.estimated_data_size_bytes), 0), 3)
  from public.api_data_usage u join public.data_type_registry r on r.data_type = u.data_type
  where u.created_at > mill.now() - interval '1 hour' and u.created_at <= mill.now() group by u.data_type
$$;
comment on function mill.measure_estimate_ratio() is 'How many times its estimate an answer of each data type had on average in the last hour.';
revoke execute on function mill.measure_estimate_ratio() from public;

insert into mill.gauge (name, help, label, measure) values
  ('refresh_subscriptions', 'Symbols that are watched, of a data type', 'data_type', 'mill.measure_watched'),
  ('refresh_quota_used_ratio', 'Part of the data quota of the rolling days that is used', 'quota', 'mill.measure_quota_ratio'),
  ('refresh_bytes_last_hour', 'Bytes that answers of a data type had in the last hour', 'data_type', 'mill.measure_refresh_bytes'),
  ('refresh_calls_last_hour', 'Calls for a data type in the last hour', 'data_type', 'mill.measure_refresh_calls'),
  ('refresh_age_seconds', 'Since a watched data type was last refreshed well', 'data_type', 'mill.measure_refresh_age'),
  ('refresh_errors', 'Refreshes of a data type that were given up in the last hour, or wait for another try', 'data_type', 'mill.measure_refresh_errors'),
  ('refresh_estimate_ratio', 'Bytes of the last hour, as a multiple of what was estimated', 'data_type', 'mill.measure_estimate_ratio')
on conflict (name) do update set help = excluded.help, label = excluded.label, measure = excluded.measure;
