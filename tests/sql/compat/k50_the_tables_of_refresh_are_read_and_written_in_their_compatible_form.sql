select plan(28);
set mill.now = '2030-01-01 00:00+00';
insert into public.supported_symbols (symbol) values ('AAA'), ('BBB');
insert into public.active_subscriptions_v2 (user_id, symbol, data_type, subscribed_at, last_seen_at) values
  ('11111111-1111-4111-8111-111111111111', 'AAA', 'quote', mill.now(), mill.now()),
  ('11111111-1111-4111-8111-111111111111', 'BBB', 'quote', mill.now(), mill.now() - interval '9 minutes'),
  ('22222222-2222-4222-8222-222222222222', 'AAA', 'quote', mill.now(), mill.now());
-- A user unsubscribes by the three columns.
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
set role authenticated;
select is((select count(*)::int from public.active_subscriptions_v2), 2, 'K50: a user sees the own subscriptions alone');
with gone as (delete from public.active_subscriptions_v2 where user_id = '22222222-2222-4222-8222-222222222222' and symbol = 'AAA' and data_type = 'quote' returning 1)
select is((select count(*)::int from gone), 0, 'K50: a user deletes no subscription of another');
with gone as (delete from public.active_subscriptions_v2 where user_id = '11111111-1111-4111-8111-111111111111' and symbol = 'AAA' and data_type = 'quote' returning 1)
select is((select count(*)::int from gone), 1, 'K50: a user deletes the own subscription by the three columns');
select throws_ok('select * from public.api_call_queue', '42501', null, 'K50: a user does not read the queue');
select throws_ok($$ insert into public.api_call_queue (symbol, data_type) values ('AAA', 'quote') $$, '42501', null, 'K50: a user does not write the queue');
select throws_ok('select * from public.api_data_usage', '42501', null, 'K50: a user does not read the usage');
select is((select is_active from public.supported_symbols where symbol = 'AAA'), true, 'K50: a user reads which symbols are supported');
select throws_ok($$ update public.supported_symbols set is_active = false $$, '42501', null, 'K50: a user does not change which symbols are supported');
reset role;
set request.jwt.claims = '{"role": "anon"}';
set role anon;
select throws_ok('select * from public.active_subscriptions_v2', '42501', null, 'K50: anon sees no subscription');
select throws_ok('delete from public.active_subscriptions_v2', '42501', null, 'K50: anon deletes no subscription');
reset role;
-- The service cleans up by last_seen_at and id.
set request.jwt.claims = '{"role": "service_role"}';
set role service_role;
delete from public.active_subscriptions_v2 where id in (select id from public.active_subscriptions_v2 where last_seen_at < timestamptz '2030-01-01 00:00+00' - interval '5 minutes');
select results_eq('select user_id::text, symbol from public.active_subscriptions_v2', $$ values ('22222222-2222-4222-8222-222222222222', 'AAA') $$, 'K50: the service selects by last_seen_at and deletes by id');

-- api_call_queue is inserted into and updated.
create temp table made (id uuid, symbol text, status text, priority int, retry_count int, metadata jsonb);
with row as (insert into public.api_call_queue (symbol, data_type, priority, status, estimated_data_size_bytes, metadata)
  values ('AAA', 'quote', 6, 'pending', 222, '{"source": "page"}') returning id, symbol, status, priority, retry_count, metadata)
insert into made select * from row;
select results_eq('select symbol, status, priority, retry_count, metadata from made', $$ values ('AAA', 'pending', 6, 0, '{"source": "page"}'::jsonb) $$, 'K50: an inserted row comes back whole');
with row as (insert into public.api_call_queue (symbol, data_type) values ('AAA', 'quote') returning id)
select is((select id from row), (select id from made), 'K50: what waits is not queued twice, and the row that is there comes back');
select throws_ok($$ insert into public.api_call_queue (symbol, data_type, status) values ('BBB', 'quote', 'completed') $$, '0A000', null, 'K50: a row is inserted as pending and nothing else');
select throws_ok($$ insert into public.api_call_queue (id, symbol, data_type) values (gen_random_uuid(), 'BBB', 'quote') $$, '0A000', null, 'K50: ids are given by the queue');
with row as (update public.api_call_queue set status = 'completed' where id = (select id from made) returning 1)
select is((select count(*)::int from row), 0, 'K4: a refresh that nobody holds is not completed by an update');
select throws_ok($$ update public.api_call_queue set priority = 100 $$, '0A000', null, 'K50: of a row only its status is changed');
select is(public.get_queue_batch() #>> '{0,id}', (select id::text from made), 'the refresh is claimed');
update public.api_call_queue set status = 'pending', retry_count = retry_count + 1, error_message = 'no answer', processed_at = now() where id = (select id from made);
select results_eq('select status, retry_count, error_message from public.api_call_queue', $$ values ('pending', 1, 'no answer') $$, 'K50: an update to pending with a counted retry is a failed attempt');
set mill.now = '2030-01-01 01:00+00';
select public.tick();
select is(jsonb_array_length(public.get_queue_batch()), 1, 'the refresh is claimed again');
update public.api_call_queue set status = 'pending', processed_at = null where id = (select id from made);
select results_eq('select status, retry_count, processed_at from public.api_call_queue', $$ values ('pending', 1, null::timestamptz) $$, 'K50: an update to pending alone is a reset');
select is(jsonb_array_length(public.get_queue_batch()), 1, 'the refresh is claimed once more');
update public.api_call_queue set status = 'completed', estimated_data_size_bytes = 333, processed_at = now() where id = (select id from made);
select results_eq('select status, estimated_data_size_bytes, processed_at from public.api_call_queue', $$ values ('completed', 333::bigint, timestamptz '2030-01-01 01:00+00') $$, 'K50: an update to completed completes it');
select results_eq('select created_at, data_size_bytes, job_id, id is not null from public.api_data_usage', $$ select timestamptz '2030-01-01 01:00+00', 333::bigint, id, true from made $$,
  'K50: its bytes are in api_data_usage, with the job');
select public.queue_refresh_if_not_exists('BBB', 'profile', 5, 1);
select is(jsonb_array_length(public.get_queue_batch()), 1, 'another refresh is claimed');
update public.api_call_queue set status = 'failed', error_message = 'not there' where symbol = 'BBB';
select results_eq($$ select status, error_message from public.api_call_queue where symbol = 'BBB' $$, $$ values ('failed', 'not there') $$, 'K50: an update to failed fails it for good');
select throws_ok('delete from public.api_call_queue', '42501', null, 'K50: history is not deleted');
select throws_ok($$ insert into public.api_data_usage (created_at, provider, data_type, calls, data_size_bytes) values (now(), 'fmp', 'quote', 1, 0) $$, '42501', null, 'K50: usage is written by the queue alone');
reset role;
select * from finish();
