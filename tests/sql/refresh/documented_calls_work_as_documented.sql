-- include: rules/*.sql
select plan(14);
set mill.now = '2030-01-01 00:00+00';
select ok(public.queue_refresh_if_not_exists('AAA', 'quote', 3, 500), 'queued');
select ok(not public.queue_refresh_if_not_exists('AAA', 'quote', 9, 500), 'once');
select is((select priority from public.api_call_queue), 9, 'a second wish only hurries it');
create temp table batch as select * from public.get_queue_batch(10);
select results_eq('select symbol, data_type, retry_count from batch', $$ values ('AAA'::text, 'quote'::text, 0) $$, 'get_queue_batch gives what to fetch');
select is(public.complete_queue_job((select id from batch), 700), true, 'completed');
select is(public.complete_queue_job((select id from batch), 700), false, 'once');
select is((select sum(bytes) from public.api_data_usage), 700::numeric, 'and its bytes are counted once');
select is((select status || actual_data_size_bytes from public.api_call_queue), 'completed700', 'the view shows it');
select public.queue_refresh_if_not_exists('BBB', 'quote');
select ok((select public.fail_queue_job(b.id, 'no answer') from public.get_queue_batch(1) b), 'failed');
select is((select status || error_message from public.api_call_queue where symbol = 'BBB'), 'retryingno answer', 'to be tried again');
select public.queue_refresh_if_not_exists('CCC', 'quote');
create temp table stuck as select * from public.get_queue_batch(1);
set mill.now = '2030-01-01 00:10+00';
select is(public.recover_stuck_jobs(5, 3), 1, 'a stuck one is recovered');
select is(public.complete_queue_job((select id from stuck), 5), false, 'and whoever had it has lost it');
select ok(public.maintain_queue_partitions() ? 'made', 'partitions are maintained');
select results_eq($$ select public.check_and_queue_stale_data_from_presence('[{"symbol": "AAA", "data_type": "profile"}, {"symbol": "NONE", "data_type": "quote"}]') $$,
  $$ values ('{"queued": 1}'::jsonb) $$, 'presence may be handed in');
select * from finish();
