select plan(37);
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
create function pg_temp.as_role(p_role text) returns void language sql as $$
  select set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', '00000000-0000-4000-8000-00000000000a', 'email', 'ana@example.com', 'gristmill_role', p_role)::text, false) $$;
create function pg_temp.one(p_more jsonb default '{}') returns uuid language sql as $$ select e.id from mill.enqueue(jsonb_build_array('{"kind": "echo", "payload": {"a": 1}}'::jsonb || p_more)) e $$;
create function pg_temp.dead(p_more jsonb default '{}') returns uuid language plpgsql as $$
declare v_id uuid := pg_temp.one(p_more || '{"priority": 100}');
begin
  perform mill.settle('w', jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt, 'outcome', 'dead', 'error', '{"type": "boom", "message": "x"}'::jsonb))) from mill.claim('w', array['default'], 1) c;
  return v_id;
end $$;
create function pg_temp.state(p_id uuid) returns text language sql as $$ select state from mill.job where id = p_id $$;
select pg_temp.as_role('operator');

create temp table dead as select pg_temp.dead() as id;
create temp table later as select pg_temp.one('{"run_at": "2099-01-01"}') as id;
select throws_ok(format('select public.console_retry(array[%L]::uuid[], null)', id), 'GM111', null, 'an action needs a reason') from dead;
select is(public.console_retry(array[dead.id, later.id, '00000000-0000-7000-8000-000000000000'], 'bank is back') ->> 'changed', '2', 'a dead letter and a waiting job are retried') from dead, later;
select is(pg_temp.state(id), 'pending', 'a retried dead letter is pending') from dead;
select is(pg_temp.state(id), 'pending', 'a job for later is due at once') from later;
select results_eq($$ select action, actor::text, actor_role, new_values ->> 'email', reason, source from mill.audit_log where job_id = (select id from dead) and action = 'retry' $$,
  $$ values ('retry', '00000000-0000-4000-8000-00000000000a', 'authenticated', 'ana@example.com', 'bank is back', 'console') $$, 'a retry is one audit row with actor, reason and source');
