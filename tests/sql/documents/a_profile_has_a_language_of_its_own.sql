select plan(8);
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
create function pg_temp.as_user(p_id text) returns void language sql as $$
  select set_config('role', 'authenticated', false), set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', p_id)::text, false) $$;
select is(mill.language_of_profile('33333333-3333-4333-8333-333333333333'), 'eng', 'pages are read as English where nothing else is said');
update mill.settings set value = 'fra' where key = 'documents.language';
select is(mill.language_of_profile('33333333-3333-4333-8333-333333333333'), 'fra', 'the setting is for every profile');
select pg_temp.as_user('11111111-1111-4111-8111-111111111111');
select lives_ok($$ select public.set_document_language('33333333-3333-4333-8333-333333333333', 'deu+eng') $$, 'the owner of a profile chooses another');
select throws_ok($$ select public.set_document_language('33333333-3333-4333-8333-333333333333', '../../etc/passwd') $$, '22023', null, 'what is no name of a language is refused');
select pg_temp.as_user('99999999-9999-4999-8999-999999999999');
select throws_ok($$ select public.set_document_language('33333333-3333-4333-8333-333333333333', 'rus') $$, 'GM046', null, 'a stranger chooses nothing');
reset role;
select is(mill.language_of_profile('33333333-3333-4333-8333-333333333333'), 'deu+eng', 'the choice holds for the profile');

select pg_temp.as_user('11111111-1111-4111-8111-111111111111');
create temp table begun as select public.begin_document_upload('text/plain', 'a.txt') as upload;
select public.finish_document_upload((upload ->> 'id')::uuid, upload ->> 'place', 3, repeat('a', 64)) from begun;
reset role;
set request.jwt.claims = '{"role": "service_role"}';
create temp table claimed as select * from mill.claim('w', '{fast}', 1);
select public.finish_document_stage(id, 'w', attempt, jsonb_build_object('page_count', 1, 'size', 3, 'place', public.begin_document_stage(id, 'w', attempt) ->> 'keep_at')) from claimed;
select is((select public.begin_document_stage(id, 'w', attempt) ->> 'language' from mill.claim('w', '{fast}', 1)), 'deu+eng', 'the stage that reads pages is told it');
select public.set_document_language('33333333-3333-4333-8333-333333333333', null);
select is(mill.language_of_profile('33333333-3333-4333-8333-333333333333'), 'fra', 'without a choice of its own a profile has that of the setting');
select * from finish();
