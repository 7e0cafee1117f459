select plan(15);
create function pg_temp.work(p_name text, p_items int[], p_output jsonb) returns bigint language sql as $$
  with settled as (
    select mill.settle('w', jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt,
      'outcome', case when c.name = p_name and t.item = any (p_items) then 'completed' else 'released' end, 'result', p_output || jsonb_build_object('i', t.item)))) as s
    from mill.claim('w', array['default'], 100, null) c join mill.task t on t.id = c.id)
  select count(*) from settled $$;
create function pg_temp.states(p_key text) returns text language sql as $$
  select string_agg(t.state, ' ' order by t.item) from mill.task t where t.key = p_key $$;
insert into public.workflow_definition (type, documents, tasks) values ('fan', 'two', '[
  {"key": "list", "kind": "echo", "input": {"n": 1}},
  {"key": "one", "kind": "echo", "needs": ["list"], "for_each": "list.items", "input": {"item": "{{item.x}}", "at": "{{index}}", "id": "{{task.id}}"}},
  {"key": "two", "kind": "echo", "each": "one", "input": {"mine": "{{one.i}}", "item": "{{item}}"}},
  {"key": "gate", "kind": "echo", "needs": ["list"], "input": {"n": 1}},
  {"key": "three", "kind": "echo", "each": "two", "needs": ["gate"], "input": {"both": ["{{one.i}}", "{{two.i}}"]}},
  {"key": "join", "kind": "echo", "needs": ["three"], "input": {"all": "{{one}}"}}]');
insert into mill.workflow (type, user_id) values ('fan', gen_random_uuid());
select is(pg_temp.states('one'), null, 'before the list is known there are no items');
select pg_temp.work('list', '{0}', '{"items": [{"x": "p"}, {"x": "q"}, {"x": "r"}]}');
select is(pg_temp.states('one'), 'queued queued queued', 'one task an item');
select is(pg_temp.states('two'), 'waiting waiting waiting', 'each step that goes along has one task per item');
select is((select payload - 'id' from mill.job j join mill.task t using (id) where t.key = 'one' and t.item = 1), '{"at": 1, "item": "q"}'::jsonb, 'the payload of a task has its item and its place');
select is((select payload ->> 'id' from mill.job j join mill.task t using (id) where t.key = 'one' and t.item = 1),
  (select id::text from mill.task where key = 'one' and item = 1), 'the payload of a task has the id of the task');
select is((select docs_total from mill.workflow), 3, 'documents are counted');

select pg_temp.work('one', '{1}', '{}');
select is(pg_temp.states('two'), 'waiting queued waiting', 'the second item goes on without waiting for the others');
select is((select payload from mill.job j join mill.task t using (id) where t.key = 'two' and t.item = 1), '{"mine": 1, "item": {"x": "q"}}'::jsonb, 'the task of the second item sees the result of its own item');
select pg_temp.work('two', '{1}', '{}');
select is(pg_temp.states('three'), 'waiting waiting waiting', 'a step that needs another one too waits for that');
select is((select docs_complete from mill.workflow), 1, 'one document is complete');
select pg_temp.work('gate', '{0}', '{}');
select is(pg_temp.states('three'), 'waiting queued waiting', 'a step that needs another one too starts its ready items when that one is complete');
select pg_temp.work('one', '{0,2}', '{}'); select pg_temp.work('two', '{0,2}', '{}'); select pg_temp.work('three', '{0,1,2}', '{}');
select is((select payload from mill.job where name = 'join'), '{"all": [{"i": 0}, {"i": 1}, {"i": 2}]}'::jsonb, 'what comes after all items sees a list, in the order of items');
select pg_temp.work('join', '{0}', '{}');
select is((select status from mill.workflow), 'completed', 'a job whose items have all ended completes');

insert into mill.workflow (type, user_id) values ('fan', gen_random_uuid());
select pg_temp.work('list', '{0}', '{"items": []}'); select pg_temp.work('gate', '{0}', '{}'); select pg_temp.work('join', '{0}', '{}');
select is((select status from mill.workflow order by id desc limit 1), 'completed', 'an empty list is no obstacle');
insert into mill.workflow (type, user_id) values ('fan', gen_random_uuid());
select pg_temp.work('list', '{0}', '{"items": 7}');
select results_eq($$ select status, error ->> 'type' from mill.workflow order by id desc limit 1 $$, $$ values ('failed', 'not_a_list') $$, 'what is no list fails the step, and not the settling');
select * from finish();
