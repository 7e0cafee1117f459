-- The engine and its compatible names.
insert into relation_rule (relation, service_may, seed) values
  ('job_queue', 'select update', $$ with job as (
       insert into mill.job_live (id, line, turn, queue, kind, payload, state, run_at, max_attempts, created_at, owner)
       values (gen_random_uuid(), 0, 1, 'default', 'echo', '{"a": 1}', 'pending', now(), 5, now(), {owner}) returning id)
     insert into mill.job_log (job, n, attempt, bytes, at, level, message) select id, 1, 1, 5, now(), 'info', 'hello' from job $$);
insert into rpc_rule (rpc, owner, probe, subject, is_mute) values
  ('get_job', true, 'public.get_job({id})', 'select id from mill.job_live where owner = {owner} limit 1', false),
  ('get_job_logs', true, 'public.get_job_logs({id})', 'select l.job as id from mill.job_log l join mill.job_live j on j.id = l.job where j.owner = {owner} limit 1', false),
  -- Naming an owner is ignored: the job is the caller's, whoever that is.
  ('submit_job', true, $$ public.submit_job('echo', '{"a": 1}', p_owner => {id}) $$, 'select user_id as id from public.user_profiles where id = {profile}', true);
insert into rpc_rule (rpc) values
  ('claim_jobs'), ('register_jobs'), ('claim_wake_up'), ('settle_jobs'), ('settle_and_claim'), ('tick'), ('health_report'), ('enqueue_jobs'), ('enqueue_many'), ('heartbeat_jobs'), ('end_worker'), ('cancel_jobs'), ('retry_jobs'), ('discard_jobs'),
  ('pause_queue'), ('save_schedule'), ('list_schedules'), ('schedule_runs'), ('pause_schedule'), ('run_schedule_now'), ('preview_schedule'), ('remove_schedules'), ('record_step'), ('sleep_step'), ('wait_for_event'), ('job_steps'), ('send_event'), ('enqueue_job_v3'), ('claim_next_job_v3'), ('update_job_heartbeat'), ('reschedule_job'), ('complete_job'), ('fail_job');
