select plan(17);
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
create temp table begun as select public.begin_document_upload('text/plain', 'a.txt', 'key') as upload;
select is((select public.finish_document_upload((upload ->> 'id')::uuid, upload ->> 'place', 3, repeat('a', 64)) ->> 'status' from begun), 'uploaded', 'an upload is finished');
select is((select public.finish_document_upload((upload ->> 'id')::uuid, upload ->> 'place', 3, repeat('a', 64)) ->> 'is_new' from begun), 'true', 'said twice it is answered twice');
select is((select count(*)::int from mill.job where kind = 'fast_queue_security'), 1, 'the first stage of an upload is enqueued with it');
create temp table again as select public.begin_document_upload('text/plain', 'a.txt', 'key') as upload;
select ok((select public.finish_document_upload((upload ->> 'id')::uuid, upload ->> 'place', 3, repeat('b', 64)) ->> 'is_other' = 'true' from again), 'another body under the same key is told so');

set request.jwt.claims = '{"role": "service_role"}';
create temp table claimed as select * from mill.claim('w1', '{fast}', 1);
select ok((select public.begin_document_stage(id, 'w1', attempt) ->> 'stage' = 'security' from claimed), 'the holder is told what to work on');
select is((select public.finish_document_stage(id, 'w2', attempt, '{"page_count": 1}') from claimed), false, 'another worker changes nothing');
select is((select public.finish_document_stage(id, 'w1', attempt + 1, '{"page_count": 1}') from claimed), false, 'nor another attempt');
select is((select state from mill.job where id = (select id from claimed)), 'processing', 'whoever does not hold the job leaves it running');
begin;
select is((select public.finish_document_stage(id, 'w1', attempt, '{"page_count": 1}') from claimed), true, 'the holder moves the document on');
rollback;
select is((select f.stage || ' ' || j.state from public.shell_files f, mill.job j where j.id = (select id from claimed)), 'security processing',
  'a rollback takes back the document''s step and the end of the job alike');
select is((select public.finish_document_stage(id, 'w1', attempt, '{"page_count": 1}', '{"result": {"pages": 1}, "outcome": "failed"}') from claimed), true, 'the holder finishes the stage');
select is((select f.stage || ' ' || j.state || ' ' || j.result from public.shell_files f, mill.job j where j.id = (select id from claimed)), 'ocr completed {"pages": 1}',
  'the document is in its next stage and the job has ended with its result, by one call');
create temp table moved as select f.version, (select count(*) from mill.job) as jobs from public.shell_files f;
select is((select public.finish_document_stage(id, 'w1', attempt, '{"page_count": 7}') from claimed), true, 'the same call again is answered true');
select is((select public.finish_document_stage(id, 'w2', attempt, '{"page_count": 7}') from claimed), false, 'the same call by another worker is not');
select results_eq('select f.version, (select count(*) from mill.job) from public.shell_files f', 'select * from moved', 'a repeated call changes nothing');

-- The document is erased while its stage runs: the job is held, and there is nothing to write for it.
create temp table reading as select * from mill.claim('w1', '{fast}', 1);
select public.begin_document_stage(id, 'w1', attempt) from reading;
select public.begin_erase_document((upload ->> 'id')::uuid) from begun;
select is((select public.finish_document_stage(id, 'w1', attempt, '{"page_count": 1, "pages": []}') from reading), false, 'a stage of a document that is being erased is not finished');
select is((select j.state from mill.job j where j.id = (select id from reading)), 'processing', 'its job is not ended as if the work had counted');
select * from finish();
