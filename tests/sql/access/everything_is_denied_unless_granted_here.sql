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
insert into may_call -- workflows
  select r.role, f.routine from unnest(array['authenticated', 'service_role']) r(role)
  cross join unnest(array['start_workflow', 'workflow_progress', 'get_workflow', 'list_workflows', 'cancel_workflow', 'retry_workflow']) f(routine)
  union all
  select 'service_role', unnest(array['claim_tasks', 'heartbeat_task', 'complete_task', 'fail_task', 'reclaim_stale_tasks']);
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
  $$ select v.role collate "C", v.name collate "C" from (values ('service_role', 'job_queue'), ('service_role', 'system_configuration'),
       -- workflows
       ('service_role', 'workflow_definition'), ('service_role', 'jobs'), ('service_role', 'job_tasks'), ('service_role', 'job_artifacts'),
       ('authenticated', 'jobs'), ('authenticated', 'job_tasks'), ('authenticated', 'job_artifacts')) v(role, name) order by 1, 2 $$, 'exactly these tables and views are open');
select * from finish();
