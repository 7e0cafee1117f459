select plan(16);
set mill.now = '2030-01-01 00:00+00';
insert into mill.api_rate_limits (provider_name, api_endpoint, requests_per_minute, tokens_per_minute)
values ('p', 'requests', 2, null), ('p', 'tokens', null, 1000), ('p', 'off', 5, null), ('p', 'hour', 5, null);
update mill.api_rate_limits set status = 'disabled' where api_endpoint = 'off';
set role service_role;
select function_returns('public', 'acquire_api_capacity', array['text', 'text', 'integer'], 'boolean', 'K14: acquire_api_capacity returns a boolean');
select is(array[public.acquire_api_capacity('p', 'requests'), public.acquire_api_capacity('p', 'requests', 10), public.acquire_api_capacity('p', 'requests', 10)],
  array[true, true, false], 'K14: past the requests of the minute the answer is false');
select results_eq($$ select rate_limit_violations, last_rate_limit_hit from public.api_rate_limits where api_endpoint = 'requests' $$,
  $$ values (1::bigint, '2030-01-01 00:00+00'::timestamptz) $$, 'K14: a refusal is counted and its time is kept');
select results_eq($$ select rate_limit_violations, last_rate_limit_hit from public.api_rate_limits where api_endpoint = 'hour' $$,
  $$ values (0::bigint, null::timestamptz) $$, 'K14: a refusal is counted for its own endpoint only');
select is(array[public.acquire_api_capacity('p', 'tokens', 600), public.acquire_api_capacity('p', 'tokens', 600)], array[true, false], 'K14: past the tokens of the minute the answer is false');
select is(public.acquire_api_capacity('p', 'tokens', 1001), false, 'K14: an estimate that the limit never admits is refused');
select is(public.acquire_api_capacity('p', 'tokens', null), false, 'K3: a null estimate means 1000');
select throws_ok($$ select public.acquire_api_capacity('p', 'nope') $$, 'GM020', null, 'K14: a provider without a limit raises');
select throws_ok($$ select public.acquire_api_capacity('p', 'off') $$, 'GM020', null, 'K14: a limit that is not active raises');
reset role;
select is((select count(*) from mill.event where code = 'rate_limited'), 0::bigint, 'a refusal of the limit is no refusal of the provider, which alerts count');
select is((select sum(provider_refusals)::int from mill.api_rate_limits where provider_name = 'p'), 0, 'the refusals of the provider are counted apart');
set role service_role;
select public.report_api_rate_limit('p', 'hour', 30);
select is(public.acquire_api_capacity('p', 'hour'), false, 'after a 429 of the provider the answer is false for its Retry-After');
select results_eq($$ select rate_limit_violations, provider_refusals from public.api_rate_limits where api_endpoint = 'hour' $$, $$ values (1::bigint, 1::bigint) $$,
  'a refused call counts once for the limit, and the 429 once for the provider');
set mill.now = '2030-01-01 00:01+00';
select is(public.acquire_api_capacity('p', 'requests'), true, 'a minute later a call is granted again');
select throws_ok($$ select public.reserve_api_capacity('p', 'tokens', 1001) $$, 'GM021', null, 'reserve_api_capacity says why an estimate is never admitted');
select is(public.reserve_api_capacity('p', 'requests', 1) ->> 'granted', 'true', 'reserve_api_capacity draws on the same limit');
select * from finish();
