-- include: rules/*.sql
select plan(3);
create temp table calls (call text, routine regproc);
insert into calls values
  ('public.is_quota_exceeded()', 'public.is_quota_exceeded'), ('public.queue_refresh_if_not_exists(''AAA'', ''quote'', 5, 1)', 'public.queue_refresh_if_not_exists'),
  ('public.check_and_queue_stale_batch(''AAA'', array[''quote''], 5)', 'public.check_and_queue_stale_batch'),
  ('public.check_and_queue_stale_data_from_presence()', 'public.check_and_queue_stale_data_from_presence'),
  ('public.queue_scheduled_refreshes()', 'public.queue_scheduled_refreshes'), ('public.claim_refresh(''w'')', 'public.claim_refresh'),
  ('public.settle_refresh(''w'', ''[]'')', 'public.settle_refresh'), ('public.get_queue_batch(5)', 'public.get_queue_batch'),
  ('public.complete_queue_job(gen_random_uuid(), 1)', 'public.complete_queue_job'), ('public.fail_queue_job(gen_random_uuid(), '''')', 'public.fail_queue_job'),
  ('public.reset_job_immediate(gen_random_uuid())', 'public.reset_job_immediate'), ('public.recover_stuck_jobs(1, 1)', 'public.recover_stuck_jobs'),
  ('public.invoke_processor_if_healthy()', 'public.invoke_processor_if_healthy'), ('public.invoke_processor_loop()', 'public.invoke_processor_loop'),
  ('public.maintain_queue_partitions()', 'public.maintain_queue_partitions'),
  ('public.check_and_queue_stale_data_from_presence_v2()', 'public.check_and_queue_stale_data_from_presence_v2'),
  ('public.upsert_active_subscription_v2(gen_random_uuid(), ''AAA'', ''quote'')', 'public.upsert_active_subscription_v2');
-- What a replica is: a transaction that may not write.
create function pg_temp.state_on_a_replica(p_call text) returns text language plpgsql as $$
begin
  perform set_config('transaction_read_only', 'on', true);
  execute 'select ' || p_call;
  raise exception 'answered' using errcode = 'GMX00';
exception when others then
  return sqlstate;
end $$;
create function pg_temp.holds() returns boolean language sql as $$ select bool_and(pg_temp.state_on_a_replica(c.call) = 'GM037') from calls c $$;
select ok(pg_temp.holds(), 'each says so instead of answering from what was true a moment ago');
select is_empty($$ select c.routine from calls c join pg_proc p on p.oid = c.routine where p.provolatile <> 'v' $$, 'each call for the primary is volatile, so PostgREST takes none for a read');
select pg_temp.caught('pg_temp.holds()', 'mill.require_primary', 'raise exception', 'raise notice');
select * from finish();
