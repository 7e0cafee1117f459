select plan(14);
select set_config('request.jwt.claims', '{"role": "service_role"}', false);
create temp table ran (key text, item int);
create function pg_temp.work(p_fails text) returns void language plpgsql as $$
declare v_job record;
begin
  for v_job in select c.id, c.attempt, t.key, t.item from mill.claim('w', array['default'], 1, null) c join mill.task t on t.id = c.id loop
    insert into ran values (v_job.key, v_job.item);
    perform mill.settle('w', jsonb_build_array(jsonb_build_object('id', v_job.id, 'attempt', v_job.attempt,
      'outcome', case when v_job.key || v_job.item = p_fails then 'dead' else 'completed' end, 'result', jsonb_build_object('of', v_job.key, 'items', '[1, 2, 3]'::jsonb))));
  end loop;
end $$;
create function pg_temp.work_all(p_fails text) returns void language plpgsql as $$
begin
  for v_n in 1..30 loop perform pg_temp.work(p_fails); set constraints all immediate; set constraints all deferred; end loop;
end $$;
insert into public.workflow_definition (type, tasks) values ('long', '[
  {"key": "a", "kind": "echo", "input": {"n": 1}},
  {"key": "b", "kind": "echo", "needs": ["a"], "for_each": "a.items", "input": {"n": 1}},
  {"key": "c", "kind": "echo", "each": "b", "input": {"n": "{{b.of}}"}},
  {"key": "d", "kind": "echo", "needs": ["c"], "input": {"n": "{{a.of}}"}}]');
insert into mill.workflow (type, user_id) values ('long', gen_random_uuid());
select pg_temp.work_all('c1');
select is((select status from mill.workflow), 'failed', 'a task failed');
create temp table before as select * from ran;
select is((select count(*) from before where key = 'c' and item = 1), 1::bigint, 'a task that failed for good ran once');
create temp table percent as select percent from mill.workflow;
select is((public.retry_workflow(id) ->> 'status'), 'processing', 'the job is resumed') from mill.workflow;
select is((select percent from mill.workflow), (select percent from percent), 'progress does not go down');
select is((select count(*) from mill.job_dead), 0::bigint, 'its dead letter is alive again');
truncate ran;
select pg_temp.work_all('none');
select is((select status from mill.workflow), 'completed', 'a resumed job completes');
select is_empty($$ select key, item from ran intersect select key, item from before where (key, item) <> ('c', 1) $$, 'nothing that was done ran again');
select is((select count(*) from (select key, item from ran union select key, item from before) all_of_it), 8::bigint, 'everything ran');
select throws_ok('select public.retry_workflow(id) from mill.workflow', 'GM067', 'only a failed job can be resumed; this one is completed', 'a completed job is not resumed');

-- An operator who sends the dead letter back resumes the job too.
insert into mill.workflow (type, user_id) values ('long', gen_random_uuid());
select pg_temp.work_all('b2');
select is((select status from mill.workflow order by id desc limit 1), 'failed', 'another one failed');
select is((select status from mill.retry(array(select id from mill.job_dead))), 'retried', 'its dead letter is sent back');
select pg_temp.work_all('none');
select is((select status from mill.workflow order by id desc limit 1), 'completed', 'a job whose dead letter an operator retried completes');

-- Without a dead letter: an operator discarded it.
insert into mill.workflow (type, user_id) values ('long', gen_random_uuid());
select pg_temp.work_all('a0');
select mill.discard(array(select id from mill.job_dead));
select is(public.retry_workflow(id) ->> 'status', 'processing', 'a job whose dead letter is gone is resumed as well') from mill.workflow order by id desc limit 1;
select pg_temp.work_all('none');
select is((select status from mill.workflow order by id desc limit 1), 'completed', 'a job that is resumed without its dead letter completes');
select * from finish();
