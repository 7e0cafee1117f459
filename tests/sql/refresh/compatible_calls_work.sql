-- include: rules/*.sql
select plan(16);
set mill.now = '2030-01-01 00:00+00';
select public.queue_refresh_if_not_exists('AAA', 'quote', 3, 500);
select public.queue_refresh_if_not_exists('AAA', 'quote', 9, 500);
select is((select count(*)::int from public.api_call_queue), 1, 'a refresh that waits is not queued again');
select is((select priority from public.api_call_queue), 9, 'a second wish only hurries it');
create temp table batch as select b.* from jsonb_to_recordset(public.get_queue_batch(10)) b(id uuid, symbol text, data_type text, edge_function text, edge_function_name text, priority int, estimated_size bigint);
select results_eq('select symbol, data_type, edge_function, edge_function_name, priority, estimated_size from batch',
  $$ values ('AAA'::text, 'quote'::text, 'processor'::text, 'processor'::text, 9, 500::bigint) $$, 'get_queue_batch gives what to fetch');
select public.complete_queue_job((select id from batch), 700);
select public.complete_queue_job((select id from batch), 700);
select is((select sum(data_size_bytes) from public.api_data_usage), 700::numeric, 'the bytes of a refresh that is completed twice are counted once');
select is((select job_id from public.api_data_usage), (select id from batch), 'a row of usage names its job');
select is((select status || estimated_data_size_bytes from public.api_call_queue), 'completed700', 'the view shows the actual size once completed');
select public.queue_refresh_if_not_exists('BBB', 'quote');
select public.fail_queue_job(b.id, 'no answer') from jsonb_to_recordset(public.get_queue_batch(1)) b(id uuid);
select is((select status || retry_count || error_message from public.api_call_queue where symbol = 'BBB'), 'pending1no answer', 'a failed refresh is to be tried again');
select public.queue_refresh_if_not_exists('CCC', 'quote');
create temp table stuck as select b.* from jsonb_to_recordset(public.get_queue_batch(1)) b(id uuid);
set mill.now = '2030-01-01 00:04+00';
select public.recover_stuck_jobs();
select is((select status from public.api_call_queue where symbol = 'CCC'), 'processing', 'a refresh of four minutes is not stuck');
set mill.now = '2030-01-01 00:10+00';
select public.recover_stuck_jobs(null, null);
select is((select status from public.api_call_queue where symbol = 'CCC'), 'pending', 'a refresh of ten minutes is recovered');
select public.complete_queue_job((select id from stuck), 5);
select is((select status from public.api_call_queue where symbol = 'CCC'), 'pending', 'whoever had it has lost it');
select lives_ok('select public.maintain_queue_partitions()', 'partitions are maintained');
delete from mill.job;
select public.check_and_queue_stale_data_from_presence('[{"symbol": "AAA", "data_type": "profile", "user_id": "a"}, {"symbol": "NONE", "data_type": "quote"}]');
select results_eq('select symbol, data_type, priority from public.api_call_queue', $$ values ('AAA'::text, 'profile'::text, 1) $$, 'K44: presence may be handed in, and what is not supported is left out');
select public.check_and_queue_stale_data_from_presence_v2(to_jsonb('[{"symbol": "BBB", "dataType": "quote", "userId": "a"}, {"symbol": "BBB", "dataType": "quote", "userId": "b"}, {"symbol": "BBB", "dataType": "quote", "userId": "a"}]'::text));
select results_eq($$ select symbol, data_type, priority from public.api_call_queue where symbol = 'BBB' $$, $$ values ('BBB'::text, 'quote'::text, 2) $$,
  'K44: presence may be a string that holds a list, in the other spelling, and the number of viewers is the priority');
select throws_ok($$ select public.check_and_queue_stale_data_from_presence('{"symbol": "CCC"}') $$, '22023', 'presence_subscriptions must be a list', 'K44: presence that is no list is refused');
select lives_ok($$ select public.check_and_queue_stale_data_from_presence('null') $$, 'K44: a JSON null is no list handed in');
select lives_ok($$ select public.check_and_queue_stale_data_from_presence('[]') $$, 'K44: an empty list is one');
select * from finish();
