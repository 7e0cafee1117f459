select plan(21);
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
create function pg_temp.as_role(p_role text) returns void language sql as $$
  select set_config('request.jwt.claims', jsonb_build_object('role', case p_role when 'service' then 'service_role' else 'authenticated' end, 'sub', '00000000-0000-4000-8000-00000000000a', 'email', 'ana@example.com', 'gristmill_role', p_role)::text, false) $$;
insert into public.workflow_definition (type, tasks) values ('walk', '[{"key": "a", "kind": "echo", "input": {"x": 1}},
  {"key": "b", "kind": "echo", "needs": ["a"], "for_each": "params.list", "input": {"v": "{{item}}"}}, {"key": "c", "kind": "echo", "needs": ["b"], "input": {"x": 1}}]');
select pg_temp.as_role('service');
create temp table flow as select (public.start_workflow('walk', '{"list": [1, 2, 3], "secret": "s3cret"}', p_user_id => '00000000-0000-4000-8000-0000000000aa') ->> 'id')::uuid as id;
create function pg_temp.node(p_key text) returns jsonb language sql as $$ select n from flow, jsonb_array_elements(public.console_workflow(id) #> '{graph,nodes}') n where n ->> 'key' = p_key $$;
create function pg_temp.done(p_outcome text default 'completed', p_max int default 10) returns void language sql as $$
  select mill.settle('w', jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt, 'outcome', p_outcome, 'result', '{"ok": 1}'::jsonb, 'error', '{"type": "boom", "message": "x"}'::jsonb))) from mill.claim('w', array['default'], p_max) c $$;

select pg_temp.as_role('viewer');
select is((select count(*)::int from jsonb_array_elements(public.console_workflows('type:walk status:queued,processing') -> 'workflows')), 1, 'a workflow is found by type and status');
select is(public.console_workflows('owner:00000000-0000-4000-8000-0000000000bb') -> 'workflows', '[]', 'another owner has none');
select is((select jsonb_agg(jsonb_build_array(e ->> 'from', e ->> 'to')) from flow, jsonb_array_elements(public.console_workflow(id) #> '{graph,edges}') e), '[["a", "b"], ["b", "c"]]', 'what needs what are edges');
select is(pg_temp.node('a') ->> 'state', 'open', 'the first step is open');
select is(pg_temp.node('b') - array['started_at', 'finished_at', 'phase', 'kind', 'compensation'], '{"key": "b", "state": "waiting", "total": 3, "completed": 0, "failed": 0, "skipped": 0, "running": 0, "for_each": true}', 'a list of items is one node with counts');
select is(public.console_workflow(id) #>> '{workflow,params,secret}', '‹text of 6›', 'parameters are masked') from flow;
select unalike(public.console_workflow(id)::text, '%s3cret%', 'nothing of a masked parameter is anywhere in the answer') from flow;
select is(public.console_workflow(id) -> 'actions', '{"cancel": false, "resume": false}', 'a viewer may do nothing with it') from flow;
select mill.claim('w', array['default'], 1);
select is(pg_temp.node('a') ->> 'running', '1', 'running tasks are counted');
select is((select t ->> 'state' from flow, jsonb_array_elements(public.console_workflow(id) -> 'tasks') t where t ->> 'key' = 'a'), 'running', 'a running task says so');
select mill.settle('w', jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'completed', 'result', '{"ok": 1}'::jsonb))) from mill.job_live where worker = 'w';
select is(pg_temp.node('b') ->> 'state', 'open', 'the list opens when the step before it is completed');
select pg_temp.done('completed', 1);
select pg_temp.done('dead', 1);
select mill.tick();
select is((select string_agg(t ->> 'state', ' ' order by t ->> 'state') from flow, jsonb_array_elements(public.console_workflow(id) -> 'tasks') t where t ->> 'key' = 'b'), 'completed failed waiting', 'each task has its state');
select is((select t ->> 'started_at' is not null and t ->> 'finished_at' is not null from flow, jsonb_array_elements(public.console_workflow(id) -> 'tasks') t where t ->> 'key' = 'a'), true, 'when a completed task ran is told');
select is(public.console_workflow(id) #>> '{workflow,status}', 'failed', 'a workflow whose task has died has failed') from flow;

select throws_ok($$ select public.console_resume_workflow(id, 'x') from flow $$, '42501', null, 'a viewer resumes nothing');
select pg_temp.as_role('operator');
select is(public.console_workflow(id) -> 'actions', '{"cancel": false, "resume": true}', 'an operator may resume a failed workflow') from flow;
select is(public.console_resume_workflow(id, 'mended') ->> 'status', 'processing', 'a failed workflow is resumed') from flow;
select is((select reason from mill.audit_log where action = 'resume_workflow'), 'mended', 'to resume is an audit row with its reason');
select is(public.console_cancel_workflow(id, 'never mind') ->> 'status', 'cancelled', 'a workflow is cancelled') from flow;
select is((select count(*)::int > 0 from mill.audit_log where table_name = 'jobs' and reason = 'never mind' and new_values ->> 'email' = 'ana@example.com'), true, 'to cancel is an audit row with actor and reason');
select throws_ok($$ select public.console_cancel_workflow(id, 'x') from flow $$, 'GM067', null, 'what has ended cannot be cancelled');
select * from finish();
