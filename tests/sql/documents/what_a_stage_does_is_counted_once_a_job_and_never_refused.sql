select plan(6);
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
create temp table begun as select public.begin_document_upload('text/plain', 'a.txt', 'key') as upload;
select public.finish_document_upload((upload ->> 'id')::uuid, upload ->> 'place', 3, repeat('a', 64)) from begun;
set request.jwt.claims = '{"role": "service_role"}';
create function pg_temp.counted(p_event text) returns bigint language sql as $$ select count(*) from public.usage_events where event_type = p_event $$;

create temp table scanned as select * from mill.claim('w', '{fast}', 1);
select public.finish_document_stage(id, 'w', attempt, '{"page_count": 2}') from scanned;
create temp table read as select * from mill.claim('w', '{fast}', 1);
select public.begin_document_stage(id, 'w', attempt) from read;
select public.save_document_page(id, 'w', attempt, '{"number": 1, "source": "text_layer", "width": 1, "height": 1, "confidence": 1, "text": "a", "words": []}') from read, generate_series(1, 2);
select is(pg_temp.counted('page_extracted'), 1::bigint, 'a page that is said twice was extracted once');
select public.save_document_page(id, 'w', attempt, '{"number": 2, "source": "text_layer", "width": 1, "height": 1, "confidence": 1, "text": "b", "words": []}') from read;
select is(pg_temp.counted('page_extracted'), 2::bigint, 'the next one is another');
select is(pg_temp.counted('ai_processing_started'), 0::bigint, 'reading calls no model');

-- As if the next stage had been a model's.
update public.shell_files set stage = 'pass1';
update mill.settings set value = 'true' where key = 'features.billing_enabled';
select mill.count_work(f, j.id, 'ai_processing_started', '{}') from public.shell_files f, read j, generate_series(1, 2);
select is(pg_temp.counted('ai_processing_started'), 1::bigint, 'a pass that is tried twice was started once');
select mill.count_stage(f, j.id, '{"usage": {"tokens": 60000, "seconds": 1.5}}') from public.shell_files f, read j;
select is((select ai_tokens_used from public.user_usage_tracking), 60000::bigint, 'what was used counts also past the plan, while billing is on');
select is((select count(*) from mill.event where code = 'usage_not_counted'), 0::bigint, 'nothing failed to be counted');
select * from finish();
