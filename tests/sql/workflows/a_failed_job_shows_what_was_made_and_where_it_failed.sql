select plan(5);
create function pg_temp.settle(p_name text, p_items int[], p_outcome text) returns void language sql as $$
  select mill.settle('w', jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt,
    'outcome', case when c.name = p_name and t.item = any (p_items) then p_outcome else 'released' end,
    'error', case when c.name = p_name and p_outcome = 'dead' then '{"type": "test", "message": "broken"}'::jsonb end)))
  from mill.claim('w', array['default'], 100, null) c join mill.task t on t.id = c.id $$;
insert into public.workflow_definition (type, tasks) values
  ('first', '[{"key": "calculating", "kind": "echo", "weight": 10, "input": {"n": 1}}, {"key": "text", "kind": "echo", "needs": ["calculating"], "weight": 90, "input": {"n": 1}}]'),
  ('many', '[{"key": "text", "kind": "echo", "for_each": "params.l", "weight": 10, "on_failure": "skip", "input": {"n": 1}},
    {"key": "pdf", "kind": "echo", "each": "text", "weight": 80, "on_failure": "skip", "input": {"n": 1}},
    {"key": "final", "kind": "echo", "needs": ["pdf"], "tolerant": true, "weight": 10, "input": {"n": 1}}]');

insert into mill.workflow (type, user_id) values ('first', gen_random_uuid());
select pg_temp.settle('calculating', '{0}', 'dead');
select results_eq($$ select status, percent::int, phase from mill.workflow where type = 'first' $$, $$ values ('failed', 0, 'calculating') $$,
  'a job whose first task failed shows 0% and the phase in which it failed');

insert into mill.workflow (type, params, user_id) values ('many', '{"l": [1, 2, 3, 4]}', gen_random_uuid());
select pg_temp.settle('text', '{0,1,2,3}', 'completed');
select pg_temp.settle('pdf', '{0,1,2}', 'dead');
select results_eq($$ select status, percent::int, phase from mill.workflow where type = 'many' $$, $$ values ('processing', 10, 'pdf') $$,
  'three of four documents that failed are no progress');
select pg_temp.settle('pdf', '{3}', 'completed');
select results_eq($$ select status, percent::int from mill.workflow where type = 'many' $$, $$ values ('processing', 90) $$,
  'a step that has ended counts whole where the job goes on without what failed');
select pg_temp.settle('final', '{0}', 'dead');
select results_eq($$ select status, phase from mill.workflow where type = 'many' $$, $$ values ('failed', 'final') $$, 'a job that fails at its end says so');
select ok((select percent from mill.workflow where type = 'many') <= 90, 'the progress of a job that fails at its end is not 99%');
select * from finish();
