select plan(21);
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
create function pg_temp.as_user(p_id text) returns void language sql as $$
  select set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', p_id)::text, false) $$;
-- Does the stage that waits, whichever it is, and answers what it was given to work on.
create function pg_temp.stage(p_result jsonb) returns jsonb language plpgsql as $$
declare
  v_job record;
  v_work jsonb;
begin
  perform set_config('request.jwt.claims', '{"role": "service_role"}', false);
  select * into v_job from mill.claim('w', '{fast,ai}', 1);
  v_work := public.begin_document_stage(v_job.id, 'w', v_job.attempt);
  if not public.finish_document_stage(v_job.id, 'w', v_job.attempt, p_result || case v_work ->> 'stage'
    when 'security' then jsonb_build_object('page_count', 2, 'size', 3, 'place', v_work ->> 'keep_at') else '{}' end)
  then
    raise exception 'the stage % was not finished', v_work ->> 'stage';
  end if;
  return v_work;
end $$;
create function pg_temp.page(p_number int, p_more jsonb) returns jsonb language sql as $$
  select '{"source": "tesseract", "width": 100, "height": 100, "text": "Aspirin", "confidence": 0.95, "words": [{"t": "Aspirin", "b": [0,0,1,1], "c": 0.95, "l": 1}]}'::jsonb
    || jsonb_build_object('number', p_number) || p_more $$;
create function pg_temp.shown() returns jsonb language sql as $$
  select pg_temp.as_user('11111111-1111-4111-8111-111111111111');
  select public.get_document(id) from public.shell_files $$;

select pg_temp.as_user('11111111-1111-4111-8111-111111111111');
create temp table begun as select public.begin_document_upload('text/plain', 'a.txt', 'key') as upload;
select public.finish_document_upload((upload ->> 'id')::uuid, upload ->> 'place', 3, repeat('a', 64)) from begun;

select pg_temp.stage('{}');
create temp table reading as select pg_temp.stage(jsonb_build_object('page_count', 2, 'pages', jsonb_build_array(
  pg_temp.page(1, '{"turned": 90, "orientation": 6, "language": "eng", "doubts": [{"reason": "turned_page_corrected"}]}'),
  pg_temp.page(2, '{"confidence": 0.4}')))) as work;
select is((select work -> 'thresholds' from reading), '{"page": 0.75, "word": 0.5, "fact": 0.55}', 'a stage is told below which confidences pages, words and facts are in doubt');
select results_eq('select page_number, turned, orientation::int, language from public.document_pages order by 1', $$ values (1, 90::real, 6, 'eng'), (2, 0, null, null) $$,
  'a page keeps by how much it was turned and what it was read as');
select results_eq('select stage, reason, page_number from public.document_doubts order by doubt_number', $$ values ('ocr', 'turned_page_corrected', 1), ('ocr', 'low_ocr_confidence', 2) $$,
  'doubts of a page are the document''s, and a confidence below the threshold is one');
select pg_temp.stage('{"blocks": []}');
select pg_temp.stage('{"entities": [{"kind": "allergy", "text": "Penicillin"}, {"kind": "vital_sign", "text": "BP 120/80"}]}');
select pg_temp.stage('{"facts": [
    {"kind": "medication", "name": "aspirin", "value": {"dose": 100}, "page": 1, "box": [0,0,1,1], "confidence": 0.9, "status": "stopped", "certainty": "likely", "written": "Aspirin 100 mg",
      "decided_by": {"text": "STOP", "page": 1, "box": [0,0,1,0.1]}, "doubts": []},
    {"kind": "lab", "name": "Hemoglobin A1c", "value": {"value": 7}, "page": 1, "box": [0,0.2,1,0.3], "confidence": 0.9, "doubts": [{"reason": "flag_and_range_disagree", "text": "A1c 7 L", "page": 1, "box": [0,0.2,1,0.3]}]},
    {"kind": "allergy", "name": "penicillin", "value": {}, "page": 2, "confidence": 0.3},
    {"kind": "condition", "name": "asthma", "value": {}}],
  "doubts": [{"reason": "row_not_understood", "page": 1, "box": [0,0.5,1,0.6], "text": "K+ 5.9 ???"}, {"reason": "flag_and_range_disagree", "text": "A1c 7 L", "page": 1, "box": [0,0.2,1,0.3], "fact": null}]}');
select results_eq('select name, status, certainty, written, decided_by ->> ''text'' from public.document_facts order by fact_number',
  $$ values ('aspirin', 'stopped', 'likely', 'Aspirin 100 mg', 'STOP'), ('Hemoglobin A1c', 'current', 'certain', null, null), ('penicillin', 'current', 'certain', null, null), ('asthma', 'current', 'certain', null, null) $$,
  'a fact keeps its status, its certainty and the words that decided them; one that says nothing of them is current and certain');
