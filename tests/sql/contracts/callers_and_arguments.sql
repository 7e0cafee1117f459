-- Who may call the functions behind the contracts, and which arguments none of their callers may leave out.
select plan(3);
create temp table pinned (name text primary key, required int, roles text[] default '{}');
insert into pinned (name, required) values
  ('mill.check_presence', 1), ('mill.check_symbol', 3), ('mill.check_watched', 1), ('mill.claim_refresh', 4), ('mill.cleanup_subscriptions', 0), ('mill.entry_lock', 1),
  ('mill.is_quota_exceeded', 0), ('mill.judge_breakers', 0), ('mill.lock_refresh_claims', 0), ('mill.maintain_unless_running', 0), ('mill.may_invoke', 2),
  ('mill.note_fetches', 2), ('mill.probe_state', 1), ('mill.queue_refreshes', 3), ('mill.queue_stale', 3), ('mill.quota_in_flight', 0), ('mill.quota_limit', 2),
  ('mill.quota_next_batch', 0), ('mill.quota_used', 1), ('mill.recent_attempts', 2), ('mill.require_primary', 0), ('mill.set_breaker', 3), ('mill.settle_fetched', 3),
  ('mill.stale_or_broken', 2), ('mill.stale_symbols', 2), ('mill.target_of', 2), ('mill.upsert_statement', 2), ('mill.viewers', 2), ('mill.walk_all_scheduled', 0),
  ('mill.walk_scheduled', 2), ('mill.watched_symbols', 2), ('mill.write_fetched', 3), ('mill.write_rows', 3), ('mill.check_stale_data', 0),
  ('public.check_and_queue_stale_data_from_presence', 0), ('public.claim_refresh', 1), ('public.complete_queue_job', 2), ('public.fail_queue_job', 2),
  ('public.get_queue_batch', 0), ('public.is_quota_exceeded', 0), ('public.maintain_queue_partitions', 0), ('public.queue_refresh_if_not_exists', 2),
  ('public.queue_scheduled_refreshes', 0), ('public.recover_stuck_jobs', 0), ('public.refresh_analytics_from_presence_v2', 0), ('public.reset_job_immediate', 1),
  ('public.settle_refresh', 2);
insert into pinned values
  ('public.check_and_queue_stale_batch', 2, '{authenticated}'), ('public.is_data_stale', 2, '{authenticated}'), ('public.is_profile_stale', 2, '{authenticated}'),
  ('public.upsert_active_subscription_v2', 0, '{authenticated}');
create temp view found as
  select n.nspname || '.' || p.proname as name, p.pronargs - p.pronargdefaults as required,
    array(select r from unnest(array['public', 'anon', 'authenticated']) r where has_function_privilege(r, p.oid, 'execute')) as roles
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('public', 'mill');
select is_empty('select k.name from pinned k where not exists (select from found f where f.name = k.name)', 'each of them exists');
select is_empty('select f.name, f.required, k.required from pinned k join found f using (name) where f.required <> k.required', 'an argument that decides has no default');
select is_empty('select f.name, f.roles, k.roles from pinned k join found f using (name) where f.roles <> k.roles', 'beside the service users call four of them and nobody else calls any');
select * from finish();
