select plan(10);
set request.jwt.claims = '{"role": "service_role"}';
set mill.now = '2030-01-01 00:00+00';
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]');
create temp table asked as select id from mill.invocation;
select is((select convert_from(body, 'UTF8')::jsonb ->> 'seconds' from net.http_request_queue), '30', 'the function is told how long it may take');
select is((select timeout_milliseconds from net.http_request_queue), 30000, 'the request of an invocation ends with the time of the function');
select public.claim_jobs('edge', array['default'], 10, null, (select id from asked));
select is((select lease_until from mill.job), '2030-01-01 00:00:30+00'::timestamptz, 'the leases of an invocation end with its time, whatever the lease of the queue is');
set mill.now = '2030-01-01 00:00:29+00';
select is(mill.end_lost_invocations(), 0, 'before that time the invocation is left alone');
set mill.now = '2030-01-01 00:00:31+00';
select is(mill.end_lost_invocations(), 1, 'after that time it is lost');
select is((select failure from mill.invocation), 'no answer within 30 s', 'a lost invocation says so');
select is((select state from mill.job), 'retrying', 'its jobs are taken back');

-- A crash of Postgres empties the tables of pg_net.
update mill.job_live set run_at = mill.now();
select mill.promote();
create temp table again as select mill.invoke('default', 'pump') as id;
select public.claim_jobs('edge2', array['default'], 10, null, (select id from again));
delete from net.http_request_queue;
select mill.tick();
select is((select failure from mill.invocation i join again using (id)), 'the request was lost when Postgres crashed', 'a request that is nowhere was lost in a crash');
select is((select worker from mill.job), null, 'its jobs are taken back at once');

-- A request that was given up arrives after all.
update mill.job_live set run_at = mill.now();
select mill.promote();
create temp table late as select mill.invoke('default', 'pump') as id;
set mill.now = '2030-01-01 00:02+00';
select mill.end_lost_invocations();
select is(jsonb_array_length(public.claim_jobs('edge3', array['default'], 10, null, (select id from late))), 1,
  'a request that arrives after it was given up still claims');
select * from finish();
