select plan(9);
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
create temp table begun as select public.begin_document_upload('text/plain', 'a.txt', 'key') as upload;
select is((select public.finish_document_upload((upload ->> 'id')::uuid, upload ->> 'place', 3, repeat('a', 64)) ->> 'status' from begun), 'uploaded', 'an upload is finished');
select is((select public.finish_document_upload((upload ->> 'id')::uuid, upload ->> 'place', 3, repeat('a', 64)) ->> 'is_new' from begun), 'true', 'said twice it is answered twice');
select is((select count(*)::int from mill.job where kind = 'fast_queue_security'), 1, 'and its first stage is enqueued with it');
create temp table again as select public.begin_document_upload('text/plain', 'a.txt', 'key') as upload;
select ok((select public.finish_document_upload((upload ->> 'id')::uuid, upload ->> 'place', 3, repeat('b', 64)) ->> 'is_other' = 'true' from again), 'another body under the same key is told so');

set request.jwt.claims = '{"role": "service_role"}';
create temp table claimed as select * from mill.claim('w1', '{fast}', 1);
select ok((select public.begin_document_stage(id, 'w1', attempt) ->> 'stage' = 'security' from claimed), 'the holder is told what to work on');
select is((select public.finish_document_stage(id, 'w2', attempt, '{"page_count": 1}') from claimed), false, 'another worker changes nothing');
select is((select public.finish_document_stage(id, 'w1', attempt + 1, '{"page_count": 1}') from claimed), false, 'nor another attempt');
select is((select public.finish_document_stage(id, 'w1', attempt, '{"page_count": 1}') from claimed), true, 'the holder moves the document on');
select is((select public.finish_document_stage(id, 'w1', attempt, '{"page_count": 1}') from claimed), false, 'but not twice');
select * from finish();
