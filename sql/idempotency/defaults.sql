-- Every RPC that creates something and does not keep a key of its own. start_workflow and begin_document_upload do.
insert into mill.repeatable_call (function, created) values
  ('submit_job', '$'),
  ('enqueue_job_v3', '$'),
  -- A batch of which the queue took nothing created nothing.
  ('enqueue_jobs', '$[*] ? (@.status != "throttled")'),
  ('enqueue_many', '$[*] ? (@ != null)'),
  ('request_export', '$'),
  ('request_export_batch', '$'),
  ('retry_workflow', '$'),
  ('reprocess_document', '$'),
  ('log_audit_event', '$'),
  -- Refused by the plan: nothing was counted.
  ('track_ai_processing_usage', '$ ? (@.allowed == true)')
on conflict (function) do update set created = excluded.created;

insert into public.system_configuration (config_key, config_value, config_type, description) values
  ('idempotency.max_keys_per_user', '5000', 'number', 'Idempotency keys that one user may have in 24 hours')
on conflict (config_key) do nothing;
