-- What the limiter alarms about, its step of the cleanup, and its hooks in the engine.
create or replace function mill.measure_rate_limits() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select v.provider, 100.0 * v.refused / greatest(v.refused, (
    select sum(u.requests) from (
      select a.requests from mill.api_use a where a.provider = v.provider and a.at > mill.now() - interval '1 hour'
      union all
      select m.requests from mill.api_use_minute m where m.provider = v.provider and m.minute > mill.now() - interval '1 hour') u))
  from (
    select e.detail ->> 'provider' as provider, count(*)::numeric as refused
    from mill.event e where e.code = 'rate_limited' and e.at > mill.now() - interval '1 hour'
    group by 1) v
$$;
comment on function mill.measure_rate_limits() is 'Percent of the last hour''s calls that a provider refused for their rate.';
revoke execute on function mill.measure_rate_limits() from public;

insert into mill.alert_rule (rule, severity, measure, threshold, description) values
  ('rate_limit_violations', 'P1', 'mill.measure_rate_limits', 1.0001, 'A provider refuses over 1% of the calls for their rate')
on conflict (rule) do nothing;

create or replace function mill.cleanup_capacity(p_max int) returns jsonb
language sql
set search_path = pg_catalog, pg_temp
as $$ select jsonb_build_object('expired', mill.fold_api_use()) $$;
comment on function mill.cleanup_capacity(int) is 'Ends capacity leases whose callers were lost; the tick does the same.';
revoke execute on function mill.cleanup_capacity(int) from public;

insert into mill.cleanup_step (step, description, run, place) values
  ('capacity_leases', 'Provider slots whose callers were lost', 'mill.cleanup_capacity', 15)
on conflict (step) do update set run = excluded.run, description = excluded.description;

insert into mill.hook (event, routine, place) values
  ('claim', 'mill.lock_jobs_within_limit', 100),
  ('usage', 'mill.settle_usage', 100),
  ('wait', 'mill.limit_wait', 100),
  ('rest', 'mill.seconds_to_capacity', 100),
  ('tick', 'mill.fold_api_use', 10)
on conflict (event, routine) do update set place = excluded.place;
