-- Rows that a fresh installation starts with. What an operator has changed stays as it is.
insert into mill.settings (key, value, type, description) values
  ('console.payloads', 'masked', 'string', 'masked or shown: payloads of kinds that do not say themselves whether they are sensitive'),
  ('console.role_claim', '', 'string', 'Where the token has the console role, such as app_metadata.role; empty: app_metadata.gristmill_role, then gristmill_role'),
  ('console.bulk_ms', '500', 'number', 'How many milliseconds of a round of the pump bulk actions may take')
on conflict (key) do nothing;

insert into mill.queue (queue, description, served_by, max_attempts, lease_seconds) values
  ('console', 'Bulk actions of the console, done by the pump', 'external', 5, 300)
on conflict (queue) do nothing;
insert into mill.kind (kind, queue, description, first_asked_at, sensitive) values
  ('console_bulk', 'console', 'Retries, discards or cancels all jobs that match a search', mill.now(), false)
on conflict (kind) do nothing;

insert into mill.hook (event, routine, place) values
  ('tick', 'mill.run_console_bulks', 90),
  ('maintain', 'mill.forget_console_bulks', 50)
on conflict (event, routine) do update set place = excluded.place;
