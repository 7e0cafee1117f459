select plan(9);
set mill.now = '2030-01-01 12:00+00';
insert into public.supported_symbols (symbol) values ('AAPL'), ('MSFT') on conflict do nothing;
delete from public.active_subscriptions_v2;
insert into public.active_subscriptions_v2 (user_id, symbol, data_type, subscribed_at, last_seen_at) values
  (gen_random_uuid(), 'AAPL', 'quote', mill.now() - interval '2 hours', mill.now()),
  (gen_random_uuid(), 'AAPL', 'quote', mill.now() - interval '2 hours', mill.now()),
  (gen_random_uuid(), 'MSFT', 'quote', mill.now(), mill.now());
update public.data_type_registry set estimated_data_size_bytes = 1000 where data_type = 'quote';
insert into public.api_data_usage (created_at, provider, data_type, calls, data_size_bytes) values
  (mill.now() - interval '10 minutes', 'fmp', 'quote', 2, 3000), (mill.now() - interval '2 hours', 'fmp', 'quote', 9, 9000000);
insert into mill.heartbeat (part, at) values ('refreshed_quote', mill.now() - interval '90 seconds')
on conflict (part) do update set at = excluded.at;

create temp view shown as
select g ->> 'name' as name, g ->> 'label' as label, v ->> 'subject' as subject, (v ->> 'value')::numeric as value
from jsonb_array_elements(public.metrics_report() -> 'gauges') g left join lateral jsonb_array_elements(g -> 'values') v on true;
create function pg_temp.value_of(p_name text) returns numeric language sql as $$ select s.value from shown s where s.name = p_name and s.subject in ('quote', 'data') $$;

select is(pg_temp.value_of('refresh_subscriptions'), 2::numeric, 'a symbol counts once, however many watch it');
select is(pg_temp.value_of('refresh_calls_last_hour'), 2::numeric, 'calls are those of the last hour');
select is(pg_temp.value_of('refresh_bytes_last_hour'), 3000::numeric, 'bytes are those of the last hour');
select is(pg_temp.value_of('refresh_estimate_ratio'), 1.5::numeric, 'answers are compared with their estimate');
select ok(pg_temp.value_of('refresh_quota_used_ratio') > 0, 'the quota is shown as a part');
select ok(pg_temp.value_of('refresh_age_seconds') is not null, 'freshness is shown for what is watched');
select is(pg_temp.value_of('refresh_errors'), null, 'no errors are no row');

select public.queue_refresh_if_not_exists('AAPL', 'quote', 5, 1000);
select mill.tick();
create temp table claimed as select * from mill.claim('w', array['refresh'], 1);
select mill.settle('w', (select jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt, 'outcome', 'dead', 'error', jsonb_build_object('type', 'schema', 'message', 'x'))) from claimed c));
select is(pg_temp.value_of('refresh_errors'), 1::numeric, 'a refresh that was given up is an error of its type');

create function mill.breaks() returns table (subject text, value numeric) language sql as $$ select 'x', 1 / 0::numeric $$;
insert into mill.gauge (name, help, label, measure) values ('broken', 'Breaks', 'what', 'mill.breaks');
select is((select count(*)::int from shown where name = 'broken') + (select (count(*) > 5)::int from shown), 1, 'a gauge that fails hides no other');
select * from finish();
