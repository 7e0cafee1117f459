-- Rows that a fresh installation starts with. What an operator has changed stays as it is.
insert into mill.settings (key, value, type, description) values
  ('features.usage_tracking_enabled', 'true', 'boolean', 'Count what users use'),
  ('features.billing_enabled', 'false', 'boolean', 'Charge for it'),
  ('features.upgrade_prompts_enabled', 'false', 'boolean', 'Suggest a larger plan')
on conflict (key) do nothing;

-- While nothing is counted, nothing is kept either.
insert into mill.repeatable_call (function, created) values
  ('track_ai_processing_usage', '$ ? (!exists (@.tracking_disabled))')
on conflict (function) do update set created = excluded.created, part = excluded.part;
