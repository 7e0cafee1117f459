select plan(9);
set mill.now = '2030-01-01 00:00+00';
insert into public.supported_symbols (symbol, is_active) values ('AAA', true), ('OLD', false);
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
set role authenticated;
select is(public.upsert_active_subscription_v2(p_user_id => '11111111-1111-4111-8111-111111111111', p_symbol => 'AAA', p_data_type => 'quote'),
  '{"status": "new", "queued": 1}', 'K40: a user subscribes under the own id');
select is(public.upsert_active_subscription_v2('11111111-1111-4111-8111-111111111111', 'AAA', 'quote') ->> 'status', 'seen', 'K40: a second call is a heartbeat');
select throws_ok($$ select public.upsert_active_subscription_v2('22222222-2222-4222-8222-222222222222', 'AAA', 'quote') $$, '42501', null, 'K40: nobody subscribes another user');
select throws_ok($$ select public.upsert_active_subscription_v2('11111111-1111-4111-8111-111111111111', 'OLD', 'quote') $$, 'GM036', null, 'K40: a symbol that is not active is not watched');
select throws_ok($$ insert into public.active_subscriptions_v2 (user_id, symbol, data_type) values ('11111111-1111-4111-8111-111111111111', 'AAA', 'profile') $$, '42501', null,
  'K40: a user writes no row of subscriptions directly');
select throws_ok($$ update public.active_subscriptions_v2 set last_seen_at = 'infinity' $$, '42501', null, 'K40: a user moves no heartbeat directly');
reset role;
set request.jwt.claims = '{"role": "anon"}';
set role anon;
select throws_ok($$ select public.upsert_active_subscription_v2('11111111-1111-4111-8111-111111111111', 'AAA', 'quote') $$, '42501', null, 'K40: anon subscribes nobody');
reset role;
select results_eq('select user_id::text, symbol, data_type, id is not null from public.active_subscriptions_v2',
  $$ values ('11111111-1111-4111-8111-111111111111', 'AAA', 'quote', true) $$, 'K40: what was refused has changed nothing');
select is((select priority from mill.job_live), 1, 'K40: the refresh has the number of viewers as its priority');
select * from finish();
