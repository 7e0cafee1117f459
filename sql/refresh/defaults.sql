-- Rows that a fresh installation starts with. What an operator has changed stays as it is.
do $$
begin
  if not exists (select from pg_publication p where p.pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
end
$$;

insert into mill.settings (key, value, type, description) values
  ('refresh.quota_gb', '20', 'number', 'Data that may be fetched within the rolling days, in GB of 2^30 bytes'),
  ('refresh.quota_days', '30', 'number', 'The rolling days of the quota'),
  ('refresh.quota_buffer', '0.95', 'number', 'The share of the quota at which serving stops'),
  ('refresh.scheduled_stretch', '100', 'number', 'Symbols of a scheduled type that are looked at a minute'),
  ('refresh.scheduled_depth', '1000', 'number', 'Due refreshes in a queue at which scheduled ones wait'),
  ('refresh.pass_seconds', '30', 'number', 'Data counts as stale for watchers so many seconds before its time to live ends: the pass comes once a minute'),
  ('refresh.max_subscriptions', '500', 'number', 'Subscriptions that one user may have'),
  ('refresh.failure_pause_max_minutes', '15', 'number', 'The longest time for which a symbol is not asked for after dead letters in a row'),
  ('refresh.estimate_share', '0.01', 'number', 'The share of completions that correct the estimated size')
on conflict (key) do nothing;

insert into mill.api_rate_limits (provider_name, api_endpoint, requests_per_minute) values ('fmp', 'stable', 300)
on conflict (provider_name, api_endpoint) do nothing;

insert into mill.queue (queue, description, served_by, function, provider, endpoint, lease_seconds, max_attempts, backoff_base_seconds, backoff_cap_seconds) values
  ('refresh', 'Calls to outside APIs that keep cached data fresh', 'function', 'processor', 'fmp', 'stable', 60, 4, 5, 300),
  -- Data types whose edge_function_name is not one of ours. The user's processor takes them by get_queue_batch, within the same limit of calls.
  ('refresh-external', 'Refreshes that a processor of the user''s does', 'external', null, 'fmp', 'stable', 300, 4, 5, 300)
on conflict (queue) do nothing;

insert into public.data_type_registry (
  data_type, table_name, timestamp_column, source_timestamp_column, staleness_function, default_ttl_minutes, priority, estimated_data_size_bytes) values
  ('quote', 'quotes', 'fetched_at', 'quoted_at', 'is_data_stale', 1, 8, 600),
  ('profile', 'company_profiles', 'fetched_at', null, 'is_profile_stale', 1440, 5, 2500),
  ('earnings', 'earnings', 'fetched_at', 'last_updated', 'is_data_stale', 1440, 4, 1500),
  ('financial-statements', 'financial_statements', 'fetched_at', 'accepted_at', 'is_data_stale', 43200, 3, 6000)
on conflict (data_type) do nothing;
