select plan(20);
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
insert into public.shell_files (id, patient_id, filename, original_filename, mime_type, storage_path, status, stage, created_at, updated_at, uploaded_at, scanned_at, page_count)
select ('44444444-4444-4444-8444-44444444444' || n)::uuid, '33333333-3333-4333-8333-333333333333', 'f', case n when 1 then '<img src=x onerror=alert(1)>.pdf' else n || '.pdf' end, 'application/pdf',
  '33333333-3333-4333-8333-333333333333/44444444-4444-4444-8444-44444444444' || n || '/f', case n when 3 then 'failed' else 'completed' end, 'pass3',
  now() - n * interval '1 hour', now(), now() - n * interval '1 hour', now(), 1
from generate_series(1, 3) n;
insert into public.document_pages (document_id, page_number, source, width, height, text, confidence) select id, 1, 'tesseract', 600, 800, 'Aspirin 100 mg', 0.95 from public.shell_files;
insert into public.document_words (document_id, page_number, word_number, text, box, confidence) values
  ('44444444-4444-4444-8444-444444444441', 1, 1, 'Aspirin', '{0.1,0.1,0.2,0.12}', 0.99), ('44444444-4444-4444-8444-444444444441', 1, 2, '100', '{0.22,0.1,0.25,0.12}', 0.4);
insert into public.document_facts (document_id, fact_number, kind, name, value, page_number, box, confidence) values
  ('44444444-4444-4444-8444-444444444441', 1, 'medication', 'Aspirin', '{"dose": "100 mg"}', 1, '{0.1,0.1,0.25,0.12}', 0.4);
create function pg_temp.as_role(p_role text) returns void language sql as $$
  select set_config('role', 'authenticated', false), set_config('request.jwt.claims', jsonb_strip_nulls(jsonb_build_object('role', 'authenticated',
    'sub', '00000000-0000-4000-8000-00000000000' || case p_role when 'viewer' then 'a' when 'operator' then 'b' else 'c' end, 'email', p_role || '@example.com',
    'gristmill_role', p_role))::text, false) $$;

select pg_temp.as_role(null);
select throws_ok($$ select public.console_documents() $$, '42501', null, 'without a role nobody lists documents in the console');
select throws_ok($$ select public.console_document('44444444-4444-4444-8444-444444444441') $$, '42501', null, 'without a role nobody sees a document in the console');
select pg_temp.as_role('viewer');
select is((select jsonb_agg(d ->> 'id' order by o) from jsonb_array_elements(public.console_documents() -> 'documents') with ordinality as l(d, o)),
  '["44444444-4444-4444-8444-444444444441", "44444444-4444-4444-8444-444444444442", "44444444-4444-4444-8444-444444444443"]', 'documents are listed by their upload, newest first');
select is(public.console_documents('review:yes') #> '{documents,0,review,reasons}', '["unsure_facts"]', 'a document of before doubts were noted needs review for an unsure fact');
select is(public.console_documents('review:yes') #> '{documents,1,review,reasons}', '["failed"]', 'a document of before doubts were noted needs review when it failed');
select is(jsonb_array_length(public.console_documents('review:yes') -> 'documents'), 2, 'no other document of before doubts were noted needs review');
select is(public.console_documents('-review:yes') #>> '{documents,0,id}', '44444444-4444-4444-8444-444444444442', 'documents that need no review are found');
select is(public.console_documents('"<img src=x"') #>> '{documents,0,filename}', '<img src=x onerror=alert(1)>.pdf', 'a document is found by a part of its name, whatever stands in it');
select throws_ok($$ select public.console_documents('stat:x') $$, 'GM110', null, 'an unknown key of a search is refused');
select is((select array[p ->> 'done', jsonb_array_length(p -> 'documents')::text] || array[n ->> 'done', n #>> '{documents,0,id}']
  from (select public.console_documents('', null, 2) as p) a cross join lateral (select public.console_documents('', p ->> 'cursor', 2) as n) b),
  array['false', '2', 'true', '44444444-4444-4444-8444-444444444443'], 'the next page begins where the last one ended');
select is(public.console_document('44444444-4444-4444-8444-444444444441') #> '{words,0}', '["•••••••", [0.1, 0.1, 0.2, 0.12], 0.99]', 'words are masked; their boxes and confidences are shown');
select is(public.console_document('44444444-4444-4444-8444-444444444441') #> '{facts,0,value}', '{"dose": "‹text of 6›"}', 'the values of facts are masked');
select throws_ok($$ select public.console_reveal_document('44444444-4444-4444-8444-444444444441', 'curious') $$, '42501', null, 'a viewer reveals nothing');
select pg_temp.as_role('operator');
select throws_ok($$ select public.console_reveal_document('44444444-4444-4444-8444-444444444441', 'curious') $$, '42501', null, 'an operator reveals no document');
select is(public.document_file('44444444-4444-4444-8444-444444444441'), null, 'the file of a document that was not revealed is not to be had');
select pg_temp.as_role('admin');
select throws_ok($$ select public.console_reveal_document('44444444-4444-4444-8444-444444444441', ' ') $$, 'GM111', null, 'an admin says why');
select public.console_reveal_document('44444444-4444-4444-8444-444444444441', 'ticket 42');
select is(public.console_document('44444444-4444-4444-8444-444444444441') #>> '{words,0,0}', 'Aspirin', 'after an admin revealed a document, its words are shown');
select is(public.document_file('44444444-4444-4444-8444-444444444441') ->> 'name', '<img src=x onerror=alert(1)>.pdf', 'after an admin revealed a document, its file can be read');
select is((public.console_document('44444444-4444-4444-8444-444444444441') #> '{audit,0}') - array['id', 'at', 'record', 'old', 'new', 'job_id', 'correlation_id', 'actor_role', 'table'],
  '{"action": "reveal", "actor": "00000000-0000-4000-8000-00000000000c", "email": "admin@example.com", "reason": "ticket 42", "source": "console"}', 'the audit log has who and why');
reset role;
update mill.console_grant set until = now() - interval '1 second';
select pg_temp.as_role('admin');
select is(public.console_document('44444444-4444-4444-8444-444444444441') #>> '{words,0,0}', '•••••••', 'after ten minutes the words are masked again');
select * from finish();
