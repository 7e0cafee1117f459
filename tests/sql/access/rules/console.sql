-- The console. Signed-in users may call its RPCs, and each refuses whoever has no role in it: owner and stranger alike, so an owner's id is as mute as any.
-- tests/sql/console walks the roles.
insert into rpc_rule (rpc, owner, probe, subject, is_mute) values
  ('console_job', true, 'public.console_job({id})', 'select id from mill.job_live where owner = {owner} limit 1', true),
  ('console_reveal', true, 'public.console_reveal({id}, ''walk'')', 'select id from mill.job_live where owner = {owner} limit 1', true),
  ('console_retry', true, 'public.console_retry(array[{id}::uuid], ''walk'')', 'select id from mill.job_live where owner = {owner} limit 1', true),
  ('console_cancel', true, 'public.console_cancel(array[{id}::uuid], ''walk'')', 'select id from mill.job_live where owner = {owner} limit 1', true),
  ('console_discard', true, 'public.console_discard(array[{id}::uuid], ''walk'')', 'select id from mill.job_live where owner = {owner} limit 1', true),
  ('console_pulse', true, 'public.console_pulse(null, array[{id}::uuid])', 'select id from mill.job_live where owner = {owner} limit 1', true),
  ('console_stop_bulk', true, 'public.console_stop_bulk({id}, ''walk'')', 'select id from mill.job_live where owner = {owner} limit 1', true),
  ('console_resume_bulk', true, 'public.console_resume_bulk({id}, ''walk'')', 'select id from mill.job_live where owner = {owner} limit 1', true),
  ('console_workflow', true, 'public.console_workflow({id})', 'select id from mill.workflow where user_id = {owner} limit 1', true),
  ('console_cancel_workflow', true, 'public.console_cancel_workflow({id}, ''walk'')', 'select id from mill.workflow where user_id = {owner} limit 1', true),
  ('console_resume_workflow', true, 'public.console_resume_workflow({id}, ''walk'')', 'select id from mill.workflow where user_id = {owner} limit 1', true);
insert into rpc_rule (rpc, owner) values
  ('console_start', true), ('console_overview', true), ('console_jobs', true), ('console_suggest', true), ('console_enqueue', true), ('console_queue', true), ('console_set_queue', true),
  ('console_pause', true), ('console_drain', true), ('console_set_kind', true), ('console_dead_groups', true), ('console_preview', true), ('console_bulk', true), ('console_bulks', true),
  ('console_health', true), ('console_findings', true), ('console_audit', true), ('console_verify_audit', true), ('console_workflows', true), ('console_schedules', true),
  ('console_preview_schedule', true), ('console_save_schedule', true), ('console_run_schedule', true), ('console_pause_schedule', true), ('console_delete_schedule', true);
-- Operators act also while users' writes are stopped.
update rpc_rule set goes_on = true where rpc like 'console\_%';
