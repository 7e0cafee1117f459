insert into mill.settings (key, value, type, description) values
  ('documents.upload_grace_seconds', '300', 'number', 'After this an unfinished upload or erasure is swept'),
  ('documents.upload_forget_seconds', '3600', 'number', 'After this an upload that has stored nothing is forgotten; no upload may last longer'),
  ('documents.max_bytes', '52428800', 'number', 'Largest file that is processed, in bytes; a larger one is refused'),
  ('documents.min_page_confidence', '0.75', 'number', 'A page that was read with less confidence is read again in other ways, and then its document needs review'),
  ('documents.min_word_confidence', '0.5', 'number', 'A word that was read with less confidence decides nothing by itself'),
  ('documents.min_fact_confidence', '0.55', 'number', 'A document with a fact of less confidence needs review'),
  ('documents.language', 'eng', 'string', 'What pages are read as, in tesseract''s names: eng, deu+eng. A profile may have its own: set_document_language'),
  ('documents.keep_raw_answers', 'false', 'boolean', 'Keep raw answers of models')
on conflict (key) do nothing;

-- A stage is tried again after 2, 4, 8, 16, 32 and 64 s, give or take a fifth.
-- Users take turns, and one has so many steps at once that a worker with two processors, which claims four, keeps a place for others.
insert into mill.queue (queue, description, provider, endpoint, lease_seconds, max_attempts, max_lease_losses, backoff_cap_seconds, backoff_jitter, dequeue, max_running_per_group) values
  ('fast', 'Steps of a document that need no model', null, null, 90, 7, 7, 64, 0.2, 'fair', 3),
  ('ai', 'Model calls, under the rate limit of their provider', 'builtin', 'rules', 90, 7, 7, 64, 0.2, 'fair', 10)
on conflict (queue) do nothing;

-- compat accepts the stages also without documents, in a queue for the user's own workers; from now on they are ours.
insert into mill.kind as k (kind, queue, description) values
  ('fast_queue_security', 'fast', 'Scan of an upload'),
  ('fast_queue_ocr', 'fast', 'Text of a page'),
  ('fast_queue_spatial', 'fast', 'Where on the page each word is'),
  ('ai_queue_pass1', 'ai', 'First pass over a document'),
  ('ai_queue_pass2', 'ai', 'Second pass over a document'),
  ('ai_queue_pass3', 'ai', 'Third pass over a document'),
  ('document_sweep', 'standard', 'Matches objects and rows of documents, both ways')
on conflict (kind) do update set queue = excluded.queue, part = excluded.part where k.part = 'compat';

insert into mill.repeatable_call (function, created) values
  ('reprocess_document', '$')
on conflict (function) do update set created = excluded.created, part = excluded.part;
