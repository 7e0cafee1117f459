select plan(17);
create function pg_temp.settle(p_name text, p_items int[], p_outcome text) returns void language sql as $$
  select mill.settle('w', jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt,
    'outcome', case when c.name = p_name and t.item = any (p_items) then p_outcome else 'released' end,
    'error', case when c.name = p_name and p_outcome = 'dead' then '{"type": "test", "message": "broken"}'::jsonb end)))
  from mill.claim('w', array['default'], 100, null) c join mill.task t on t.id = c.id $$;
create function pg_temp.states(p_type text) returns text language sql as $$
  select string_agg(t.key || case when w.family is null then '' else t.item::text end || ' ' || t.state, ', ' order by t.key, t.item)
  from mill.task t join mill.workflow j on j.id = t.job_id join mill.workflow_step w on w.type = j.type and w.key = t.key where j.type = p_type $$;
insert into public.workflow_definition (type, tasks) values
  ('strict', '[{"key": "a", "kind": "echo", "input": {"n": 1}}, {"key": "b", "kind": "echo", "input": {"n": 1}}, {"key": "c", "kind": "echo", "needs": ["a", "b"], "input": {"n": 1}}]'),
  ('lenient', '[{"key": "a", "kind": "echo", "for_each": "params.l", "on_failure": "skip", "input": {"n": 1}}, {"key": "b", "kind": "echo", "each": "a", "input": {"n": 1}},
    {"key": "c", "kind": "echo", "needs": ["b"], "input": {"n": 1}}, {"key": "d", "kind": "echo", "needs": ["c"], "input": {"n": 1}},
    {"key": "e", "kind": "echo", "needs": ["b"], "tolerant": true, "input": {"made": "{{b}}"}}]'),
  ('undone', '[{"key": "a", "kind": "echo", "input": {"n": 1}}, {"key": "b", "kind": "echo", "needs": ["a"], "on_failure": {"compensate": "u"}, "input": {"n": 1}},
    {"key": "c", "kind": "echo", "needs": ["a"], "input": {"n": 1}}, {"key": "u", "kind": "echo", "input": {"of": "{{a}}", "why": "{{failure.message}}", "which": "{{failure.task}}"}}]');

insert into mill.workflow (type, user_id) values ('strict', gen_random_uuid());
select pg_temp.settle('a', '{0}', 'dead');
select is(pg_temp.states('strict'), 'a failed, b waiting, c waiting', 'fail: what has not begun is taken back');
select results_eq($$ select status, error - 'item', message from mill.workflow where type = 'strict' $$,
  $$ values ('failed', '{"task": "a", "type": "test", "message": "broken"}'::jsonb, 'a failed: broken') $$, 'a failed job says which task failed, and why');
select is((select count(*) from mill.job_live), 0::bigint, 'nothing of it is left to be claimed');
insert into mill.workflow (type, user_id) values ('strict', gen_random_uuid());
create temp table held as select * from mill.claim('other', array['default'], 1, null);
select pg_temp.settle('b', '{0}', 'dead');
select is((select status from mill.workflow order by id desc limit 1), 'failed', 'a job fails while another of its tasks runs');
select mill.settle('other', jsonb_build_array(jsonb_build_object('id', h.id, 'attempt', h.attempt, 'outcome', 'completed'))) from held h;
select is((select state from mill.task join held using (id)), 'completed', 'what was running is kept');
select is((select status from mill.workflow order by id desc limit 1), 'failed', 'a task that was running when its job failed starts nothing');
delete from mill.workflow where type = 'strict';

insert into mill.workflow (type, params, user_id) values ('lenient', '{"l": [1, 2, 3]}', gen_random_uuid());
select pg_temp.settle('a', '{1}', 'dead');
select is(pg_temp.states('lenient'), 'a0 queued, a1 failed, a2 queued, b0 waiting, b1 skipped, b2 waiting, c waiting, d waiting, e waiting', 'skip: what goes along the item is skipped');
select pg_temp.settle('a', '{0,2}', 'completed'); select pg_temp.settle('b', '{0,2}', 'completed');
select is(pg_temp.states('lenient'), 'a0 completed, a1 failed, a2 completed, b0 completed, b1 skipped, b2 completed, c skipped, d skipped, e queued',
  'what depends on all items is skipped, and what depends on that; what tolerates it runs');
select is((select payload from mill.job where name = 'e'), '{"made": [null, null, null]}'::jsonb, 'a task that tolerates a failure sees null for the result that is missing');
select pg_temp.settle('e', '{0}', 'completed');
select results_eq($$ select status, percent::int from mill.workflow where type = 'lenient' $$, $$ values ('completed', 100) $$, 'the job completes');

insert into mill.workflow (type, user_id) values ('undone', gen_random_uuid());
select pg_temp.settle('a', '{0}', 'completed'); select pg_temp.settle('b', '{0}', 'dead');
select is(pg_temp.states('undone'), 'a completed, b failed, c waiting, u queued', 'compensate: the rest is taken back and the compensation starts');
select results_eq($$ select status, phase from mill.workflow where type = 'undone' $$, $$ values ('processing', 'compensating') $$, 'the job says so');
select is((select payload from mill.job where name = 'u'), '{"of": null, "why": "broken", "which": "b"}'::jsonb, 'a compensation knows what failed');
select pg_temp.settle('u', '{0}', 'completed');
select results_eq($$ select status, error ->> 'task' from mill.workflow where type = 'undone' $$, $$ values ('failed', 'b') $$, 'a job has failed when its compensation has ended');
select set_config('request.jwt.claims', '{"role": "service_role"}', false);
select throws_ok($$ select public.retry_workflow(id) from mill.workflow where type = 'undone' $$, 'GM067',
  'the job has been undone by its compensation and cannot be resumed', 'what was undone is not resumed');

insert into public.workflow_definition (type, tasks) values ('large', '[{"key": "a", "kind": "echo", "input": {"n": 1}}, {"key": "b", "kind": "echo", "needs": ["a"], "input": {"x": ["{{a.v}}", "{{a.v}}"]}}]');
insert into mill.workflow (type, user_id) values ('large', gen_random_uuid());
select is((select status from mill.claim('w', array['default'], 1, null) c, lateral mill.settle('w', jsonb_build_array(jsonb_build_object(
  'id', c.id, 'attempt', c.attempt, 'outcome', 'completed', 'result', jsonb_build_object('v', (select string_agg(md5(n::text), '') from generate_series(1, 1500) n)))))),
  'accepted', 'an input that grows too large');
select results_eq($$ select status, error ->> 'type', error ->> 'task' from mill.workflow where type = 'large' $$, $$ values ('failed', 'input_too_large', 'b') $$, 'fails its own task, not the settling of the one before');
select * from finish();
