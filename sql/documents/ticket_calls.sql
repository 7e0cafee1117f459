-- What a ticket for a stream may read.
insert into mill.ticket_call (function, kind) values
  ('document_events', 'document')
on conflict (function) do update set kind = excluded.kind, part = excluded.part;
