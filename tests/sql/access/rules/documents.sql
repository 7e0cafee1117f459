insert into relation_rule (relation, owner_may, service_may, seed, forge) values
  ('shell_files', 'select insert update', 'select insert update', $$ with file as (
      insert into public.shell_files (id, patient_id, filename, mime_type, status, storage_path, created_at, updated_at)
      values ('44444444-4444-4444-8444-444444444444', {profile}, 'a.pdf', 'application/pdf', 'completed', 'a/b', now(), now()) returning id)
    insert into mill.document_upload (place, document_id, begun_at) select {profile} || '/' || id || '/u', id, now() from file $$,
    $$ insert into public.shell_files (patient_id, filename, mime_type, storage_path, idempotency_key, status)
    values ({profile}, 'a.pdf', 'application/pdf', {stranger} || '/1_a.pdf', 'k', 'uploaded') $$);
insert into relation_rule (relation, owner_may, service_may, seed) values
  ('document_pages', 'select', 'select', $$ insert into public.document_pages (document_id, page_number, source, width, height, text)
    values ('44444444-4444-4444-8444-444444444444', 1, 'plain', 1, 1, 'x') $$),
  ('document_words', 'select', 'select', $$ insert into public.document_words (document_id, page_number, word_number, text, box)
    values ('44444444-4444-4444-8444-444444444444', 1, 1, 'x', '{0,0,1,1}') $$),
  ('document_blocks', 'select', 'select', $$ insert into public.document_blocks (document_id, block_number, page_number, kind, text, box)
    values ('44444444-4444-4444-8444-444444444444', 1, 1, 'line', 'x', '{0,0,1,1}') $$),
  ('document_entities', 'select', 'select', $$ insert into public.document_entities (document_id, entity_number, kind, text)
    values ('44444444-4444-4444-8444-444444444444', 1, 'lab', 'x') $$),
  ('document_facts', 'select', 'select', $$ insert into public.document_facts (document_id, fact_number, kind, name, value)
    values ('44444444-4444-4444-8444-444444444444', 1, 'lab', 'x', '{}') $$),
  ('document_narratives', 'select', 'select', $$ insert into public.document_narratives (document_id, sentences, timeline)
    values ('44444444-4444-4444-8444-444444444444', '[]', '[]') $$),
  ('document_doubts', 'select', 'select', $$ insert into public.document_doubts (document_id, doubt_number, stage, reason)
    values ('44444444-4444-4444-8444-444444444444', 1, 'ocr', 'low_ocr_confidence') $$);
insert into rpc_rule (rpc, owner, service, probe, subject) values
  ('can_access_object', true, true, 'public.can_access_object({id} || ''/a'')', 'select {profile}::uuid as id'),
  ('can_write_object', true, true, 'public.can_write_object({id} || ''/44444444-4444-4444-8444-444444444444/u'')', 'select {profile}::uuid as id'),
  ('can_remove_object', true, true, 'public.can_remove_object({id} || ''/44444444-4444-4444-8444-444444444444/u'')', 'select {profile}::uuid as id'),
  ('begin_document_upload', true, false, 'public.begin_document_upload(''text/plain'', null, null, {id})', 'select {profile}::uuid as id'),
  ('finish_document_upload', true, true, 'public.finish_document_upload({id}, ''x'', 1, repeat(''0'', 64))', 'select id from public.shell_files limit 1'),
  ('abandon_document_upload', true, true, 'public.abandon_document_upload({id}, ''x'')', 'select id from public.shell_files limit 1'),
  ('get_document', true, true, 'public.get_document({id})', 'select id from public.shell_files limit 1'),
  ('document_place', true, true, 'public.document_place({id})', 'select id from public.shell_files limit 1'),
  ('document_file', true, true, 'public.document_file({id})', 'select id from public.shell_files limit 1'),
  ('issue_ticket', true, false, $$ public.issue_ticket('document_events', jsonb_build_object('p_id', {id}::uuid)) $$, 'select id from public.shell_files limit 1'),
  ('list_documents', true, true, 'public.list_documents({id})', 'select {profile}::uuid as id'),
  ('document_events', true, true, 'public.document_events({id})', 'select id from public.shell_files limit 1'),
  ('begin_erase_document', true, true, 'public.begin_erase_document({id})', 'select id from public.shell_files limit 1'),
  ('finish_erase_document', true, true, 'public.finish_erase_document({id})', 'select id from public.shell_files limit 1'),
  ('reprocess_document', true, true, 'public.reprocess_document({id})', 'select id from public.shell_files limit 1'),
  ('review_document', true, true, 'public.review_document({id}, ''confirmed'')', 'select id from public.shell_files limit 1'),
  ('set_document_language', true, true, 'public.set_document_language({id}, ''eng'')', 'select {profile}::uuid as id'),
  ('begin_document_stage', false, true, null, null), ('save_document_page', false, true, null, null),
  ('document_content', false, true, null, null), ('finish_document_stage', false, true, null, null),
  ('refuse_document', false, true, null, null), ('document_leftovers', false, true, null, null),
  ('recover_upload', false, true, null, null), ('orphaned_objects', false, true, null, null),
  ('register_stored_file', true, false, 'public.register_stored_file({stranger} || ''/1_a.pdf'', null, null, null, null, {id})', 'select {profile}::uuid as id'),
  ('fail_document_stage', false, true, null, null),
  ('worker_queues', false, true, null, null);
-- What was begun before maintenance is brought to its end.
update rpc_rule set goes_on = true where rpc in ('finish_document_upload', 'abandon_document_upload', 'finish_erase_document');
-- The storage stand-in tells Postgres what lies in the buckets of applications.
insert into rpc_rule (rpc) values ('storage_buckets'), ('note_object'), ('forget_object');
update rpc_rule set goes_on = true where rpc in ('note_object', 'forget_object');
-- Writes nothing: volatile because the functions that it calls are.
update rpc_rule set goes_on = true where rpc = 'issue_ticket';
