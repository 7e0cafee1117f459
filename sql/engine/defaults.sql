-- Rows that a fresh installation starts with. What an operator has changed stays as it is.
insert into public.system_configuration (config_key, config_value, config_type, description) values
  ('worker.heartbeat_interval_seconds', '30', 'number', 'How often a container worker extends its leases'),
  ('worker.timeout_seconds', '300', 'number', 'How long a worker may be silent'),
  ('worker.reclaim_jitter_max_seconds', '60', 'number', 'Jobs of a lost worker return spread over this time'),
  ('queue.backpressure_delay_seconds', '30', 'number', 'How long a job waits for a provider under pressure'),
  ('queue.payload_max_bytes', '65536', 'number', 'The largest payload that enqueue takes, in bytes of jsonb'),
  ('pump.interval_seconds', '5', 'number', 'How long the pump rests between rounds'),
  ('breaker.window_seconds', '60', 'number', 'How far back a breaker looks'),
  ('breaker.min_attempts', '20', 'number', 'With fewer attempts in the window a breaker stays closed'),
  ('breaker.failure_rate', '0.5', 'number', 'The share of failed attempts that opens a breaker'),
  ('breaker.cooldown_seconds', '30', 'number', 'How long a breaker stays open before its first probe'),
  ('audit.retention_days', '2555', 'number', 'How long audit rows are kept; whole months are dropped'),
  ('features.usage_tracking_enabled', 'true', 'boolean', 'Count what users use'),
  ('features.billing_enabled', 'false', 'boolean', 'Charge for it'),
  ('features.upgrade_prompts_enabled', 'false', 'boolean', 'Suggest a larger plan')
on conflict (config_key) do nothing;

insert into mill.queue (queue, description, served_by, function) values
  ('default', 'Light work, done by the processor function', 'function', 'processor')
on conflict (queue) do nothing;
insert into mill.queue (queue, description, provider, endpoint) values
  ('fast', 'Steps of a document that need no model', null, null),
  ('ai', 'Model calls, under the rate limit of their provider', 'builtin', 'rules'),
  ('standard', 'Everything else that the container worker does', null, null)
on conflict (queue) do nothing;

insert into mill.kind (kind, queue, description, open_to_users) values
  ('echo', 'default', 'Answers with its payload; delay_ms makes it take its time', true),
  ('fast_queue_security', 'fast', 'Scan of an upload', false),
  ('fast_queue_ocr', 'fast', 'Text of a page', false),
  ('fast_queue_spatial', 'fast', 'Where on the page each word is', false),
  ('ai_queue_pass1', 'ai', 'First pass over a document', false),
  ('ai_queue_pass2', 'ai', 'Second pass over a document', false),
  ('ai_queue_pass3', 'ai', 'Third pass over a document', false),
  ('audit_cleanup', 'standard', 'Prunes what the audit log need not keep', false),
  ('notification_delivery', 'standard', 'Sends a notification', false),
  ('report_generation', 'standard', 'Makes a report', false),
  ('backup_operation', 'standard', 'Makes a backup', false),
  ('system_maintenance', 'standard', 'Upkeep', false),
  ('consent_verification', 'standard', 'Checks a consent', false)
on conflict (kind) do nothing;

select mill.maintain();
