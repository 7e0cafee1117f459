select plan(16);
select set_config('request.jwt.claims', '{"role": "service_role"}', false);
insert into mill.queue (queue, max_attempts) values ('made', 1);
insert into mill.kind (kind, queue) values ('make', 'made');
insert into public.workflow_definition (type, tasks) values ('long',
  '[{"key": "a", "kind": "make", "for_each": "params.list", "input": {"n": "{{item}}"}}, {"key": "b", "kind": "make", "needs": ["a"], "input": {"all": "{{a}}"}}]');
create function pg_temp.work(p_max int, p_dead int) returns bigint language sql as $$
  select count(*) from mill.settle('w', (
    select jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt, 'outcome', case when (c.payload ->> 'n')::int = p_dead then 'dead' else 'completed' end,
      'result', jsonb_build_object('twice', 2 * (c.payload ->> 'n')::int))) from mill.claim('w', array['made'], p_max, null) c)) $$;
insert into mill.workflow (type, user_id, params) values ('long', gen_random_uuid(), jsonb_build_object('list', (select jsonb_agg(n) from generate_series(0, 129) n)));

select is(pg_temp.work(60, null), 60::bigint, 'sixty at once');
select mill.tick();
select results_eq('select completed, failed from mill.step where key = ''a''', $$ values (60, 0) $$, 'are counted');
select results_eq('select state, count(*) from mill.task where key = ''a'' group by 1', $$ values ('queued', 130::bigint) $$, 'the items of a large batch are not written one by one');
select results_eq('select status, count(*), min(progress) from public.job_tasks where key = ''a'' group by 1 order by 1',
  $$ values ('complete', 60::bigint, 100), ('pending', 70::bigint, 0) $$, 'tasks of a large batch are seen as completed');
select is((select output from public.job_tasks where key = 'a' and item = 7), '{"twice": 14}', 'tasks of a large batch are seen with their results');
select is(pg_temp.work(20, null), 20::bigint, 'twenty more');
select is((select status from public.job_tasks where key = 'a' and item = 70), 'complete', 'are completed as well');
select is(pg_temp.work(50, 129), 50::bigint, 'the last of which fails');
select is((select status from mill.workflow), 'failed', 'a job fails when the last task of a large batch fails');

select public.retry_workflow(id) from mill.workflow;
select results_eq('select status, count(*) from public.job_tasks where key = ''a'' group by 1 order by 1',
  $$ values ('complete', 129::bigint), ('pending', 1::bigint) $$, 'resumed, it runs only what is not done');
select is((select count(*) from mill.ended), 0::bigint, 'a resumed job writes down what was kept of large batches');
select is(pg_temp.work(10, null), 1::bigint, 'one task runs again');
select is((select jsonb_path_query_array(payload, '$.all[*].twice') from mill.job_live where name = 'b'), (select jsonb_agg(2 * n) from generate_series(0, 129) n),
  'what depends on the list gets all of it, in its order');
select pg_temp.work(10, null);
select is((select status from mill.workflow), 'completed', 'a resumed job with a large batch ends');

insert into mill.workflow (type, user_id, params) select type, user_id, params from mill.workflow;
select is(pg_temp.work(130, null), 130::bigint, 'another, in one batch');
select is((select jsonb_path_query_array(payload, '$.all[*].twice') from mill.job_live where name = 'b'), (select jsonb_agg(2 * n) from generate_series(0, 129) n),
  'what depends on the list gets all of it from the batch');
select * from finish();
