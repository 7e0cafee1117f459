select plan(25);
update mill.queue set dequeue = 'priority' where queue = 'fast'; -- jobs of theirs are claimed before the user's own stages
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
create function pg_temp.claimed(p_worker text, p_queue text, p_max int, p_kinds text[] default null) returns table (id uuid, attempt int, kind text) language sql as $$
  select j.id, j.attempt, j.kind from jsonb_to_recordset(public.claim_jobs(p_worker, array[p_queue], p_max, p_kinds)) j(id uuid, attempt int, kind text) $$;
create function pg_temp.of(p_name text) returns text language sql as $$ select current_setting('test.' || p_name) $$;
create function pg_temp.as_user() returns void language sql as $$
  select set_config('role', 'authenticated', false), set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', false) $$;
create function pg_temp.as_service() returns void language sql as $$
  select set_config('role', 'service_role', false), set_config('request.jwt.claims', '{"role": "service_role"}', false) $$;
-- A job of the compatible API is enqueued, claimed, and asks what to do.
create function pg_temp.asked(p_kind text, p_payload jsonb) returns jsonb language plpgsql as $$
declare
  v_id uuid := public.enqueue_job_v3(p_kind, 'a job of theirs', p_payload, priority => 90);
  v_attempt int;
begin
  select j.attempt into v_attempt from pg_temp.claimed('theirs', split_part(p_kind, '_', 1), 1) j where j.id = v_id;
  perform set_config('test.job', v_id::text, false);
  return public.begin_document_stage(v_id, 'theirs', v_attempt);
end $$;
create function pg_temp.payload() returns jsonb language sql as $$ select jsonb_build_object('shell_file_id', pg_temp.of('id'), 'storage_path', pg_temp.of('place')) $$;

select pg_temp.as_user();
select set_config('test.id', u ->> 'id', false), set_config('test.place', u ->> 'place', false) from public.begin_document_upload('text/plain') u;
select pg_temp.as_service();
select is(pg_temp.asked('fast_queue_security', pg_temp.payload()) - 'message', '{"outcome": "refused", "type": "not_uploaded", "retryable": true}', 'a file that is not stored yet is waited for');
select pg_temp.as_user();
select public.finish_document_upload(pg_temp.of('id')::uuid, pg_temp.of('place'), 5, repeat('a', 64));
select pg_temp.as_service();

select is(pg_temp.asked('fast_queue_security', pg_temp.payload() || '{"shell_file_id": "44444444-4444-4444-8444-444444444444"}'),
  '{"outcome": "refused", "type": "unknown_document", "message": "there is no document 44444444-4444-4444-8444-444444444444", "retryable": false}', 'an unknown document is a reason');
select is(pg_temp.asked('fast_queue_security', '{"shell_file_id": "no uuid"}') ->> 'type', 'unknown_document', 'an id that is no UUID is a reason');
select is(pg_temp.asked('fast_queue_security', '{"something": "else"}') ->> 'message', 'the payload names no document: shell_file_id must be the id of one', 'a payload that names no document is a reason');
select is(pg_temp.asked('fast_queue_security', pg_temp.payload() || '{"storage_path": "somewhere/else.txt"}') ->> 'type', 'other_file', 'another file than the document''s is not processed for it');
select is(pg_temp.asked('ai_queue_pass1', pg_temp.payload()) - 'message', '{"outcome": "refused", "type": "not_reached", "retryable": true}', 'a stage that the document has not come to is tried again later');
select is((select f.status from public.shell_files f where f.id = pg_temp.of('id')::uuid), 'uploaded', 'none of that has touched the document');

-- It begins the stage, before the pipeline's own job does.
select is(pg_temp.asked('fast_queue_security', pg_temp.payload()) - array['patient_id', 'file_size_bytes', 'page_count', 'keep_at', 'sha256', 'max_bytes', 'is_scanned', 'mime_type', 'storage_path', 'thresholds'],
  jsonb_build_object('outcome', 'work', 'id', pg_temp.of('id'), 'stage', 'security'), 'the payload starts that document''s stage');
