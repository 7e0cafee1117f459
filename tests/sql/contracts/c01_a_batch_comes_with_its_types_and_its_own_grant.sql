-- include: rules/*.sql
select plan(8);
set mill.now = '2030-01-01 00:00+00';
select public.queue_refresh_if_not_exists('AAA', 'quote');
create temp table batch as select public.claim_refresh('w') as it;
select is((select array_agg(k) from batch, jsonb_object_keys(it -> 'types') k), array['quote'], 'a batch has the registry rows of its own types and of no other');
select ok((select it #>> '{types,quote,provider}' = 'fmp' from batch), 'the registry rows of a batch have what the processor needs of each type');

-- The grant of a claim stands at the last moment at which its calls may begin; grants of earlier claims stay where they are.
select pg_temp.clear();
insert into mill.api_use (at, tokens, requests, provider, endpoint) values (mill.now() - interval '20 seconds', 0, 1, 'fmp', '');
select public.queue_refresh_if_not_exists('AAA', 'quote');
select public.claim_refresh('w') is not null as claimed;
select is((select array_agg(at - mill.now() order by at) from mill.api_use), array[interval '-20 seconds', interval '12 seconds'], 'the grant of this claim is moved, and an earlier one is not');

-- A type that was switched off while a refresh of it waited.
select pg_temp.clear();
select public.queue_refresh_if_not_exists('AAA', 'quote');
update public.data_type_registry set is_enabled = false where data_type = 'quote';
select is((select public.claim_refresh('w') -> 'types'), '{}', 'a type that is switched off is not handed to a processor');
select is(mill.check_symbol('BBB', array['quote'], 5), 0, 'nothing of a type that is switched off is queued for a subscriber');
select public.check_and_queue_stale_data_from_presence('[{"symbol": "BBB", "data_type": "quote", "user_id": "a"}]');
insert into public.active_subscriptions_v2 (user_id, symbol, data_type, subscribed_at, last_seen_at) values (gen_random_uuid(), 'BBB', 'quote', mill.now(), mill.now());
select public.check_and_queue_stale_data_from_presence();
select is((select count(*)::int from mill.job_live where payload ->> 'symbol' = 'BBB'), 0, 'nothing of a type that is switched off is queued for a watcher, whether handed in or in the table');
update public.data_type_registry set is_enabled = true where data_type = 'quote';
update public.supported_symbols set is_active = false where symbol = 'CCC';
select is(mill.check_symbol('CCC', array['quote'], 5) + mill.check_symbol('NONE', array['quote'], 5), 0, 'nothing is queued of a symbol that is unknown or no longer supported');
select is(mill.check_symbol('BBB', array['quote'], 5), 1, 'a refresh is queued of a symbol that is supported');
select * from finish();
