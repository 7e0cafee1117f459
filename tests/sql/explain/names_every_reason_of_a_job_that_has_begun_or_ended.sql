select plan(24);
set mill.now = '2030-01-01 00:00+00';
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
create function pg_temp.one(p_more jsonb default '{}') returns uuid language sql as $$
  select e.id from mill.enqueue(jsonb_build_array('{"kind": "echo", "payload": {"a": 1}}'::jsonb || p_more)) e $$;
create function pg_temp.code(p_id uuid) returns text language sql as $$ select mill.explain_job(p_id) #>> '{reasons,0,code}' $$;
create function pg_temp.said(p_id uuid) returns text language sql as $$ select mill.explain_job(p_id) ->> 'sentence' $$;
create function pg_temp.settle(p_outcome jsonb) returns void language sql as $$
  select mill.settle('w', jsonb_agg(p_outcome || jsonb_build_object('id', j.id, 'attempt', j.attempt))) from mill.job_live j where j.worker = 'w' $$;

select is(mill.explain_job('00000000-0000-7000-8000-000000000000'), null, 'an unknown job has no explanation');

create temp table later as select pg_temp.one('{"run_at": "2030-01-02 12:30+00"}') as id;
select is(pg_temp.code(id), 'not_due', 'a job for tomorrow is not due') from later;
select is(pg_temp.said(id), 'The job is not due before 2030-01-02 12:30:00 UTC, as it was enqueued. Wait, or retry it in the console to have it run at once.', 'not due says until when') from later;
select is((mill.explain_job(id) #>> '{reasons,0,until}')::timestamptz, '2030-01-02 12:30+00', 'not due has the time for programs') from later;
set mill.now = '2030-01-02 12:31+00';
select is(pg_temp.code(id), 'due_soon', 'a deferred job whose time has come waits for its promotion') from later;
set mill.now = '2030-01-01 00:00+00';
update mill.queue set paused = true where queue = 'default';
select is(mill.explain_job(id) #>> '{reasons,1,code}', 'queue_paused', 'a job that is not due yet also tells that its queue is paused') from later;
update mill.queue set paused = false where queue = 'default';

create temp table job as select pg_temp.one() as id;
select mill.claim('w', array['default'], 1);
select is(pg_temp.code(id), 'running', 'a claimed job is running') from job;
select matches(pg_temp.said(id), '^Worker w has run it since 2030-01-01 00:00:00 UTC \(attempt 1 of 5\), and holds it until 2030-01-01 00:05:00 UTC', 'running names the worker and the lease') from job;
set mill.now = '2030-01-01 00:06+00';
select is(pg_temp.code(id), 'lease_expired', 'a lease that ended without a word is named') from job;
select matches(pg_temp.said(id), 'gristmill doctor', 'an expired lease says what to do if it stays so') from job;
set mill.now = '2030-01-01 00:00+00';
select mill.cancel(array[id]) from job;
select is(pg_temp.code(id), 'cancel_requested', 'a running job that was cancelled says so') from job;
select pg_temp.settle('{"outcome": "completed"}');
select mill.heartbeat('w', jsonb_build_array(jsonb_build_object('id', id, 'attempt', 1))) from job;
select is(pg_temp.code(id), 'cancelled', 'a cancelled job has ended') from job;

create temp table second as select pg_temp.one() as id;
select mill.claim('w', array['default'], 1);
select pg_temp.settle('{"outcome": "failed", "delay_seconds": 60, "error": {"type": "http", "message": "502 from the bank"}}');
select is(pg_temp.code(id), 'retrying', 'a failed attempt is retried') from second;
select is(pg_temp.said(id), 'Attempt 1 of 5 failed: http: 502 from the bank. The job is tried again at 2030-01-01 00:01:00 UTC. Wait, or mend the cause and retry it in the console.', 'retrying has the error and the time') from second;
set mill.now = '2030-01-01 00:02+00';
select mill.promote();
select mill.claim('w', array['default'], 1);
select pg_temp.settle('{"outcome": "snoozed", "delay_seconds": 600, "error": {"type": "rate_limited", "message": "the bank asks for patience"}}');
select is(pg_temp.code(id), 'snoozed', 'a job that was put off is told from one that was enqueued for later') from second;
select matches(pg_temp.said(id), 'until 2030-01-01 00:12:00 UTC: rate_limited: the bank asks for patience', 'snoozed has the reason that the worker gave') from second;
set mill.now = '2030-01-01 00:13+00';
select mill.promote();
select mill.claim('w', array['default'], 1);
select pg_temp.settle('{"outcome": "snoozed", "delay_seconds": 60, "error": {"type": "unknown_kind", "message": "no handler"}}');
select is(pg_temp.code(id), 'unknown_kind', 'a job that was given back for want of a handler says so') from second;
select matches(pg_temp.said(id), 'Deploy a function or start a worker that handles echo', 'an unknown kind says what to deploy') from second;
set mill.now = '2030-01-01 00:15+00';
select mill.promote();
select mill.claim('w', array['default'], 1);
select pg_temp.settle('{"outcome": "dead", "error": {"type": "refused", "message": "no such account"}}');
select is(pg_temp.code(id), 'dead', 'a dead letter is named') from second;
select matches(pg_temp.said(id), 'refused: no such account', 'a dead letter has its last error') from second;
-- The statement that the sentence names is run as it stands.
create temp table advice as select substring(pg_temp.said(id) from 'then run: (select .*);$') as command from second;
do $$ begin execute (select command from advice); end $$;
select is((select state from mill.job where id = (select id from second)), 'pending', 'the statement in the sentence of a dead letter retries it');
select mill.claim('w', array['default'], 1);
select pg_temp.settle('{"outcome": "completed", "result": {}}');
select is(pg_temp.code(id), 'completed', 'a completed job has ended') from second;
select is(mill.explain_job(id) ->> 'state', 'completed', 'the answer names the state') from second;
select is(jsonb_array_length(mill.explain_job(id) -> 'reasons'), 1, 'a job that has ended has one reason') from second;
select * from finish();
