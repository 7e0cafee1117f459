-- A processor that is started once per minute takes back what is stuck, works until the queue is empty, and ends. What it has taken back must be in its own batches.
select plan(4);
update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds';
set mill.now = '2030-01-01 00:00+00';
set request.jwt.claims = '{"role": "service_role"}';
set role service_role;
create function pg_temp.batch() returns text language sql as $$
  select coalesce(string_agg(b ->> 'symbol', ' '), '-') from jsonb_array_elements(public.get_queue_batch(5)) b $$;
select public.queue_refresh_if_not_exists('AAA', 'quote', 5, 10);
select is(pg_temp.batch(), 'AAA', 'a first processor takes the refresh');
set mill.now = '2030-01-01 00:10+00';
select is(pg_temp.batch(), '-', 'K45: a refresh whose processor is silent is in no other batch before somebody takes it back');
select public.recover_stuck_jobs();
select is(pg_temp.batch(), 'AAA', 'K45: a refresh that recover_stuck_jobs took back is in the next batch');
select public.fail_queue_job(id, 'no answer') from public.api_call_queue;
set mill.now = '2030-01-01 02:00+00';
select is(pg_temp.batch(), 'AAA', 'K45: a failed refresh is in the first batch after its delay');
select * from finish();
