select plan(6);
set mill.now = '2030-01-01 00:00+00';
insert into public.supported_symbols (symbol) select 'S' || n from generate_series(1, 300) n;
-- A quote with a hundred and twenty viewers, and one user who asks for everything at the highest priority.
insert into public.active_subscriptions_v2 (user_id, symbol, data_type, last_seen_at) select gen_random_uuid(), 'S1', 'quote', mill.now() from generate_series(1, 120);
insert into public.active_subscriptions_v2 (user_id, symbol, data_type, last_seen_at) values ('11111111-1111-4111-8111-111111111111', 'S2', 'quote', mill.now());
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
set role authenticated;
select is(public.check_and_queue_stale_batch(p_symbol => 'S2', p_data_types => array['quote', 'profile'], p_priority => 100)::text, '', 'K43: the call answers nothing');
select public.check_and_queue_stale_batch('S' || n, array['quote', 'profile', 'earnings'], 100) from generate_series(1, 300) n;
reset role;
select results_eq($$ select payload ->> 'symbol', kind, priority from mill.job_live $$, $$ values ('S2'::text, 'refresh.quote'::text, 1) $$,
  'K43: of 900 wishes the one that the user watches is queued, with its one viewer as priority');
set request.jwt.claims = '{"role": "service_role"}';
set role service_role;
select public.check_and_queue_stale_data_from_presence();
select is(public.get_queue_batch(1) #>> '{0,symbol}', 'S1', 'K43: a quote with a hundred viewers goes first');
reset role;
select is((select priority from mill.job_live where payload ->> 'symbol' = 'S1'), 100, 'K43: its priority is the number of viewers, counted to a hundred');
set request.jwt.claims = '{"role": "anon"}';
set role anon;
select throws_ok($$ select public.check_and_queue_stale_batch('S3', array['quote'], 5) $$, '42501', null, 'K43: anon queues nothing');
reset role;
set request.jwt.claims = '{"role": "service_role"}';
set role service_role;
select public.check_and_queue_stale_batch('S3', array['quote'], 77);
reset role;
select is((select priority from mill.job_live where payload ->> 'symbol' = 'S3'), 77, 'K43: the service needs no subscription and says the priority itself');
select * from finish();
