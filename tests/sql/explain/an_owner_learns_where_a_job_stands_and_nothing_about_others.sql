select plan(8);
set mill.now = '2030-01-01 00:00+00';
create temp table job as select e.id from mill.enqueue('[{"kind": "echo", "payload": {"a": 1}, "owner": "00000000-0000-0000-0000-00000000000a"}]') e;
grant select on job to authenticated, service_role, anon;
update mill.queue set paused = true where queue = 'default';

set role authenticated;
set request.jwt.claims = '{"role": "authenticated", "sub": "00000000-0000-0000-0000-00000000000a"}';
select is(public.explain_job(id) ->> 'sentence', 'The job waits for its turn.', 'the owner of a waiting job learns that it waits, not that an operator has paused the queue') from job;
select is(public.explain_job(id) #>> '{reasons,0,code}', 'waiting', 'the owner gets a code too') from job;
set request.jwt.claims = '{"role": "authenticated", "sub": "00000000-0000-0000-0000-00000000000b"}';
select is(public.explain_job(id), null, 'the job of another does not exist') from job;
reset role;
set role service_role;
set request.jwt.claims = '{"role": "service_role"}';
select is(public.explain_job(id) #>> '{reasons,0,code}', 'queue_paused', 'the service learns the reason') from job;
reset role;
set role anon;
set request.jwt.claims = '{"role": "anon"}';
select throws_ok('select public.explain_job(id) from job', '42501', null, 'nobody asks without signing in');
reset role;

update mill.queue set paused = false where queue = 'default';
select mill.claim('worker-of-the-house', array['default'], 1);
set role authenticated;
set request.jwt.claims = '{"role": "authenticated", "sub": "00000000-0000-0000-0000-00000000000a"}';
select is(public.explain_job(id) ->> 'sentence', 'The job is running.', 'the owner of a running job does not learn the name of the worker') from job;
reset role;
select mill.settle('worker-of-the-house', jsonb_build_array(jsonb_build_object('id', id, 'attempt', 1, 'outcome', 'failed', 'delay_seconds', 60,
  'error', '{"type": "http", "message": "secret address"}'::jsonb))) from job;
set role authenticated;
select is(public.explain_job(id) ->> 'sentence', 'An attempt has failed. The job is tried again at 2030-01-01 00:01:00 UTC.', 'the owner of a retried job learns when it is tried again') from job;
reset role;
select is(mill.explain_job(id) #>> '{reasons,0,code}', 'retrying', 'the operator learns the same with the error') from job;
select * from finish();
