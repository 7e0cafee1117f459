select plan(11);
insert into mill.queue (queue) values ('made');
insert into mill.kind (kind, queue) values ('make', 'made');
insert into public.workflow_definition (type, tasks) values
  ('kept', '[{"key": "a", "kind": "make", "input": {"n": 1}}]'), ('plain', '[{"key": "a", "kind": "make", "input": {"n": 1}}]');
create function pg_temp.run(p_type text, p_with_artifact boolean) returns uuid language plpgsql as $$
declare
  v_job mill.workflow;
begin
  insert into mill.workflow (type, user_id) values (p_type, gen_random_uuid()) returning * into v_job;
  perform mill.settle('w', (select jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt, 'outcome', 'completed', 'result',
    case when p_with_artifact then jsonb_build_object('artifacts', jsonb_build_array(jsonb_build_object('type', 'pdf', 'bytes', 1, 'sha256', repeat('a', 64),
      'storage_path', format('%s/%s/pdf/%s.pdf', v_job.user_id, v_job.id, c.id)))) else '{}' end)) from mill.claim('w', array['made'], 1, null) c));
  return v_job.id;
end $$;
create temp table made as select pg_temp.run('kept', true) as kept, pg_temp.run('plain', false) as plain, null::uuid as lost;
insert into mill.workflow (type, user_id) values ('plain', gen_random_uuid());
update made set lost = (select id from mill.workflow where status = 'queued');
select is((select count(*) from public.job_artifacts), 1::bigint, 'a job with an artifact, one without, and one to come');
select mill.stop_workflow(lost) from made;
select is(mill.cleanup_workflows(100) -> 'more', 'false'::jsonb, 'nothing goes before its time');
select is((select count(*) from mill.workflow), 3::bigint, 'all are there');

set mill.now = '2100-01-01 00:00+00';
create temp table named as select mill.cleanup_workflows(100) as answer;
select is((select answer -> 'forgotten' from named), '1', 'one that wrote nothing goes at once');
select is((select count(*) from jsonb_array_elements_text((select answer -> 'remove' from named)) k
  join public.job_artifacts a on a.storage_path = k), 1::bigint, 'the artifact''s object is named');
select is((select count(*) from jsonb_array_elements_text((select answer -> 'remove' from named)) k, made
  where split_part(k, '/', 2)::uuid = made.lost), 3::bigint, 'the places where a cancelled task may have written are named');
select is((select count(*) from public.job_artifacts), 1::bigint, 'the row is there until the object is gone');
select is(mill.cleanup_workflows(100) -> 'remove', (select answer -> 'remove' from named), 'cut off here, the next run names it again');
select is(mill.confirm_workflows(array(select jsonb_array_elements_text(answer -> 'remove') from named)), '{"removed": 1, "forgotten": 2}', 'then rows and jobs go');
select is((select count(*) from mill.workflow) + (select count(*) from mill.task) + (select count(*) from mill.step), 0::bigint, 'tasks and steps go with their old job');
select is(mill.cleanup_workflows(100) -> 'more', 'false', 'no further old job is left');
select * from finish();
