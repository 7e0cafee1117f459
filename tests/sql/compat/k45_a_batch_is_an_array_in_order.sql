select plan(8);
set mill.now = '2030-01-01 00:00+00';
create table public.plain_earnings (id bigint generated always as identity primary key, symbol varchar(20), fetched_at timestamp);
insert into public.data_type_registry values ('outside', 'plain_earnings', 'fetched_at', 'is_data_stale', 60, 'fetch-fmp-earnings', 'on-demand', null, 3, 900, 'symbol');
set request.jwt.claims = '{"role": "service_role"}';
set role service_role;
select is(public.get_queue_batch(), '[]'::jsonb, 'K45: without work the batch is an empty array');
select public.queue_refresh_if_not_exists('LOW', 'quote', 1, 10);
select public.queue_refresh_if_not_exists('MID', 'outside', 5, 20);
select public.queue_refresh_if_not_exists('HIGH', 'quote', 9, 30);
select public.queue_refresh_if_not_exists('NEXT', 'outside', 1, 40);
create temp table batch as select b.value as job, b.ordinality as place from jsonb_array_elements(public.get_queue_batch(batch_size => 2)) with ordinality b;
select results_eq($$ select job - 'id' from batch order by place $$, $$ values
  ('{"symbol": "HIGH", "data_type": "quote", "edge_function": "processor", "edge_function_name": "processor", "priority": 9, "estimated_size": 30}'::jsonb),
  ('{"symbol": "MID", "data_type": "outside", "edge_function": "fetch-fmp-earnings", "edge_function_name": "fetch-fmp-earnings", "priority": 5, "estimated_size": 20}'::jsonb) $$,
  'K45: the first two of all refresh queues, with their functions, in order');
select results_eq($$ select j ->> 'symbol' from jsonb_array_elements(public.get_queue_batch(null)) j $$, $$ values ('LOW'), ('NEXT') $$, 'K45: null is the default size, and older goes before newer');
select is((select array_agg(status order by symbol) from public.api_call_queue), array['processing', 'processing', 'processing', 'processing'], 'K45: all four are leased');
reset role;
select is((select min(lease_until) from mill.job_live), timestamptz '2030-01-01 00:05+00', 'K6: their leases last for five minutes');
set role authenticated;
select throws_ok('select public.get_queue_batch(1)', '42501', null, 'K45: a user takes no batch');
set role anon;
select throws_ok('select public.get_queue_batch(1)', '42501', null, 'K45: anon takes no batch');
reset role;
select is((select count(distinct worker)::int from mill.job_live), 2, 'each batch is a worker of its own');
select * from finish();
