-- The caller holds the owner's lock: see sql/exports/tables.sql.
create or replace function mill.note_export(p_id uuid, p_event text, p_data jsonb) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into mill.export_event (export_id, event, data, at)
  values (p_id, p_event, jsonb_build_object('id', p_id) || p_data, mill.now())
$$;

comment on function mill.note_export(uuid, text, jsonb) is 'Appends an event of an export.';
revoke execute on function mill.note_export(uuid, text, jsonb) from public;
