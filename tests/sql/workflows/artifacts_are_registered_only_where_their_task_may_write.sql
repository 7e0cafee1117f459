select plan(5);
insert into public.workflow_definition (type, tasks) values ('maker', '[{"key": "a", "kind": "echo", "for_each": "params.l", "input": {"n": 1}}]');
insert into mill.workflow (type, params, user_id) values ('maker', '{"l": [1, 2, 3, 4, 5]}', gen_random_uuid());
create temp table held as select c.id, c.attempt, t.item, j.user_id, j.id as job from mill.claim('w', array['default'], 9, null) c join mill.task t on t.id = c.id join mill.workflow j on j.id = t.job_id;
create function pg_temp.artifact(p_path text, p_more jsonb default '{}') returns jsonb language sql as $$
  select jsonb_build_object('artifacts', jsonb_build_array(jsonb_build_object('type', 'pdf', 'storage_path', p_path, 'bytes', 12, 'sha256', repeat('a', 64)) || p_more)) $$;
select is((select array_agg(distinct s.status) from mill.settle('w', (
  select jsonb_agg(jsonb_build_object('id', h.id, 'attempt', h.attempt, 'outcome', 'completed', 'result', case h.item
    when 0 then pg_temp.artifact(format('%s/%s/pdf/%s.pdf', h.user_id, h.job, h.id), '{"title": "Good"}')
    when 1 then pg_temp.artifact(format('%s/%s/pdf/%s.pdf', gen_random_uuid(), h.job, h.id))
    when 2 then pg_temp.artifact(format('%s/%s/pdf/../../x/%s.pdf', h.user_id, h.job, h.id))
    when 3 then pg_temp.artifact(format('%s/%s/pdf/%s.pdf', h.user_id, h.job, h.id), '{"bytes": "many"}')
    else '{"artifacts": "none"}' end)) from held h)) s), array['accepted'], 'bad artifacts do not keep a batch from being settled');
select is((select array_agg(title) from public.job_artifacts), array['Good'], 'only the good one is registered');
select is((select count(*) from mill.event where code = 'artifact_refused'), 3::bigint, 'artifacts that are not registered are noted');
select is((select status from mill.workflow), 'completed', 'the job goes on');
select throws_like($$ insert into public.job_artifacts select mill.uuid7(), job_id, gen_random_uuid(), task_id, artifact_type, storage_path || 'x', 1, null, sha256, title, now() from public.job_artifacts $$,
  '%path_is_under_its_own_job%', 'a path outside of its user''s job cannot be written at all');
select * from finish();
