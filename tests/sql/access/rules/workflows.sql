-- Workflows: jobs are their user's; definitions are the operator's.
insert into relation_rule (relation, owner_may, service_may, seed, forge) values
  ('workflow_definition', '', 'select insert update delete', null, null),
  ('jobs', 'select insert', 'select insert', $$ insert into mill.workflow (type, user_id) values ('echo', {owner}) $$,
    $$ insert into public.jobs (type, user_id) values ('echo', {owner}) $$),
  ('job_tasks', 'select', 'select insert', null, null),
  ('job_artifacts', 'select', 'select insert', $$ insert into public.job_artifacts (id, job_id, user_id, task_id, artifact_type, storage_path, file_size_bytes, sha256, created_at)
     select gen_random_uuid(), j.id, j.user_id, t.id, 'pdf', format('%s/%s/pdf/%s.pdf', j.user_id, j.id, t.id), 1, repeat('a', 64), now()
     from mill.workflow j join mill.task t on t.job_id = j.id limit 1 $$, null);
insert into rpc_rule (rpc, owner, probe, subject, is_mute) values
  -- Naming a user is ignored: the job is the caller's, whoever that is.
  ('start_workflow', true, $$ public.start_workflow('echo', '{}', p_user_id => {id}) $$, 'select user_id as id from public.user_profiles where id = {profile}', true),
  ('get_workflow', true, 'public.get_workflow({id})', 'select id from mill.workflow where user_id = {owner} limit 1', false),
  ('workflow_progress', true, 'public.workflow_progress({id})', 'select id from mill.workflow where user_id = {owner} limit 1', false),
  ('workflow_events', true, 'public.workflow_events({id}, 0)', 'select id from mill.workflow where user_id = {owner} limit 1', false),
  ('cancel_workflow', true, 'public.cancel_workflow({id})', 'select id from mill.workflow where user_id = {owner} limit 1', false),
  ('retry_workflow', true, 'public.retry_workflow({id})', 'select id from mill.workflow where user_id = {owner} limit 1', false),
  -- The id is where a page of the caller's own jobs begins; nothing of the owner's comes before its first.
  ('list_workflows', true, 'public.list_workflows(1, {id})', 'select id from mill.workflow where user_id = {owner} order by id limit 1', true);
insert into rpc_rule (rpc) values ('register_workflow'), ('claim_tasks'), ('heartbeat_task'), ('complete_task'), ('fail_task'), ('reclaim_stale_tasks');
