select plan(11);
select set_config('request.jwt.claims', '{"role": "service_role"}', false);
insert into public.workflow_definition (type, tasks) values ('wide', '[
  {"key": "a", "kind": "echo", "for_each": "params.l", "input": {"n": "{{item}}"}}, {"key": "b", "kind": "echo", "needs": ["a"], "input": {"n": 1}}]');
insert into mill.workflow (type, params, user_id) values ('wide', '{"l": [1, 2, 3, 4]}', gen_random_uuid());
create temp table held as select * from mill.claim('w', array['default'], 2, null);
select mill.settle('w', jsonb_build_array(jsonb_build_object('id', h.id, 'attempt', h.attempt, 'outcome', 'completed'))) from held h order by h.id limit 1;
create temp table answer as select public.cancel_workflow(id) as a from mill.workflow;
select is((select (a ->> 'cancelled')::int from answer), 3, 'two that were pending and one that waited are cancelled');
select is((select jsonb_array_length(a -> 'running') from answer), 1, 'and one is named as running');
select results_eq('select status, message from mill.workflow', $$ values ('cancelled', 'Cancelled') $$, 'the job is cancelled');
select is((select count(*) from mill.claim('v', array['default'], 10, null)), 0::bigint, 'nothing of it can be claimed');
select is((select array_agg(status) from mill.heartbeat('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt)) from (select * from held order by id offset 1) h))),
  array['cancelled'], 'the worker that still runs one learns at its next heartbeat');
select is((select string_agg(state, ' ' order by key, item) from mill.task), 'completed cancelled cancelled cancelled cancelled', 'what was done stays, the rest is cancelled');
select throws_ok('select public.cancel_workflow(id) from mill.workflow', 'GM067', 'the job is cancelled already', 'a second time it is said so');

-- A task that somebody holds at that moment is told by the tick.
insert into mill.workflow (type, params, user_id) values ('wide', '{"l": [1]}', gen_random_uuid());
update mill.workflow set stragglers = true, status = 'cancelled', finished_at = now() where status = 'queued';
select is((select count(*) from mill.job_live), 1::bigint, 'a task of a cancelled job that was missed');
select ok(mill.advance_left_behind() > 0, 'is found by the tick');
select is((select count(*) from mill.job_live), 0::bigint, 'the tick stops a task of a cancelled job that was missed');
select is((select count(*) from mill.workflow where stragglers), 0::bigint, 'the tick looks at a cancelled job only once');
select * from finish();
