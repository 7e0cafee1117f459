select plan(24);
create function pg_temp.define(p_tasks jsonb, p_documents text default null) returns void language sql as $$
  insert into public.workflow_definition (type, tasks, documents) values ('trial', p_tasks, p_documents) $$;
create function pg_temp.refuses(p_tasks text, p_code text, p_reason text, p_claim text) returns text language sql as $$
  select throws_ok(format('select pg_temp.define(%L)', p_tasks), p_code, p_reason, p_claim) $$;

select pg_temp.refuses('[{"key": "a", "kind": "echo", "needs": ["b"], "input": {"n": 1}}, {"key": "b", "kind": "echo", "needs": ["c"], "input": {"n": 1}},
  {"key": "c", "kind": "echo", "needs": ["b"], "input": {"n": 1}}]', 'GM062', 'tasks wait for each other in a cycle: b needs c needs b', 'a cycle, named');
select pg_temp.refuses('[{"key": "a", "kind": "echo", "needs": ["a"], "input": {"n": 1}}]', 'GM062', 'tasks wait for each other in a cycle: a needs a', 'a task that waits for itself');
select pg_temp.refuses('[{"key": "a", "kind": "echo", "for_each": "params.l", "input": {"n": 1}}, {"key": "b", "kind": "echo", "each": "c", "input": {"n": 1}},
  {"key": "c", "kind": "echo", "each": "b", "input": {"n": 1}}]', 'GM062', 'tasks wait for each other in a cycle: b needs c needs b', 'a cycle of items');
select pg_temp.refuses('[{"key": "a", "kind": "brew", "input": {"n": 1}}]', 'GM063', 'task "a" is of an unknown kind "brew"', 'an unknown kind');
select pg_temp.refuses('[{"key": "a", "kind": "echo", "needs": ["z"], "input": {"n": 1}}]', 'GM064', 'task "a" can never start: there is no task "z"', 'a task that nothing leads to');
select pg_temp.refuses('[{"key": "a", "kind": "echo", "on_failure": {"compensate": "u"}, "input": {"n": 1}}, {"key": "u", "kind": "echo", "input": {"n": 1}},
  {"key": "b", "kind": "echo", "needs": ["u"], "input": {"n": 1}}]', 'GM064', 'task "b" can never be reached: "u" runs only as a compensation', 'a task behind a compensation');
select pg_temp.refuses('[{"key": "a", "kind": "echo", "input": {"n": "{{b.x}}"}}, {"key": "b", "kind": "echo", "input": {"n": 1}}]',
  'GM065', 'task "a" refers to "b", which is not there when it starts', 'a reference to what it does not wait for');
select pg_temp.refuses('[{"key": "a", "kind": "echo", "input": {"n": "{{item}}"}}]', 'GM065', 'task "a" refers to "item", which is not there when it starts', 'an item without items');
select pg_temp.refuses('[{"key": "a", "kind": "echo", "input": {"n": "{{params..x}}"}}]', 'GM065',
  'input of task "a" has braces that are no reference; {{params.name}} is one, and only within a value', 'a reference that is none');
select pg_temp.refuses('[{"key": "a", "kind": "echo", "input": {"{{params.k}}": 1}}]', 'GM065',
  'input of task "a" has braces that are no reference; {{params.name}} is one, and only within a value', 'a reference in the place of a name');
select pg_temp.refuses('[{"key": "a", "kind": "echo", "input": {}}]', 'GM065', 'input of task "a" must be an object with at least one field', 'an empty input');
select pg_temp.refuses('[{"key": "a", "kind": "echo", "for_each": "b.list", "input": {"n": 1}}, {"key": "b", "kind": "echo", "input": {"n": 1}}]',
  'GM065', 'task "a" refers to "b", which is not there when it starts', 'a list that is not there');
select pg_temp.refuses('{}', 'GM061', 'tasks must be an array of 1 to 500 objects', 'tasks that are no array');
select pg_temp.refuses('[{"key": "a", "kind": "echo", "colour": 1, "input": {"n": 1}}]', 'GM061', 'task "a" has an unknown field "colour"', 'an unknown field');
select pg_temp.refuses('[{"key": "item", "kind": "echo", "input": {"n": 1}}]', 'GM061', '"item" cannot be the key of a task: templates use the word', 'a word of templates as a key');
select pg_temp.refuses('[{"key": "a", "kind": "echo", "input": {"n": 1}}, {"key": "a", "kind": "echo", "input": {"n": 1}}]', 'GM061', 'there are two tasks "a"', 'a key twice');
select pg_temp.refuses('[{"key": "a", "kind": "echo", "weight": 0, "input": {"n": 1}}]', 'GM061', 'weight of task "a" must be a positive number', 'no weight');
select pg_temp.refuses('[{"key": "a", "kind": "echo", "on_failure": "shrug", "input": {"n": 1}}]', 'GM061', 'on_failure of task "a" must be fail, skip or {"compensate": key}', 'an unknown policy');
select pg_temp.refuses('[{"key": "a", "kind": "echo", "input": {"n": 1}}, {"key": "b", "kind": "echo", "each": "a", "input": {"n": 1}}]',
  'GM061', 'task "b" goes along "a", which has no items', 'items of a task that has none');
select throws_ok($$ select pg_temp.define('[{"key": "a", "kind": "echo", "input": {"n": 1}}]', 'z') $$, 'GM061', 'documents names "z", which is no task', 'documents of no task');
select is((select count(*) from mill.workflow_step where type = 'trial'), 0::bigint, 'nothing of them is left');

-- Ten layers of ten, each needing all of the layer before: 10^10 paths, answered at once.
select lives_ok($$ select pg_temp.define((
  select jsonb_agg(jsonb_build_object('key', format('t%s_%s', l, n), 'kind', 'echo', 'input', '{"n": 1}'::jsonb,
    'needs', (select coalesce(jsonb_agg(format('t%s_%s', l - 1, m)), '[]') from generate_series(1, 10) m where l > 1)))
  from generate_series(1, 10) l, generate_series(1, 10) n)) $$, 'a dense graph without a cycle is taken');
insert into mill.workflow (type, user_id) values ('trial', gen_random_uuid());
select throws_ok($$ update public.workflow_definition set tasks = '[{"key": "a", "kind": "echo", "input": {"n": 1}}]' where type = 'trial' $$, 'GM069',
  'version 1 of "trial" has been started and cannot change', 'what jobs run by does not change under them');
select lives_ok($$ insert into public.workflow_definition (type, version, tasks) values ('trial', 2, '[{"key": "a", "kind": "echo", "input": {"n": 1}}]') $$, 'a next version is an INSERT');
select * from finish();
