insert into mill.settings (key, value, type, description) values
  ('exports.storage_limit_bytes', '104857600', 'number', 'Bytes of exports that a user may keep'),
  ('exports.daily_limit', '100', 'number', 'Exports that a user may ask for on a day, UTC'),
  ('exports.expire_days', '7', 'number', 'How long an exported file is kept'),
  ('exports.remember_days', '30', 'number', 'How long an export is remembered after it was asked for'),
  ('exports.abandoned_after_seconds', '3600', 'number', 'How long the file of a lost attempt is left alone: longer than any upload')
on conflict (key) do nothing;

-- max_running is the total over all users; an operator sets it by how many workers there are.
insert into mill.queue (queue, description, lease_seconds, max_attempts, backoff_base_seconds, backoff_cap_seconds,
  max_running, max_running_per_group, dequeue, depth_limit, retention_days, backoff_jitter)
values ('exports', 'Documents to PDF', 90, 5, 60, 3600, 50, 3, 'fair', 5000, 7, 0.1)
on conflict (queue) do nothing;
insert into mill.kind (kind, queue, description) values ('export_pdf', 'exports', 'One document to PDF')
on conflict (kind) do nothing;

insert into mill.cleanup_step (step, description, run, confirm, max_items, place) values
  ('export_files', 'Exported files that have expired or that nobody finished', 'mill.cleanup_export_files', 'mill.confirm_export_files', 200, 60),
  ('exports', 'Exports from long ago', 'mill.cleanup_exports', null, 1000, 61)
on conflict (step) do update set run = excluded.run, confirm = excluded.confirm, description = excluded.description;

insert into mill.repeatable_call (function, created) values
  ('request_export', '$'),
  ('request_export_batch', '$')
on conflict (function) do update set created = excluded.created, part = excluded.part;

-- A user reads the own exports, which lie at {user}/exports/…, and lists the own folder. An admin of the console to whom an export was revealed
-- reads that one, for some minutes.
create or replace function mill.may_read_export(p_key text, p_user uuid) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select nullif(starts_with(p_key, p_user || '/exports/') or p_key = p_user || '/'
    or exists (select from mill.export_file f where f.path = p_key and f.state = 'stored' and mill.has_console_grant(p_user, f.export_id)), false)
$$;
comment on function mill.may_read_export(text, uuid) is 'Rule of read: the exports of a user, and those that were revealed to an admin of the console.';
revoke execute on function mill.may_read_export(text, uuid) from public;

insert into mill.object_rule (act, routine) values ('read', 'mill.may_read_export')
on conflict (act, routine) do nothing;

-- In the bucket exports they lie at {user}/{document}_{time}.pdf. A file that was deleted or has expired is closed before its object is gone.
insert into mill.bucket (bucket, description) values ('exports', 'Exported files')
on conflict (bucket) do nothing;

create or replace function mill.may_read_exported_file(p_key text, p_user uuid) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select nullif((starts_with(p_key, p_user || '/') or exists (
      select from mill.export_file f where f.path = 'exports:' || p_key and mill.has_console_grant(p_user, f.export_id))) and not exists (
    select from mill.export_file f
    where f.path = 'exports:' || p_key and (f.state in ('removing', 'deleted') or f.expires_at <= mill.now())), false)
$$;
comment on function mill.may_read_exported_file(text, uuid) is 'Rule of read in the bucket exports: the files of a user, and those that were revealed to an admin of the console, until they are deleted or expire.';
revoke execute on function mill.may_read_exported_file(text, uuid) from public;

insert into mill.object_rule (act, routine, bucket) values ('read', 'mill.may_read_exported_file', 'exports')
on conflict (act, routine) do nothing;
