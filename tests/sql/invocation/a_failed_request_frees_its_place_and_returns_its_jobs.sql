select plan(15);
set request.jwt.claims = '{"role": "service_role"}';
update mill.queue set batch_size = 2, max_parallel = 2 where queue = 'default';
-- Nobody sends in a copy of the template. This answers a request as pg_net and the relay do.
create function pg_temp.answer(p_invocation uuid, p_status int, p_error text, p_timed_out boolean default false) returns void language sql as $$
  with sent as (delete from net.http_request_queue q using mill.invocation i where i.id = p_invocation and q.id = i.request_id returning q.id)
  insert into net._http_response (id, status_code, error_msg, timed_out) select id, p_status, p_error, p_timed_out from sent
$$;
create function pg_temp.begin(p_max int default 2) returns uuid language plpgsql as $$
declare
  v_id uuid := mill.invoke('default', 'wake');
begin
  perform public.claim_jobs('edge-' || v_id, array['default'], p_max, null, v_id);
  return v_id;
end $$;
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', jsonb_build_object('n', n))) from generate_series(1, 6) n));
delete from mill.invocation; -- the one that this enqueue asked for
create temp table first as select pg_temp.begin() as id;
create temp table second as select pg_temp.begin() as id;
select is((select count(*) from mill.job where state = 'processing'), 4::bigint, 'two invocations hold four jobs');
select is(mill.invoke_due(), 0, 'two invocations fill max_parallel');
select is(mill.end_lost_invocations(), 0, 'an invocation whose request is under way is left alone');

select pg_temp.answer((select id from first), null, 'connection refused');
select mill.enqueue('[{"kind": "echo", "payload": {"n": 7}}]');
select is((select count(*) from mill.invocation i where i.begun_at is null), 1::bigint, 'an enqueue asks for a new one at once: a failed request holds nobody up');
delete from mill.invocation i where i.begun_at is null;

select mill.tick();
select is((select failure from mill.invocation i join first using (id)), 'connection refused', 'a round of the pump ends the lost invocation and says why');
select is((select count(*) from mill.job where worker = 'edge-' || (select id from first)), 0::bigint, 'its jobs are taken back');
select is((select count(*) from mill.job where state = 'pending' and lease_losses = 1), 2::bigint, 'jobs of a failed request are due at once: the outage was not theirs');
select is((select count(*) from mill.job where worker = 'edge-' || (select id from second)), 2::bigint, 'the jobs of the other invocation stay with it');
select is(mill.invoke_due(), 1, 'the pump may invoke again');
select is((public.settle_jobs('edge-' || (select id from first),
  (select jsonb_agg(jsonb_build_object('id', id, 'attempt', 1, 'outcome', 'completed')) from mill.job where lease_losses = 1),
  (select id from first))) #>> '{0,status}', 'lost', 'a function that was only cut off cannot settle any more');

-- An error of the function itself: one of its jobs may be the cause.
select pg_temp.answer((select id from second), 500, null);
-- Held to the time before the round, not to now: the wait may be a millisecond.
create temp table round as select clock_timestamp() as begun_at;
select mill.tick();
select is((select failure from mill.invocation i join second using (id)), 'answered 500', 'an error of the function loses the invocation too');
select ok((select bool_and(state = 'retrying' and run_at > (select begun_at from round)) from mill.job where error ->> 'worker' = 'edge-' || (select id from second)),
  'its jobs return spread out: one of them may be what broke it');
select is((select distinct error ->> 'message' from mill.job where error ->> 'worker' = 'edge-' || (select id from second)),
  'its invocation was lost: answered 500', 'the error of a job says how its worker was lost');

-- Lost a second time, also in an outage.
create temp table third as select pg_temp.begin(1000) as id;
select pg_temp.answer((select id from third), 502, null);
update round set begun_at = clock_timestamp();
select mill.tick();
select ok((select bool_and(state = 'retrying' and run_at > (select begun_at from round)) from mill.job where lease_losses = 2), 'a job that is lost again returns spread out in any case');
select is((select count(*) from mill.job_dead), 0::bigint, 'no job is buried for an outage');
select * from finish();