select is((select count(*)::int from mill.audit_log where job_id = (select id from later) and action = 'make_due' and reason = 'bank is back'), 1, 'making a job due is an audit row');
select is(public.console_retry(array[id], 'again') #>> '{results,0,status}', 'not_dead', 'a pending job cannot be retried') from dead;

select is(public.console_cancel(array[dead.id, later.id], 'wrong customer') ->> 'changed', '2', 'pending jobs are cancelled') from dead, later;
select is(pg_temp.state(id), 'cancelled', 'a cancelled job has ended') from dead;
select is((select reason from mill.audit_log where job_id = (select id from dead) and action = 'cancel'), 'wrong customer', 'a cancellation is an audit row with its reason');
create temp table running as select pg_temp.one() as id;
select mill.claim('w', array['default'], 1);
select is(public.console_cancel(array[id], 'stop it') #>> '{results,0,status}', 'requested', 'a running job is asked to stop') from running;
select is(public.console_job(id) #>> '{explain,reasons,0,code}', 'cancel_requested', 'a job that was asked to stop says so') from running;

create temp table gone as select pg_temp.dead() as id;
select is(public.console_discard(array[id], 'test data') ->> 'changed', '1', 'a dead letter is discarded') from gone;
select is(public.console_job(id), '{"job": null}', 'a discarded job is gone') from gone;
select is((select reason from mill.audit_log where job_id = (select id from gone) and action = 'discard'), 'test data', 'a discarded job has left an audit row with the reason');
select throws_ok($$ select public.console_retry('{}', 'x') $$, 'GM112', null, 'no ids are refused');
select throws_ok($$ select public.console_retry(array(select gen_random_uuid() from generate_series(1, 501)), 'x') $$, 'GM112', 'p_ids has 501 ids, and 1 to 500 are allowed', 'more than 500 ids are refused');

-- An edited copy.
create temp table original as select pg_temp.dead('{"owner": "00000000-0000-4000-8000-0000000000aa", "group_key": "acme", "correlation_id": "c-9"}') as id;
create temp table copy as
select (public.console_enqueue('echo', '{"cents": 12345678901234567890}', jsonb_build_object('copy_of', id, 'priority', 9), 'mended the amount') ->> 'id')::uuid as id from original;
select results_eq($$ select j.payload ->> 'cents', j.owner::text, j.group_key, j.correlation_id, j.priority from mill.job j join copy using (id) $$,
  $$ values ('12345678901234567890', '00000000-0000-4000-8000-0000000000aa', 'acme', 'c-9', 9) $$, 'a copy has an exact payload, and owner, group and correlation id of its original');
select is((select new_values ->> 'copy_of' from mill.audit_log where job_id = (select id from copy) and action = 'enqueue'), (select id::text from original), 'the audit row of a copy names its original');
select is(public.console_job(copy.id) #>> '{links,0,id}', original.id::text, 'a copy and its original are linked by their correlation id') from copy, original;
select throws_ok($$ select public.console_enqueue('echo', '{"a": 1', '{}', 'x') $$, 'GM110', null, 'a payload that is no JSON is refused');
select throws_ok($$ select public.console_enqueue('echo', '{"a": 1}', '{"run_at": "soon"}', 'x') $$, 'GM110', null, 'a time that is none is refused');
select throws_ok($$ select public.console_enqueue('echo', '{"a": 1}', '{"copy_of": "x"}', 'x') $$, 'GM110', null, 'a copy of what is no id is refused');
select throws_ok(format('select public.console_enqueue(''echo'', %L, ''{}'', ''x'')', repeat('[', 100000)), 'GM110', null, 'a payload that is nested without end is refused');
select throws_ok($$ select public.console_enqueue('echo', '[1]', '{}', 'x') $$, 'GM002', null, 'a payload that is no object is refused as in enqueue');
select throws_ok($$ select public.console_enqueue('nope', '{"a": 1}', '{}', 'x') $$, 'GM001', null, 'an unknown kind is refused as in enqueue');
select throws_ok($$ select public.console_enqueue('echo', '{"a": 1}', '{"queue": "x"}', 'x') $$, 'GM110', 'there is no option "queue" of a job', 'an unknown option is refused');
select throws_ok($$ select public.console_enqueue('echo', '{"a": 1}', '{"owner": "00000000-0000-4000-8000-0000000000bb"}', 'x') $$, '42501', null, 'an operator enqueues in nobody''s name');
select pg_temp.as_role('admin');
select is(public.console_enqueue('echo', '{"a": 1}', '{"owner": "00000000-0000-4000-8000-0000000000bb"}', 'for a user') ->> 'status', 'new', 'an admin enqueues for another owner');

-- The page of a job.
create temp table told as select public.console_job(id) as got from original;
select is((select string_agg(e ->> 'event', ' ' order by o) from told, jsonb_array_elements(got -> 'timeline') with ordinality as t(e, o)), 'enqueued started failed died', 'the life of a dead letter is told in order');
select is(got #>> '{errors,0,type}', 'boom', 'the errors of a job are told') from told;
select is(got #>> '{explain,reasons,0,code}', 'dead', 'a job says why it is not running') from told;
select is(got -> 'actions', '{"retry": true, "cancel": false, "discard": true, "enqueue": true, "reveal": true}', 'what the caller may do with a job is told') from told;
select is(got #>> '{audit,0,action}', 'dead', 'the audit rows of a job are told') from told;
select is(public.console_job('00000000-0000-7000-8000-000000000000'), '{"job": null}', 'an unknown job is null');
select pg_temp.as_role('viewer');
select is(public.console_job(id) -> 'actions', '{"retry": false, "cancel": false, "discard": false, "enqueue": false, "reveal": false}', 'a viewer may do nothing with a job') from original;
select is(mill.acting() ->> 'source', null, 'who acted is forgotten with the transaction');
select * from finish();
