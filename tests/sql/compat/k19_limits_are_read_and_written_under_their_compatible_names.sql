select plan(21);
set mill.now = '2030-01-01 00:00+00';
set role service_role;
select lives_ok($$ insert into public.api_rate_limits (provider_name, api_endpoint) values ('p', 'e') $$, 'K19: a limit is inserted by its provider and endpoint alone');
select results_eq($$ select requests_per_minute, requests_per_hour, tokens_per_minute, tokens_per_hour, concurrent_requests, backpressure_threshold, backpressure_delay_seconds, queue_depth_limit, status,
    current_requests_minute, current_requests_hour, current_tokens_minute, current_tokens_hour, active_requests, minute_reset_at, hour_reset_at, last_rate_limit_hit, rate_limit_violations
  from public.api_rate_limits where provider_name = 'p' $$,
  $$ values (60, null::int, null::bigint, null::bigint, 10, 0.8::numeric(3,2), 5, 1000, 'active', 0, 0, 0::bigint, 0::bigint, 0, '2030-01-01 00:01+00'::timestamptz, '2030-01-01 01:00+00'::timestamptz, null::timestamptz, 0::bigint) $$,
  'K19: a limit has the compatible defaults, and nothing of it is in use');
create temp table kept as select id from public.api_rate_limits where provider_name = 'p';
select lives_ok($$ insert into public.api_rate_limits (provider_name, api_endpoint, requests_per_minute, tokens_per_minute, tokens_per_hour, concurrent_requests, backpressure_threshold) values ('p', 'e', 3, 5000, 9000, 2, 0.75)
  on conflict (provider_name, api_endpoint) do update set provider_name = excluded.provider_name, api_endpoint = excluded.api_endpoint, requests_per_minute = excluded.requests_per_minute,
  tokens_per_minute = excluded.tokens_per_minute, tokens_per_hour = excluded.tokens_per_hour, concurrent_requests = excluded.concurrent_requests, backpressure_threshold = excluded.backpressure_threshold
  returning id, current_requests_minute $$, 'K19: on conflict (provider_name, api_endpoint) works on the view');
select results_eq($$ select id, requests_per_minute, backpressure_threshold, queue_depth_limit, updated_at from public.api_rate_limits where provider_name = 'p' $$,
  $$ select id, 3, 0.75::numeric(3,2), 1000, '2030-01-01 00:00+00'::timestamptz from kept $$, 'K19: an upsert keeps the id and what it does not name, and says when the row was changed');
select throws_ok($$ insert into public.api_rate_limits (provider_name, api_endpoint) values ('p', 'e') $$, '23505', null, 'K19: a provider and endpoint have one limit');

-- Current use.
create function pg_temp.used() returns text language sql as $$
  select concat_ws(' ', current_requests_minute, current_requests_hour, current_tokens_minute, current_tokens_hour, active_requests) from public.api_rate_limits where provider_name = 'p' $$;
select is(public.acquire_api_capacity('p', 'e', 2000), true, 'a call is granted');
select is(pg_temp.used(), '1 1 2000 2000 1', 'K19: a granted call is in use at once');
set mill.now = '2030-01-01 00:00:30+00';
select is(public.acquire_api_capacity('p', 'e'), true, 'another call is granted');
select is(public.acquire_api_capacity('p', 'e', 10), false, 'a third call at once is not');
select is(pg_temp.used(), '2 2 3000 3000 2', 'K19: a refused call uses nothing');
select results_eq($$ select last_rate_limit_hit, rate_limit_violations, minute_reset_at, hour_reset_at, updated_at from public.api_rate_limits where provider_name = 'p' $$,
  $$ values ('2030-01-01 00:00:30+00'::timestamptz, 1::bigint, '2030-01-01 00:01+00'::timestamptz, '2030-01-01 01:00+00'::timestamptz, '2030-01-01 00:00+00'::timestamptz) $$,
  'K14: a refusal is counted with its time and is no change of the limit; K19: minute_reset_at is when the first call leaves the window');
select public.release_api_capacity(p_provider_name => 'p', p_api_endpoint => 'e', p_actual_tokens => 1500);
select is(pg_temp.used(), '2 2 3500 3500 1', 'K14a: a release with the actual tokens alone ends the grant with the default estimate, settles its tokens and frees its slot');
set mill.now = '2030-01-01 00:01:15+00';
select is(pg_temp.used(), '1 2 1500 3500 1', 'K19: what is older than a minute counts for the hour alone');
set mill.now = '2030-01-01 00:05+00';
select public.tick();
select is(pg_temp.used(), '0 2 0 3500 0', 'K19: use that was folded into minutes counts for the hour as before, and a slot that nobody gave back is free');
set mill.now = '2030-01-01 02:00+00';
select is(pg_temp.used(), '0 0 0 0 0', 'K19: two hours later nothing is in use');

-- What may not be written, and by whom.
select throws_ok($$ update public.api_rate_limits set current_requests_minute = 0 where provider_name = 'p' $$, '0A000', null, 'K19: current use is not written');
select throws_ok($$ update public.api_rate_limits set requests_per_minute = 0 where provider_name = 'p' $$, '23514', null, 'K19: a limit of nothing is refused');
select throws_ok($$ update public.api_rate_limits set status = 'open' where provider_name = 'p' $$, '23514', null, 'K19: an unknown status is refused');
set role authenticated;
select throws_ok($$ update public.api_rate_limits set requests_per_minute = 1000000 $$, '42501', null, 'K19: a user changes no limit');
set role anon;
select throws_ok($$ select * from public.api_rate_limits $$, '42501', null, 'K19: anon reads no limit');
set role service_role;
select lives_ok($$ delete from public.api_rate_limits where id = (select id from kept) $$, 'K19: the service deletes a limit by its id');
select * from finish();
