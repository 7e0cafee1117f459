-- include: rules/*.sql
select plan(20);
delete from mill.schedule; -- the passes are those of this test
-- The provider is down: every attempt of what is due fails, until a dead letter is made or nothing is left.
create function pg_temp.fail_all() returns void language plpgsql as $$
declare
  v_jobs jsonb;
begin
  for i in 1 .. 10 loop
    update mill.job_live set run_at = mill.now() - interval '1 second' where waits;
    perform mill.promote();
    v_jobs := public.claim_refresh('w') -> 'jobs';
    exit when v_jobs = '[]';
    perform public.settle_refresh('w', (select jsonb_agg(jsonb_build_object('id', j -> 'id', 'attempt', j -> 'attempt', 'outcome', 'failed',
      'error', '{"type": "http", "message": "503", "retryable": true}'::jsonb)) from jsonb_array_elements(v_jobs) j));
  end loop;
end $$;
create function pg_temp.pass() returns int language sql as $$ select (mill.check_presence(null) ->> 'queued')::int $$;
-- Minutes until a pass asks for anything, one pass per minute, an hour at the most; then the provider fails again.
create function pg_temp.minutes_to_the_next_try() returns int language plpgsql as $$
begin
  for v_minute in 1 .. 60 loop
    perform set_config('mill.now', (mill.now() + interval '1 minute')::text, false);
    update public.active_subscriptions_v2 set last_seen_at = mill.now();
    perform mill.cleanup_subscriptions();
    if pg_temp.pass() > 0 then
      return v_minute;
    end if;
  end loop;
end $$;
create function pg_temp.next_try_that_fails() returns int language plpgsql as $$
declare
  v_minutes int := pg_temp.minutes_to_the_next_try();
begin
  perform set_config('mill.now', (mill.now() + interval '15 seconds')::text, false);
  perform pg_temp.fail_all();
  perform set_config('mill.now', (mill.now() - interval '15 seconds')::text, false);
  return v_minutes;
end $$;

set mill.now = '2030-01-01 00:00+00';
update mill.api_rate_limits set requests_per_minute = null where provider_name = 'fmp';
update mill.queue set lease_seconds = 60;
insert into public.active_subscriptions_v2 (user_id, symbol, data_type, subscribed_at, last_seen_at) values (gen_random_uuid(), 'AAA', 'quote', mill.now(), mill.now());
select is(pg_temp.pass(), 1, 'a watched symbol without data is asked for');
select pg_temp.fail_all();
select is((select count(*)::int from mill.job_dead), 1, 'the provider is down, and the refresh is a dead letter');
select is(pg_temp.next_try_that_fails(), 1, 'the next pass tries a symbol again whose refresh became a dead letter');
select is(pg_temp.next_try_that_fails(), 2, 'after a second dead letter in a row the symbol waits for a minute, to the pass after that');
select is(pg_temp.next_try_that_fails(), 3, 'after a third dead letter in a row the symbol waits for two minutes');
select is(pg_temp.next_try_that_fails(), 5, 'after a fourth dead letter in a row the symbol waits for four minutes');
select is(pg_temp.next_try_that_fails(), 9, 'after a fifth dead letter in a row the symbol waits for eight minutes');
select is(pg_temp.next_try_that_fails(), 16, 'the pause does not grow beyond refresh.failure_pause_max_minutes');
select is(pg_temp.next_try_that_fails(), 16, 'the pause does not grow later');

-- A new watcher.
select is(pg_temp.pass(), 0, 'no pass asks for the symbol during the pause');
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
select set_config('mill.now', (mill.now() + interval '1 minute')::text, false);
select is(public.upsert_active_subscription_v2(p_symbol => 'AAA', p_data_type => 'quote') ->> 'queued', '0', 'subscribing does not ask during the pause, so that nobody can ask over and over');
select is(pg_temp.minutes_to_the_next_try(), 1, 'the next pass asks for a symbol that has a new watcher');
select pg_temp.fail_all();
select is(pg_temp.minutes_to_the_next_try(), 15, 'a watcher who was there at the last dead letter waits like the others');

-- The provider is back.
create temp table job as select j as it from jsonb_array_elements(public.claim_refresh('w') -> 'jobs') j;
select public.settle_refresh('w', jsonb_build_array(jsonb_build_object('id', it -> 'id', 'attempt', it -> 'attempt', 'symbol', 'AAA', 'data_type', 'quote',
  'outcome', 'fetched', 'bytes', 100, 'called', true, 'rows', pg_temp.quote('AAA', mill.now())))) from job;
select is((select count(*)::int from mill.data_check), 0, 'a success ends the count of dead letters');
select is(pg_temp.next_try_that_fails(), 1, 'the data is stale a minute later, and the refresh fails');
select is(pg_temp.next_try_that_fails(), 1, 'the first dead letter after a success pauses nothing');

-- The other ways to a dead letter.
delete from mill.data_check;
delete from mill.job;
update mill.queue set max_attempts = 1, max_lease_losses = 1 where queue = 'refresh';
select pg_temp.pass();
select public.fail_queue_job(b.id, 'no answer') from jsonb_to_recordset(public.get_queue_batch(1)) b(id uuid);
select is((select failures from mill.data_check), 1, 'a dead letter of fail_queue_job counts');
select pg_temp.minutes_to_the_next_try();
select public.claim_refresh('w');
select set_config('mill.now', (mill.now() + interval '10 minutes')::text, false);
select mill.reclaim();
select is((select failures from mill.data_check), 2, 'a dead letter of lost processors counts');
select set_config('mill.now', (mill.now() + interval '10 minutes')::text, false);
update public.active_subscriptions_v2 set last_seen_at = mill.now();
select pg_temp.pass();
select public.complete_queue_job(b.id, 10) from jsonb_to_recordset(public.get_queue_batch(1)) b(id uuid);
select is((select state from mill.job where payload ->> 'symbol' = 'AAA' order by created_at desc limit 1), 'completed', 'a compat processor completes the refresh');
select is((select count(*)::int from mill.data_check), 0, 'a success of complete_queue_job ends the count of dead letters');
select * from finish();
