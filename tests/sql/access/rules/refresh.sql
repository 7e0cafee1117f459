-- Refresh: market data is the same for everyone who is signed in; who watches what is one's own.
insert into relation_rule (relation, owner_may, service_may, seed, is_shared) values
  ('data_type_registry', 'select', 'select insert update delete', null, true),
  ('supported_symbols', 'select', 'select insert update delete', $$ insert into public.supported_symbols (symbol) values ('WALK') $$, true),
  ('active_subscriptions_v2', 'select delete', 'select insert update delete',
    $$ insert into public.active_subscriptions_v2 (user_id, symbol, data_type, subscribed_at, last_seen_at) values ({owner}, 'WALK', 'quote', now(), now()) $$, false),
  ('api_data_usage', '', 'select', $$ insert into public.api_data_usage (created_at, provider, data_type, calls, data_size_bytes) values (now(), 'fmp', 'quote', 1, 1) $$, false),
  ('subscription_analytics', '', 'select', $$ insert into public.subscription_analytics (symbol, data_type, watchers, counted_at) values ('WALK', 'quote', 1, now()) $$, false),
  ('api_call_queue', '', 'select insert update', $$ insert into mill.job_live (id, line, turn, queue, kind, payload, state, run_at, max_attempts, created_at)
     values (gen_random_uuid(), 0, 1, 'refresh', 'quote', '{"symbol": "WALK"}', 'pending', now(), 5, now()) $$, false),
  ('quotes', 'select', 'select', null, true), ('company_profiles', 'select', 'select', null, true),
  ('financial_statements', 'select', 'select', null, true), ('earnings', 'select', 'select', null, true);
insert into rpc_rule (rpc, owner, service, probe, subject) values
  ('is_valid_identifier', true, true, null, null), ('is_data_stale', true, true, null, null), ('is_profile_stale', true, true, null, null),
  ('check_and_queue_stale_batch', true, true, null, null), ('get_data_changes', true, false, null, null),
  ('upsert_active_subscription_v2', true, true, $$ public.upsert_active_subscription_v2({id}, 'WALK', 'quote') $$,
    'select user_id as id from public.active_subscriptions_v2 limit 1');
insert into rpc_rule (rpc) values
  ('is_quota_exceeded'), ('invoke_processor_loop'), ('check_and_queue_stale_data_from_presence_v2'), ('queue_refresh_if_not_exists'), ('check_and_queue_stale_data_from_presence'), ('queue_scheduled_refreshes'), ('claim_refresh'),
  ('settle_refresh'), ('get_queue_batch'), ('complete_queue_job'), ('fail_queue_job'), ('reset_job_immediate'), ('recover_stuck_jobs'),
  ('invoke_processor_if_healthy'), ('maintain_queue_partitions'), ('check_cron_job_health'), ('refresh_analytics_from_presence_v2');
-- Looking at data goes on in maintenance: watchers' heartbeats, and the refreshes that they ask for.
update rpc_rule set goes_on = true where rpc in ('is_valid_identifier', 'get_data_changes', 'check_and_queue_stale_batch', 'upsert_active_subscription_v2');
update relation_rule set goes_on = true where relation = 'active_subscriptions_v2';
