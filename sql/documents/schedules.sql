insert into mill.cleanup_step (step, description, run, place) values
  ('documents', 'Uploads that were not finished, erasures that stopped half-way', 'mill.cleanup_documents', 40)
on conflict (step) do update set description = excluded.description, run = excluded.run, place = excluded.place;

create or replace function mill.enqueue_document_sweep() returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  select mill.enqueue('[{"kind": "document_sweep", "payload": {"listing": true}, "dedupe_key": "document_sweep_listing"}]')
$$;
comment on function mill.enqueue_document_sweep() is 'Asks for a sweep that lists the object store.';
revoke execute on function mill.enqueue_document_sweep() from public;

insert into mill.schedule as s (name, description, schedule, step, command, every_seconds, slack_seconds, trigger_of) values
  ('document-sweep', 'Registers uploads that were stored and not registered', '* * * * *', 'mill.cleanup_documents', null, 60, 300, 'processor'),
  ('document-objects', 'Removes objects that no document names', '41 * * * *', 'mill.enqueue_document_sweep', null, 3600, 1200, 'processor')
on conflict (name) do update set
  description = excluded.description, schedule = excluded.schedule, step = excluded.step, command = excluded.command,
  every_seconds = excluded.every_seconds, slack_seconds = excluded.slack_seconds, trigger_of = excluded.trigger_of;