select set_config('test.first', pg_temp.of('job'), false);
select is(pg_temp.asked('fast_queue_security', jsonb_build_object('shell_file_id', pg_temp.of('id'))), jsonb_build_object('outcome', 'busy', 'by_job', pg_temp.of('first')), 'two jobs do not work on one stage at once');
select is(public.finish_document_stage(pg_temp.of('job')::uuid, 'theirs', 1, '{"page_count": 1}'), false, 'the second one writes nothing');
reset role;
select set_config('test.copy', u.place, false) from mill.document_upload u where u.is_copy;
select set_config('test.own', j.id::text, false) from mill.job_live j where j.kind = 'fast_queue_security' and j.payload ? 'document_id';
select pg_temp.as_service();
select ok(public.finish_document_stage(pg_temp.of('first')::uuid, 'theirs', 1,
  jsonb_build_object('page_count', 1, 'size', 5, 'sha256', repeat('b', 64), 'mime_type', 'text/plain', 'place', pg_temp.of('copy'))), 'the first one ends the stage');
select is((select f.stage from public.shell_files f where f.id = pg_temp.of('id')::uuid), 'ocr', 'the job that ends a stage moves the document on');

select pg_temp.claimed('w', 'fast', 10, array['fast_queue_security']);
select is(public.begin_document_stage(pg_temp.of('own')::uuid, 'w', 1), jsonb_build_object('outcome', 'done', 'stage', 'security', 'by_job', pg_temp.of('first')),
  'the pipeline''s own job is told that the stage was done, and by which job');
select is(pg_temp.asked('fast_queue_security', pg_temp.payload()) ->> 'outcome', 'done', 'a job that names the place of the upload still names this file');
select is(pg_temp.asked('fast_queue_security', pg_temp.payload() || jsonb_build_object('storage_path', pg_temp.of('copy'))) ->> 'outcome', 'done', 'a job that names where the file lies now names this file');

-- A dead letter of theirs fails the document only where it had its stage.
select is(pg_temp.asked('fast_queue_ocr', pg_temp.payload() || '{"storage_path": "x"}') ->> 'outcome', 'refused', 'a job for another file');
select public.settle_jobs('theirs', jsonb_build_array(jsonb_build_object('id', pg_temp.of('job'), 'attempt', 1, 'outcome', 'dead', 'error', '{"type": "other_file", "message": "x"}'::jsonb)));
select is((select f.status from public.shell_files f where f.id = pg_temp.of('id')::uuid), 'processing', 'dies without a trace at the document');
select is(pg_temp.asked('fast_queue_ocr', pg_temp.payload()) ->> 'outcome', 'work', 'a job that has the stage');
select public.settle_jobs('theirs', jsonb_build_array(jsonb_build_object('id', pg_temp.of('job'), 'attempt', 1, 'outcome', 'dead', 'error', '{"type": "ocr_failure", "message": "x"}'::jsonb)));
select is((select f.status from public.shell_files f where f.id = pg_temp.of('id')::uuid), 'failed', 'fails its document when it dies');
select is(pg_temp.asked('ai_queue_pass1', pg_temp.payload()) -> 'retryable', 'false', 'a later stage of a failed document is not waited for');
select is(pg_temp.asked('fast_queue_ocr', pg_temp.payload()) ->> 'outcome', 'work', 'a job for its stage takes a failed document up again');
select is((select f.status from public.shell_files f where f.id = pg_temp.of('id')::uuid), 'processing', 'a failed document that is taken up again is under way');

-- Erased.
select pg_temp.as_user();
select public.begin_erase_document(pg_temp.of('id')::uuid);
select pg_temp.as_service();
select is(pg_temp.asked('fast_queue_ocr', pg_temp.payload()) ->> 'type', 'erased', 'a document that is being erased is a reason');
select public.finish_erase_document(pg_temp.of('id')::uuid);
select is(pg_temp.asked('fast_queue_ocr', pg_temp.payload()) ->> 'type', 'unknown_document', 'a document that is gone is a reason');
reset role;
select is((select array_agg(j.id) from mill.job j where j.state = 'completed'), array[pg_temp.of('first')::uuid], 'the only job that was completed is the one that did its stage');
select * from finish();
