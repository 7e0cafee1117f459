-- What a ticket for a stream may read.
insert into mill.ticket_call (function, kind) values
  ('export_events', 'export'),
  ('get_export', 'export'),
  ('export_batch_events', 'export_batch'),
  ('get_export_batch', 'export_batch')
on conflict (function) do update set kind = excluded.kind, part = excluded.part;
