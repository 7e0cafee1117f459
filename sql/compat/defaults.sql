-- Rows that a fresh installation starts with. What an operator has changed stays as it is.
insert into mill.settings (key, value, type, description) values
  ('queue.backpressure_delay_seconds', '30', 'number', 'How long a job waits for a provider under pressure')
on conflict (key) do nothing;

-- Job types that the compatible API accepts and that the user's own workers do.
insert into mill.kind (kind, queue, description) values
  ('audit_cleanup', 'standard', 'Prunes what the audit log need not keep'),
  ('notification_delivery', 'standard', 'Sends a notification'),
  ('report_generation', 'standard', 'Makes a report'),
  ('backup_operation', 'standard', 'Makes a backup'),
  ('system_maintenance', 'standard', 'Upkeep'),
  ('consent_verification', 'standard', 'Checks a consent')
on conflict (kind) do nothing;

insert into mill.repeatable_call (function, created) values ('enqueue_job_v3', '$')
on conflict (function) do update set created = excluded.created, part = excluded.part;
