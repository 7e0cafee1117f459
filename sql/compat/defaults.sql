-- Rows that a fresh installation starts with. What an operator has changed stays as it is.
insert into mill.settings (key, value, type, description) values
  ('queue.backpressure_delay_seconds', '30', 'number', 'How long a job waits for a provider under pressure')
on conflict (key) do nothing;

-- The twelve job types of the older system. Six are stages of documents, whose application brings them with queues of their own; without
-- that application, and for the other six, the user's own workers do them.
insert into mill.kind (kind, queue, description) values
  ('fast_queue_security', 'standard', 'Scan of an upload'),
  ('fast_queue_ocr', 'standard', 'Text of a page'),
  ('fast_queue_spatial', 'standard', 'Where on the page each word is'),
  ('ai_queue_pass1', 'standard', 'First pass over a document'),
  ('ai_queue_pass2', 'standard', 'Second pass over a document'),
  ('ai_queue_pass3', 'standard', 'Third pass over a document'),
  ('audit_cleanup', 'standard', 'Prunes what the audit log need not keep'),
  ('notification_delivery', 'standard', 'Sends a notification'),
  ('report_generation', 'standard', 'Makes a report'),
  ('backup_operation', 'standard', 'Makes a backup'),
  ('system_maintenance', 'standard', 'Upkeep'),
  ('consent_verification', 'standard', 'Checks a consent')
on conflict (kind) do nothing;

insert into mill.repeatable_call (function, created) values ('enqueue_job_v3', '$')
on conflict (function) do update set created = excluded.created, part = excluded.part;
