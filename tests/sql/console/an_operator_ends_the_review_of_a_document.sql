select plan(15);
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
insert into public.shell_files (id, patient_id, filename, mime_type, storage_path, status, stage, created_at, updated_at, uploaded_at, scanned_at, completed_at)
select ('44444444-4444-4444-8444-44444444444' || n)::uuid, '33333333-3333-4333-8333-333333333333', 'f', 'application/pdf', 'a/' || n,
  case n when 3 then 'needs_review' else 'completed' end, 'pass3', now(), now(), now() - n * interval '1 day', now(), now()
from generate_series(1, 3) n;
insert into public.document_pages (document_id, page_number, source, width, height, text, confidence, turned, orientation, language)
values ('44444444-4444-4444-8444-444444444443', 1, 'tesseract', 600, 800, 'STOP Aspirin', 0.5, 182.5, 6, 'eng');
insert into public.document_facts (document_id, fact_number, kind, name, value, page_number, box, confidence, status, written, decided_by, doubts) values
  ('44444444-4444-4444-8444-444444444443', 1, 'condition', 'asthma', '{}', 1, '{0.1,0.1,0.25,0.12}', 0.95, 'current', 'Asthma', null, '[]'),
  ('44444444-4444-4444-8444-444444444443', 2, 'medication', 'aspirin', '{}', 1, '{0.1,0.1,0.25,0.12}', 0.99, 'stopped', 'Aspirin', '{"text": "STOP", "page": 1, "box": [0,0,1,1]}', '[{"reason": "low_confidence", "text": "Aspirin"}]');
insert into public.document_doubts (document_id, doubt_number, stage, reason, page_number, box, text, fact_number) values
  ('44444444-4444-4444-8444-444444444443', 1, 'ocr', 'low_ocr_confidence', 1, null, null, null),
  ('44444444-4444-4444-8444-444444444443', 2, 'pass2', 'low_confidence', 1, '{0.1,0.1,0.25,0.12}', 'Aspirin', 2);
create function pg_temp.as_role(p_role text) returns void language sql as $$
  select set_config('role', 'authenticated', false), set_config('request.jwt.claims', jsonb_strip_nulls(jsonb_build_object('role', 'authenticated',
    'sub', '00000000-0000-4000-8000-00000000000' || case p_role when 'viewer' then 'a' when 'operator' then 'b' else 'c' end, 'email', p_role || '@example.com',
    'gristmill_role', p_role))::text, false) $$;

select pg_temp.as_role('viewer');
select is(public.console_documents() #>> '{waiting,0,id}', '44444444-4444-4444-8444-444444444443', 'documents that need review are listed apart, however old they are');
select is(jsonb_array_length(public.console_documents() -> 'waiting'), 1, 'documents that need no review are not listed among those that do');
select is(public.console_documents('type:application/pdf') -> 'waiting', 'null', 'a search has the order of time alone');
select is(public.console_documents() #> '{waiting,0,review,reasons}', '["low_confidence", "low_ocr_confidence"]', 'documents that need review are listed with their reasons');
select is(jsonb_array_length(public.console_documents('status:needs_review') -> 'documents'), 1, 'documents that need review are found by their status');
create temp table shown as select public.console_document('44444444-4444-4444-8444-444444444443') as page;
grant all on shown to public;
select is((select page #> '{doubts,1}' from shown), '{"box": [0.1, 0.1, 0.25, 0.12], "fact": 2, "page": 1, "text": "•••••••", "stage": "pass2", "reason": "low_confidence"}', 'the words of a doubt are masked, its place is shown');
select is((select (page #> '{facts,0}') - array['number', 'kind', 'name', 'value', 'code', 'code_system', 'page', 'box', 'confidence'] from shown),
  '{"status": "stopped", "doubts": ["low_confidence"], "written": "•••••••", "certainty": "certain", "decided_by": {"box": [0, 0, 1, 1], "page": 1, "text": "‹text of 4›"}}',
  'facts in doubt stand first, with their status, and the words that decided it are masked');
select is((select page #> '{pages,0}' from shown) - array['number', 'source', 'width', 'height', 'confidence'], '{"turned": 182.5, "language": "eng", "orientation": 6}', 'a page says how it was turned');
select is((select page #>> '{actions,review}' from shown), 'false', 'a viewer may end no review');
select throws_ok($$ select public.console_review_document('44444444-4444-4444-8444-444444444443', 'confirmed', 'why') $$, '42501', null, 'a refused review leaves the document as it was');
select pg_temp.as_role('operator');
select throws_ok($$ select public.console_review_document('44444444-4444-4444-8444-444444444443', 'confirmed', ' ') $$, 'GM111', null, 'an operator says why');
select throws_ok($$ select public.console_review_document('44444444-4444-4444-8444-444444444440', 'confirmed', 'why') $$, 'GM112', null, 'a document that is not there has no review');
select is(public.console_review_document('44444444-4444-4444-8444-444444444443', 'unusable', 'a page is torn') - 'at',
  '{"by": "00000000-0000-4000-8000-00000000000b", "note": "a page is torn", "decision": "unusable"}', 'an operator ends the review');
select is(public.console_document('44444444-4444-4444-8444-444444444443') #>> '{document,status}', 'completed', 'a document whose review ended is completed');
select is(public.console_document('44444444-4444-4444-8444-444444444443') #>> '{audit,0,reason}', 'a page is torn', 'the audit log has the reason');
select * from finish();
