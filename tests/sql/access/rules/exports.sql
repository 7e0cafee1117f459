-- Exports: documents are their owner's; whatever else changes goes through RPCs.
insert into relation_rule (relation, owner_may, service_may, seed, forge) values
  ('documents', 'select insert update delete', 'select insert update delete',
    $$ insert into public.documents (id, owner, title, data) values ('44444444-4444-4444-8444-444444444444', {owner}, 'Resume', '{"basics": {"name": "Walk"}}') $$,
    $$ insert into public.documents (owner, title) values ({owner}, 'Forged') $$),
  ('export_history', 'select delete', 'select insert delete',
    $$ with e as (
         insert into mill.export (id, owner, document_id, version, title, template, options, source, created_at)
         values ('55555555-5555-4555-8555-555555555555', {owner}, '44444444-4444-4444-8444-444444444444', 1, 'Resume', 'minimal', '{}', '{}', now())
         returning *),
       b as (insert into mill.export_batch (id, owner, created_at) values ('66666666-6666-4666-8666-666666666666', {owner}, now()) returning *),
       i as (insert into mill.export_batch_item (batch_id, position, export_id) select b.id, 1, e.id from b, e),
       j as (insert into mill.job_live (id, line, turn, queue, kind, payload, state, run_at, max_attempts, created_at, owner)
         select e.id, 0, 1, 'exports', 'export_pdf', '{"a": 1}', 'pending', now(), 5, now(), e.owner from e),
       f as (insert into mill.export_file (path, export_id, attempt, owner, size, state, created_at, expires_at)
         select 'walk.pdf', e.id, 1, e.owner, 1, 'stored', now(), now() + interval '1 day' from e returning *)
       insert into mill.export_history (id, user_id, version, template, file_name, file_path, file_size, page_count, expires_at, created_at)
       select e.id, e.owner, 1, 'minimal', 'Resume.pdf', f.path, 1, 1, f.expires_at, now() from e, f $$, null),
  ('export_jobs', 'select insert update', 'select insert update', null,
    $$ insert into public.export_jobs (user_id, document_id) values ({owner}, '44444444-4444-4444-8444-444444444444') $$);
insert into rpc_rule (rpc, owner, service, probe, subject) values
  ('request_export', true, false, 'public.request_export({id})', 'select id from public.documents limit 1'),
  ('request_export_batch', true, false, 'public.request_export_batch(array[{id}::uuid])', 'select id from public.documents limit 1'),
  ('get_export', true, false, 'public.get_export({id})', 'select id from mill.export limit 1'),
  ('get_export_batch', true, false, 'public.get_export_batch({id})', 'select id from mill.export_batch limit 1'),
  ('cancel_export', true, false, 'public.cancel_export({id})', 'select id from mill.export limit 1'),
  ('delete_export_file', true, false, 'public.delete_export_file({id})', 'select id from mill.export limit 1'),
  ('export_events', true, false, 'public.export_events({id})', 'select id from mill.export limit 1'),
  ('export_batch_events', true, false, 'public.export_batch_events({id})', 'select id from mill.export_batch limit 1'),
  ('download_export', true, false, 'public.download_export({id})', 'select id from mill.export limit 1'),
  ('download_export_batch', true, false, 'public.download_export_batch({id}, true)', 'select id from mill.export_batch limit 1');
-- The owner, too, has nothing before its first.
insert into rpc_rule (rpc, owner, service, probe, subject, is_mute) values
  ('list_exports', true, false, 'public.list_exports(10, {id})', 'select id from mill.export limit 1', true);
insert into rpc_rule (rpc) values ('begin_export'), ('report_export'), ('reserve_export_file'), ('finish_export'), ('fetch_next_export_job');
-- Reading and downloading go on in maintenance.
update rpc_rule set goes_on = true where rpc in ('export_events', 'export_batch_events', 'download_export', 'download_export_batch');
