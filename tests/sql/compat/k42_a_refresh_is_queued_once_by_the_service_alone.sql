select plan(7);
set mill.now = '2030-01-01 00:00+00';
set role service_role;
select is(public.queue_refresh_if_not_exists(p_symbol => 'AAA', p_data_type => 'quote', p_priority => 7, p_estimated_size => 300)::text, '', 'K42: the call answers nothing');
select public.queue_refresh_if_not_exists('AAA', 'quote', 7, 300);
select results_eq('select symbol, data_type, priority, status, estimated_data_size_bytes from public.api_call_queue',
  $$ values ('AAA'::text, 'quote'::text, 7, 'pending'::text, 300::bigint) $$, 'K42: what waits is not queued again');
select public.queue_refresh_if_not_exists('AAA', 'profile', null, null);
select results_eq($$ select priority, estimated_data_size_bytes from public.api_call_queue where data_type = 'profile' $$, 'values (5, 2500::bigint)',
  'K42: null is the default priority and the type''s own estimate');
select throws_ok($$ select public.queue_refresh_if_not_exists('AAA', 'nothing', 1, 1) $$, 'GM036', null, 'K42: an unknown type is refused');
set role authenticated;
select throws_ok($$ select public.queue_refresh_if_not_exists('BBB', 'quote', 1, 1) $$, '42501', null, 'K42: a user does not queue by this call');
set role anon;
select throws_ok($$ select public.queue_refresh_if_not_exists('BBB', 'quote', 1, 1) $$, '42501', null, 'K42: anon does not either');
reset role;
select is((select count(*)::int from mill.job_live), 2, 'K42: what was refused has queued nothing');
select * from finish();
