select plan(16);
set mill.now = '2030-01-01 00:00+00';
set request.jwt.claims = '{"role": "service_role"}';
set role service_role;
select public.queue_refresh_if_not_exists('AAA', 'quote', 5, 10);
-- Takes the refresh, as a processor does that comes by an hour later.
create function pg_temp.take() returns uuid language plpgsql as $$
begin
  perform set_config('mill.now', (current_setting('mill.now')::timestamptz + interval '1 hour')::text, false);
  perform public.tick();
  return (public.get_queue_batch(1) #>> '{0,id}')::uuid;
end $$;
create function pg_temp.shown() returns text language sql as $$
  select concat_ws(' ', q.status, q.retry_count, coalesce(q.error_message, '-'), q.processed_at = current_setting('mill.now')::timestamptz) from public.api_call_queue q
$$;
create temp table job as select pg_temp.take() as id;
select is(pg_temp.shown(), 'processing 0 - t', 'K50: processed_at is set at the claim');
select is(public.reset_job_immediate(id)::text, '', 'K46: reset_job_immediate answers nothing') from job;
select is(pg_temp.shown(), 'pending 0 -', 'K50: processed_at is null after a reset, and no retry is counted');
select pg_temp.take();
select is(public.fail_queue_job(id, 'no answer')::text, '', 'K46: fail_queue_job answers nothing') from job;
select is(pg_temp.shown(), 'pending 1 no answer t', 'K50: retry_count is 1 after the first failure, and processed_at is set');
select pg_temp.take();
select is(pg_temp.shown(), 'processing 1 no answer t', 'K50: the retry is being processed');
select public.reset_job_immediate(id) from job;
select is(pg_temp.shown(), 'pending 1 no answer', 'K50: a reset of a retry leaves its count and no processed_at');
select pg_temp.take();
select public.fail_queue_job(id, 'again') from job;
select pg_temp.take();
select public.fail_queue_job(id, 'again') from job;
select is(pg_temp.shown(), 'pending 3 again t', 'K46: after three failures the third retry is to come');
select pg_temp.take();
select public.fail_queue_job(id, 'for good') from job;
select is(pg_temp.shown(), 'failed 3 for good t', 'K46: three retries at the most, then the refresh has failed');
select public.queue_refresh_if_not_exists('AAA', 'profile', 5, 10);
select is(public.complete_queue_job(pg_temp.take(), 4321)::text, '', 'K46: complete_queue_job answers nothing');
select results_eq($$ select status, estimated_data_size_bytes, processed_at from public.api_call_queue where data_type = 'profile' $$,
  $$ values ('completed', 4321::bigint, current_setting('mill.now')::timestamptz) $$, 'K50: a completed refresh has its actual size and time');
select throws_ok($$ select public.complete_queue_job(pg_temp.take(), -1) from (select public.queue_refresh_if_not_exists('BBB', 'quote', 5, 1)) q $$, '23514', null,
  'K46: a negative size is refused, or it would free the quota');
select is(public.recover_stuck_jobs()::text || public.queue_scheduled_refreshes()::text || public.maintain_queue_partitions()::text
  || public.invoke_processor_if_healthy()::text || public.invoke_processor_loop()::text, '', 'K46: the calls of cron answer nothing');
set role authenticated;
create function pg_temp.refused(p_role text) returns boolean language plpgsql as $$
declare
  v_call text;
begin
  execute format('set local role %I', p_role);
  foreach v_call in array array['complete_queue_job(gen_random_uuid(), 1)', 'fail_queue_job(gen_random_uuid(), '''')', 'reset_job_immediate(gen_random_uuid())',
    'recover_stuck_jobs()', 'queue_scheduled_refreshes()', 'maintain_queue_partitions()', 'invoke_processor_if_healthy()', 'invoke_processor_loop()'] loop
    begin
      execute 'select public.' || v_call;
      return false;
    exception when insufficient_privilege then null;
    end;
  end loop;
  return true;
end $$;
reset role;
select ok(pg_temp.refused('authenticated'), 'K46: a user may call none of them');
select ok(pg_temp.refused('anon'), 'K46: anon may call none of them');
select is((select state from mill.job where payload ->> 'data_type' = 'profile'), 'completed', 'what was completed stays so');
select * from finish();