select results_eq('select reason, page_number, fact_number, text from public.document_doubts where stage = ''pass2'' order by page_number, reason',
  $$ values ('flag_and_range_disagree', 1, 2, 'A1c 7 L'), ('row_not_understood', 1, null, 'K+ 5.9 ???'), ('low_confidence', 2, 3, 'penicillin') $$,
  'the doubts of facts are the document''s, each once and with its fact, beside those that the stage names');
select is(pg_temp.shown() ->> 'status', 'processing', 'a document with doubts is processed to its end');
select is(pg_temp.shown() -> 'reasons', '[]', 'a document gives no reasons for a review before it is processed');
select pg_temp.stage('{"sentences": [], "timeline": []}');
create temp table ended as select pg_temp.shown() as shown;
select is((select shown ->> 'status' from ended), 'needs_review', 'a document with doubts ends as needs_review');
select is((select shown ->> 'percent' from ended), '100', 'a document that needs review is at 100 percent');
select isnt((select shown ->> 'completed_at' from ended), null, 'a document that needs review says when its processing ended');
select is((select shown -> 'reasons' from ended), '["flag_and_range_disagree", "low_confidence", "low_ocr_confidence", "row_not_understood", "turned_page_corrected"]', 'a document that needs review says why');
select is((select shown #> '{doubts,2}' from ended), '{"box": [0, 0.2, 1, 0.3], "fact": 2, "page": 1, "text": "A1c 7 L", "reason": "flag_and_range_disagree"}', 'each doubt has its words, its place and its fact');
select is((select shown #> '{facts,0,decided_by}' from ended), '{"box": [0, 0, 1, 0.1], "page": 1, "text": "STOP"}', 'its facts have the words that decided them');
select is((select public.document_events(id) ->> 'ended' from public.shell_files), 'true', 'the stream of its events ends');
select is((select jsonb_array_length(public.list_documents() #> '{0,reasons}')), 5, 'lists have the reasons');
select is((select public.document_file(id) is not null from public.shell_files), true, 'its file is given out');
select is((select state from mill.job where kind = 'ai_queue_pass3'), 'completed', 'its last job is completed');

-- A row that is sure as a whole, with a figure that is not. The other unsure word stands in the row and says nothing of the fact.
select public.reprocess_document(id) from public.shell_files;
select pg_temp.stage('{}');
select pg_temp.stage(jsonb_build_object('page_count', 1, 'pages', jsonb_build_array(pg_temp.page(1,
  '{"words": [{"t": "Aspirin", "b": [0,0,0.2,0.1], "c": 0.99, "l": 1}, {"t": "5OO", "b": [0.3,0,0.4,0.1], "c": 0.3, "l": 1}, {"t": "~", "b": [0.5,0,0.6,0.1], "c": 0.1, "l": 1}, {"t": "5OO", "b": [0.3,0.5,0.4,0.6], "c": 0.2, "l": 2}]}'))));
select pg_temp.stage('{"blocks": []}');
select pg_temp.stage('{"entities": []}');
select pg_temp.stage('{"facts": [{"kind": "medication", "name": "aspirin", "value": {}, "page": 1, "box": [0,0,1,0.1], "confidence": 0.9, "written": "Aspirin 5OO ~"}, {"kind": "lab", "name": "x", "value": {}, "page": 1, "box": [0,0.5,1,0.6], "confidence": 0.9, "written": "x"}]}');
select pg_temp.stage('{"sentences": [], "timeline": []}');
select results_eq('select reason, fact_number, text, box[2] from public.document_doubts', $$ values ('low_confidence', 1, '5OO', 0::real) $$, 'a fact is in doubt with the word that it stands on');

-- The next run has no doubts but that of a page.
select public.reprocess_document(id) from public.shell_files;
select pg_temp.stage('{}');
select pg_temp.stage(jsonb_build_object('page_count', 1, 'pages', jsonb_build_array(pg_temp.page(1, '{}'))));
select is((select array_agg(distinct stage) from public.document_doubts), '{pass2}', 'a stage that runs again replaces its own doubts, and those of the facts stay as long as the facts');
select pg_temp.stage('{"blocks": []}');
select pg_temp.stage('{"entities": []}');
select pg_temp.stage('{"facts": []}');
select pg_temp.stage('{"sentences": [], "timeline": []}');
select is(pg_temp.shown() ->> 'status', 'completed', 'a run without doubts ends as completed');
select is((select count(*)::int from public.document_doubts), 0, 'nothing is left of the doubts of the run before');
select * from finish();
