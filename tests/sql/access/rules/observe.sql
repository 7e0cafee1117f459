-- Schedules, health, metrics and cleanup: the service's alone.
insert into rpc_rule (rpc) values
  ('run_schedules'), ('queue_stats'), ('metrics_report'), ('cron_report'), ('cleanup_steps'), ('run_cleanup_step'), ('confirm_cleanup_step');
insert into rpc_rule (rpc, owner, probe, subject) values
  ('explain_job', true, 'public.explain_job({id})', 'select id from mill.job_live where owner = {owner} limit 1');
