select plan(20);
set mill.now = '2030-01-01 00:00+00';
insert into mill.api_rate_limits (provider_name, api_endpoint, requests_per_minute, tokens_per_minute, requests_per_hour, tokens_per_hour, concurrent_requests)
values ('p', 'requests', 2, null, null, null, null), ('p', 'tokens', null, 1000, null, null, null), ('p', 'hour', null, null, 3, null, null),
  ('p', 'hour tokens', null, null, null, 1000, null), ('p', 'slots', null, null, null, null, 2);
create function pg_temp.granted(p_endpoint text, p_tokens int default 100) returns text language sql as $$
  select case when (a ->> 'granted')::boolean then 'granted' else a ->> 'reason' end from public.reserve_api_capacity('p', p_endpoint, p_tokens) a $$;

select throws_ok($$ select public.reserve_api_capacity('p', 'nope', 1) $$, 'GM020', 'no rate limit is configured for p / nope', 'no row is a clear error');
select throws_ok($$ select public.release_api_capacity('p', 'nope', 1, 1) $$, 'GM020', null, 'giving back without a row of the limit is a clear error');
select throws_ok($$ select public.reserve_api_capacity('p', 'tokens', 1001) $$, 'GM021', null, 'what never fits is a clear error');
select is(array[pg_temp.granted('requests'), pg_temp.granted('requests'), pg_temp.granted('requests')], array['granted', 'granted', 'requests'], 'requests a minute');
select is(array[pg_temp.granted('tokens', 600), pg_temp.granted('tokens', 600), pg_temp.granted('tokens', 400)], array['granted', 'tokens', 'granted'], 'tokens a minute');
select is(array[pg_temp.granted('slots'), pg_temp.granted('slots'), pg_temp.granted('slots')], array['granted', 'granted', 'concurrency'], 'slots');

set mill.now = '2030-01-01 00:00:59+00';
select is(pg_temp.granted('requests'), 'requests', 'a window that slides has no boundary to slip through');
select is((public.reserve_api_capacity('p', 'requests', 1) ->> 'retry_after_seconds')::int, 1, 'a refused call says when to come back');
set mill.now = '2030-01-01 00:01:00+00';
select is(pg_temp.granted('requests'), 'granted', 'after sixty seconds the first is out of the window');

select is(array[pg_temp.granted('hour'), pg_temp.granted('hour'), pg_temp.granted('hour'), pg_temp.granted('hour')], array['granted', 'granted', 'granted', 'requests'], 'requests an hour');
select is(array[pg_temp.granted('hour tokens', 900), pg_temp.granted('hour tokens', 200)], array['granted', 'tokens'], 'tokens an hour');
set mill.now = '2030-01-01 00:30:00+00';
select mill.fold_api_use();
select is((select count(*) from mill.api_use), 0::bigint, 'old use is folded');
select is(array[pg_temp.granted('hour'), pg_temp.granted('hour tokens', 200)], array['requests', 'tokens'], 'use that was folded still counts');
set mill.now = '2030-01-01 01:00:59+00';
select is(pg_temp.granted('hour'), 'requests', 'for the whole hour');
set mill.now = '2030-01-01 01:02:00+00';
select is(array[pg_temp.granted('hour'), pg_temp.granted('hour tokens', 200)], array['granted', 'granted'], 'use counts no longer than an hour');

update mill.api_rate_limits set status = 'maintenance' where api_endpoint = 'requests';
select is(pg_temp.granted('requests'), 'maintenance', 'a provider in maintenance gets nothing');
update mill.api_rate_limits set status = 'disabled' where api_endpoint = 'requests';
select is(pg_temp.granted('requests'), 'disabled', 'a provider that is switched off gets nothing');
select is(public.report_api_rate_limit('p', 'tokens', 90), '2030-01-01 01:03:30+00'::timestamptz, 'a 429 closes a limit for its Retry-After');
select results_eq($$ select pg_temp.granted('tokens', 1), provider_refusals, last_rate_limit_hit from mill.api_rate_limits where api_endpoint = 'tokens' $$,
  $$ values ('blocked', 1::bigint, '2030-01-01 01:02:00+00'::timestamptz) $$, 'for everybody, and is on record');
set mill.now = '2030-01-01 01:03:30+00';
select is(pg_temp.granted('tokens', 1), 'granted', 'a limit that a 429 closed admits calls again after its Retry-After');
select * from finish();
