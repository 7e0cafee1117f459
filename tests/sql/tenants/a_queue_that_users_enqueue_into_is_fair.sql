select plan(7);
select is((select dequeue from mill.queue where queue = 'default'), 'fair', 'the queue default, which users enqueue into, is fair by default');
insert into mill.queue (queue) values ('quiet'), ('loud');
insert into mill.kind (kind, queue) values ('hidden', 'quiet');
select is((select dequeue from mill.queue where queue = 'quiet'), 'priority', 'a queue that only the service enqueues into goes by priority');
update mill.kind set open_to_users = true where kind = 'hidden';
select is((select dequeue from mill.queue where queue = 'quiet'), 'fair', 'opening one of its kinds to users makes a queue fair');
update mill.queue set dequeue = 'priority' where queue = 'quiet';
update mill.kind set description = 'changed' where kind = 'hidden';
select is((select dequeue from mill.queue where queue = 'quiet'), 'priority', 'an operator who sets it back has it so');

-- 300 jobs of one user, then one of another.
update mill.settings set value = '100000' where key = 'users.jobs_per_minute';
update mill.queue set max_parallel = 4, batch_size = 50 where queue = 'default';
set role authenticated;
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
select count(public.submit_job('echo', '{"delay_ms": 24000}', p_priority => 100)) from generate_series(1, 300);
reset role;
select count(*) from (select mill.claim('first', array['default'], 50)) c;
select count(*) from (select mill.claim('second', array['default'], 50)) c;
select is((select count(*) from mill.claim('third', array['default'], 50)), 0::bigint,
  'the jobs of one user are in half of the invocations of a function at the most');
set role authenticated;
set request.jwt.claims = '{"role": "authenticated", "sub": "22222222-2222-4222-8222-222222222222"}';
select public.submit_job('echo', '{"n": 1}', p_name => 'mine');
reset role;
select is((select array_agg(name) from mill.claim('third', array['default'], 50)), array['mine'], 'so the job of another user is claimed at once');
set request.jwt.claims = '{"role": "service_role"}';
select count(public.submit_job('echo', '{"n": 1}')) from generate_series(1, 3);
select count(*) from (select mill.claim('w' || n, array['default'], 1) from generate_series(1, 2) n) c;
select is((select count(*) from mill.claim('w3', array['default'], 10)), 1::bigint, 'what the service enqueues for nobody is not held to half of the invocations');
select * from finish();
