select plan(14);
create function pg_temp.complete(p_key text, p_output jsonb) returns bigint language sql as $$
  select count(*) from (select * from mill.claim('w', array['default'], 1, null)) c
  cross join lateral mill.settle('w', jsonb_build_array(jsonb_build_object('id', c.id, 'attempt', c.attempt, 'outcome', 'completed', 'result', p_output))) s
  where c.name = p_key and s.status = 'accepted' $$;
create function pg_temp.states() returns text language sql as $$
  select string_agg(t.key || ' ' || t.state, ', ' order by t.key) from mill.task t $$;
insert into public.workflow_definition (type, tasks) values ('diamond', '[
  {"key": "a", "kind": "echo", "input": {"name": "{{params.name}}", "text": "Dear {{ params.name }}, you are {{params.age}}{{params.nothing}}", "all": "{{params}}"}},
  {"key": "b", "kind": "echo", "needs": ["a"], "input": {"from": "{{a.list}}", "first": "{{a.list.0}}", "quoted": "\"{{a.word}}\""}},
  {"key": "c", "kind": "echo", "needs": ["a"], "input": {"n": "{{a.n}}", "missing": "{{a.nope.deeper}}", "job": "{{job.id}}", "user": "{{job.user}}"}},
  {"key": "d", "kind": "echo", "needs": ["b", "c"], "input": {"a": "{{a.n}}", "b": "{{b}}", "c": "{{c.x}}"}}]');
select set_config('test.user', gen_random_uuid()::text, false);
insert into mill.workflow (type, params, user_id)
values ('diamond', '{"name": "Ann \"{{params.age}}\" \\ O''Neil", "age": 12345678901234567890.10}', current_setting('test.user')::uuid);
select is(pg_temp.states(), 'a queued, b waiting, c waiting, d waiting', 'only what waits for nothing starts');
select is((select payload ->> 'text' from mill.job where name = 'a'), 'Dear Ann "{{params.age}}" \ O''Neil, you are 12345678901234567890.10',
  'text is filled in once: what a value contains is not looked at, digits are kept, what is missing is nothing');
select is((select payload -> 'all' from mill.job where name = 'a'), (select params from mill.workflow), 'a whole value stays what it is');
select is((select parent from mill.job where name = 'a'), (select id from mill.workflow), 'a task is an engine job whose parent is the workflow');
select is((select owner::text from mill.job where name = 'a'), current_setting('test.user'), 'the job of a task belongs to the user of the workflow');

select is(pg_temp.complete('a', '{"list": ["x", {"y": null}], "n": 1.50, "word": "so \"so\""}'), 1::bigint, 'a is completed');
select is(pg_temp.states(), 'a completed, b queued, c queued, d waiting', 'what needed it has started in the same transaction');
select is((select payload from mill.job where name = 'b'), '{"from": ["x", {"y": null}], "first": "x", "quoted": "\"so \"so\"\""}'::jsonb, 'a task gets the output of the task that it needs');
select is((select payload from mill.job where name = 'c'), jsonb_build_object('n', 1.50, 'missing', null, 'job', (select id from mill.workflow), 'user', current_setting('test.user')),
  'numbers keep their digits, what is missing is null');
select pg_temp.complete('b', '{"done": true}');
select is(pg_temp.states(), 'a completed, b completed, c queued, d waiting', 'a task that needs two waits for both');
select pg_temp.complete('c', null);
select is((select payload from mill.job where name = 'd'), '{"a": 1.50, "b": {"done": true}, "c": null}'::jsonb, 'a task sees the outputs of all tasks before it');
select pg_temp.complete('d', '{"end": 1}');
select results_eq('select status, percent::int, phase, output from mill.workflow', $$ values ('completed', 100, 'complete', '{"d": {"end": 1}}'::jsonb) $$, 'the job is complete');
select is((select count(*) from mill.ended), 0::bigint, 'nothing is left to be advanced');
select is((select array_agg(action order by id) from mill.audit_log where table_name = 'jobs'), array['start', 'processing', 'completed'], 'its life is in the audit log');
select * from finish();
