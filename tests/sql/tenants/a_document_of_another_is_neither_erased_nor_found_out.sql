select plan(13);
create function pg_temp.as(p_user text) returns void language sql as $$ select set_config('request.jwt.claims', format('{"role": "authenticated", "sub": "%s"}', p_user), false) $$;
insert into public.user_profiles (id, user_id, is_default) values
  ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true), ('44444444-4444-4444-8444-444444444444', '22222222-2222-4222-8222-222222222222', true);
set role authenticated;
select pg_temp.as('11111111-1111-4111-8111-111111111111');
create temp table file as select (public.begin_document_upload('text/plain', E'a\r\nSet-Cookie: x\u202Etxt.exe') ->> 'id')::uuid as id;
grant select on file to service_role;
select is((select public.get_document(id) ->> 'filename' from file), 'aSet-Cookie: xtxt.exe', 'a file name keeps no CR, LF or mark of direction');
insert into public.profile_access_grants (profile_id, grantee_user_id) values ('33333333-3333-4333-8333-333333333333', '22222222-2222-4222-8222-222222222222');
select pg_temp.as('22222222-2222-4222-8222-222222222222');
select is((select public.get_document(id) from file), null, 'before consent the guest does not reach the document');
select public.accept_profile_access((select id from public.profile_access_grants));
select is((select public.get_document(id) ->> 'id' from file), (select id::text from file), 'the guest reads the document of the profile that let it in');
select throws_ok($$ select public.begin_erase_document(id) from file $$, 'GM046', null, 'the guest does not erase it');
select throws_ok($$ select public.finish_erase_document(id) from file $$, 'GM046', null, 'a guest does not end an erasing');
reset role;
select is((select status from public.shell_files), 'uploading', 'the document is untouched');
set role authenticated;
select pg_temp.as('11111111-1111-4111-8111-111111111111');
select lives_ok($$ select public.begin_erase_document(id) from file $$, 'its owner erases it');

-- What is looked for is looked for in the same way: the same functions are called for a document of another and for one that does not exist.
reset role;
delete from public.profile_access_grants;
set track_functions = 'all';
create function pg_temp.calls(p_sql text) returns text language plpgsql as $$
declare v_found text;
begin
  perform pg_stat_clear_snapshot();
  create temp table before on commit drop as select funcname, calls from pg_stat_xact_user_functions;
  execute p_sql;
  select string_agg(f.funcname || ' ' || f.calls - coalesce(b.calls, 0), ', ' order by f.funcname) into v_found
  from pg_stat_xact_user_functions f left join before b using (funcname) where f.calls > coalesce(b.calls, 0) and f.funcname <> 'calls';
  drop table before;
  return v_found;
end $$;
select pg_temp.as('22222222-2222-4222-8222-222222222222');
select public.get_document(gen_random_uuid()), public.document_events(gen_random_uuid()), public.document_place(gen_random_uuid());
select is(pg_temp.calls(format('select public.%s(%L)', f, (select id from file))), pg_temp.calls(format('select public.%s(%L)', f, gen_random_uuid())),
  f || ' does the same for another''s document as for one that does not exist')
from unnest(array['get_document', 'document_events', 'document_place']) f;

-- One request does not insert without bound.
update mill.settings set value = '100' where key = 'users.documents_per_minute';
set role authenticated;
select lives_ok($$ insert into public.documents (title, data) select 'd' || n, '{}' from generate_series(1, 100) n $$, 'a hundred documents are what this test allows per minute');
select throws_matching($$ insert into public.documents (title, data) values ('one more', '{}') $$, 'GM015', 'one more is refused with GM015');
reset role;
set request.jwt.claims = '{"role": "service_role"}';
select lives_ok($$ insert into public.documents (title, data, owner) select 'd' || n, '{}', '11111111-1111-4111-8111-111111111111' from generate_series(1, 300) n $$, 'the service inserts as many as it likes');
select * from finish();
