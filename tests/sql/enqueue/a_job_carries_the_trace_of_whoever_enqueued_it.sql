select plan(10);
create function pg_temp.trace() returns text language sql as $$ select '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' $$;
select mill.enqueue(jsonb_build_array(
  jsonb_build_object('kind', 'echo', 'name', 'plain', 'payload', '{"a": 1}'::jsonb, 'traceparent', pg_temp.trace(), 'max_attempts', 2),
  jsonb_build_object('kind', 'echo', 'name', 'none', 'payload', '{"a": 1}'::jsonb)));
select mill.enqueue(jsonb_build_array(jsonb_build_object('kind', 'echo', 'name', 'keyed', 'payload', '{"a": 1}'::jsonb, 'traceparent', pg_temp.trace(), 'dedupe_key', 'k')));
set request.jwt.claims = '{"role": "service_role"}';
select public.submit_job('echo', '{"a": 1}', p_name => 'submitted', p_traceparent => pg_temp.trace());
create temp table held as select j.* from jsonb_to_recordset(public.claim_jobs('w', array['default'], 10)) as j(id uuid, name text, traceparent text, attempt int);
select results_eq('select name, traceparent from held order by name',
  $$ values ('keyed', pg_temp.trace()), ('none', null), ('plain', pg_temp.trace()), ('submitted', pg_temp.trace()) $$, 'a claim hands it to the worker');
create function pg_temp.settle(p_name text, p_outcome text) returns jsonb language sql as $$
  select public.settle_jobs('w', jsonb_build_array(jsonb_build_object('id', j.id, 'attempt', j.attempt, 'outcome', p_outcome, 'delay_seconds', 0))) from mill.job_live j where j.name = p_name $$;
select pg_temp.settle('plain', 'failed');
select is((select traceparent from jsonb_to_recordset(public.claim_jobs('w', array['default'], 10)) as j(traceparent text)), pg_temp.trace(), 'a retry has it too');
select pg_temp.settle('plain', 'failed');
select is((select traceparent from mill.job_dead where name = 'plain'), pg_temp.trace(), 'a dead letter keeps it');
select mill.retry(array(select id from mill.job_dead));
select is((select traceparent from mill.job_live where name = 'plain'), pg_temp.trace(), 'a dead letter that an operator retries keeps its trace');
select pg_temp.settle('keyed', 'completed');
select is((select traceparent from mill.job_done where name = 'keyed'), pg_temp.trace(), 'a completed job keeps it');
select is((select public.get_job(id) ->> 'traceparent' from mill.job_done where name = 'keyed'), pg_temp.trace(), 'get_job shows it');
select pg_temp.settle('submitted', 'dead');
select is((select traceparent from mill.job_dead where name = 'submitted'), pg_temp.trace(), 'a job that died at once keeps its trace');
select mill.cancel(array(select id from mill.job_live where name = 'plain'));
select is((select traceparent from mill.job_done where name = 'plain'), pg_temp.trace(), 'a job that was cancelled keeps its trace');

select is((select string_agg(t, ' ') from unnest(array['', 'x', '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01', 'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  '00-00000000000000000000000000000000-00f067aa0ba902b7-01', '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7']) as x(t)
  where mill.valid_traceparent(t) is not null), null, 'what is no traceparent is left out');
select is((select status from mill.enqueue('[{"kind": "echo", "payload": {"a": 1}, "traceparent": "nonsense"}]')), 'new', 'a trace that cannot be read fails no enqueue');
select * from finish();
