-- Walks the catalog: a new function or table that is not listed here fails this test.
select plan(6);
create temp table may_call(role text collate "C", routine text collate "C");
insert into may_call values
  ('anon', 'is_service_role'), ('authenticated', 'is_service_role'), ('service_role', 'is_service_role'),
  ('authenticated', 'submit_job'), ('service_role', 'submit_job'),
  ('authenticated', 'get_job'), ('service_role', 'get_job'),
  ('service_role', 'claim_jobs'), ('service_role', 'settle_jobs'), ('service_role', 'tick'), ('service_role', 'health_report'),
  ('service_role', 'enqueue_jobs'), ('service_role', 'heartbeat_jobs'), ('service_role', 'cancel_jobs'), ('service_role', 'retry_jobs'),
  ('service_role', 'discard_jobs'), ('service_role', 'pause_queue'), ('service_role', 'enqueue_job_v3'), ('service_role', 'claim_next_job_v3'),
  ('service_role', 'update_job_heartbeat'), ('service_role', 'reschedule_job'), ('service_role', 'complete_job'), ('service_role', 'fail_job');
create temp table may_touch(role text collate "C", relation text collate "C");
insert into may_touch values ('service_role', 'job_queue'), ('service_role', 'system_configuration');

-- schedules, health, cleanup
insert into may_call select 'service_role', unnest(array[
  'run_schedules', 'queue_stats', 'metrics_report', 'cleanup_steps', 'run_cleanup_step', 'confirm_cleanup_step']);

-- refresh
insert into may_call
select 'service_role', unnest(array[
  'is_valid_identifier', 'is_data_stale', 'is_profile_stale', 'is_quota_exceeded', 'queue_refresh_if_not_exists',
  'check_and_queue_stale_batch', 'check_and_queue_stale_data_from_presence', 'queue_scheduled_refreshes',
  'upsert_active_subscription_v2', 'claim_refresh', 'settle_refresh', 'get_queue_batch', 'complete_queue_job', 'fail_queue_job',
  'reset_job_immediate', 'recover_stuck_jobs', 'invoke_processor_if_healthy', 'maintain_queue_partitions', 'check_cron_job_health',
  'refresh_analytics_from_presence_v2'])
union all select 'authenticated', unnest(array[
  'is_valid_identifier', 'is_data_stale', 'is_profile_stale', 'check_and_queue_stale_batch', 'upsert_active_subscription_v2', 'get_data_changes']);
insert into may_touch
select 'service_role', unnest(array[
  'data_type_registry', 'supported_symbols', 'active_subscriptions_v2', 'api_data_usage', 'subscription_analytics', 'api_call_queue',
  'quotes', 'company_profiles', 'financial_statements', 'earnings'])
union all select 'authenticated', unnest(array[
  'data_type_registry', 'supported_symbols', 'active_subscriptions_v2', 'quotes', 'company_profiles', 'financial_statements', 'earnings']);

select results_eq(
  $$ select r.role collate "C", p.proname::text collate "C" from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     cross join unnest(array['anon', 'authenticated', 'service_role']) r(role)
     where n.nspname = 'public' and has_function_privilege(r.role, p.oid, 'execute') order by 1, 2 $$,
  'select role, routine from may_call order by 1, 2', 'exactly these RPCs are open, to exactly these roles');
select is_empty(
  $$ select p.oid::regprocedure, r.role from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     cross join unnest(array['anon', 'authenticated', 'service_role']) r(role)
     where n.nspname = 'mill' and has_function_privilege(r.role, p.oid, 'execute') $$, 'nothing in mill is callable');
select is_empty(
  $$ select c.oid::regclass, r.role from pg_class c join pg_namespace n on n.oid = c.relnamespace
     cross join unnest(array['anon', 'authenticated', 'service_role']) r(role)
     where n.nspname = 'mill' and c.relkind in ('r', 'p', 'v') and has_table_privilege(r.role, c.oid, 'select, insert, update, delete') $$,
  'nothing in mill is readable or writable');
select is_empty(
  $$ select c.oid::regclass from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relrowsecurity $$, 'every table in public has row level security');
select is_empty(
  $$ select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ('public', 'mill') and p.prosecdef
       and not coalesce(p.proconfig @> array['search_path=pg_catalog, pg_temp'], false) $$,
  'every SECURITY DEFINER function pins its search path with pg_temp last');
select results_eq(
  $$ select r.role collate "C", c.relname::text collate "C" from pg_class c join pg_namespace n on n.oid = c.relnamespace
     cross join unnest(array['anon', 'authenticated', 'service_role']) r(role)
     where n.nspname = 'public' and c.relkind in ('r', 'p', 'v') and has_table_privilege(r.role, c.oid, 'select, insert, update, delete') order by 1, 2 $$,
  'select role, relation from may_touch order by 1, 2', 'exactly these tables and views are open');
select * from finish();
