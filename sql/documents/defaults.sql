insert into public.system_configuration (config_key, config_value, config_type, description) values
  ('documents.upload_grace_seconds', '300', 'number', 'After this an unfinished upload or erasure is swept'),
  ('documents.upload_forget_seconds', '3600', 'number', 'After this an upload that has stored nothing is forgotten; no upload may last longer'),
  ('documents.max_bytes', '52428800', 'number', 'Largest file that is processed, in bytes; a larger one is refused'),
  ('documents.keep_raw_answers', 'false', 'boolean', 'Keep raw answers of models')
on conflict (config_key) do nothing;

-- Documents retry after 2, 4, 8, 16, 32, 64 s with jitter. What an operator has changed stays.
update mill.queue set backoff_cap_seconds = 64, max_attempts = 7, max_lease_losses = 7
where queue in ('fast', 'ai') and backoff_cap_seconds = 3600 and max_attempts = 5 and max_lease_losses = 3;

insert into mill.kind (kind, queue, description) values
  ('document_sweep', 'standard', 'Matches objects and rows of documents, both ways')
on conflict (kind) do nothing;
