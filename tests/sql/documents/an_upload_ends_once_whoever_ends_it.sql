select plan(22);
set mill.now = '2030-01-01 12:00+00';
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
create function pg_temp.as_user() returns void language sql as $$ select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', false) $$;
create function pg_temp.as_service() returns void language sql as $$ select set_config('request.jwt.claims', '{"role": "service_role"}', false) $$;
create function pg_temp.begun(p_key text) returns table (id uuid, place text, over jsonb) language sql as $$
  select (u ->> 'id')::uuid, u ->> 'place', u -> 'over' from public.begin_document_upload('text/plain', 'a.txt', p_key) u $$;
create function pg_temp.finished(p_id uuid, p_place text, p_size bigint, p_sha text) returns jsonb language sql as $$ select public.finish_document_upload(p_id, p_place, p_size, p_sha) $$;
select pg_temp.as_user();

create temp table lost as select * from pg_temp.begun('lost');
select is((select pg_temp.finished(id, place, 3, repeat('a', 64)) from lost), (select pg_temp.finished(id, place, 3, repeat('a', 64)) from lost),
  'said again, because the answer was lost, it gets the same answer');
select is((select count(*)::int from mill.audit_log a, lost where a.record_id = lost.id::text and a.action = 'INSERT'), 1, 'an upload that is ended twice is registered once');
update public.shell_files f set storage_path = 'quarantine/' || f.id || '/' || split_part(f.storage_path, '/', 3), status = 'infected' from lost where f.id = lost.id;
select is((select pg_temp.finished(id, place, 3, repeat('a', 64)) ->> 'status' from lost), 'infected', 'even when it was quarantined in between');
select throws_ok($$ select pg_temp.finished(id, 'x/y/another.txt', 3, repeat('a', 64)) from lost $$, 'GM046', null, 'another place is no upload');

create temp table slow as select * from pg_temp.begun('slow');
set mill.now = '2030-01-01 12:30+00';
select pg_temp.as_service();
select is((select public.recover_upload(place, null) from slow), 'waiting', 'half an hour is not too long for an upload');
select is((select jsonb_array_length(public.document_leftovers(1) -> 'uploads')), 1, 'the sweep looks at it');
set mill.now = '2030-01-01 12:40+00';
select is((select public.recover_upload(place, 40) from slow), 'registered', 'its object is there: it is registered');
select is((select f.sha256 from public.shell_files f, slow where f.id = slow.id), null, 'without a digest');
select is((select public.recover_upload(place, 40) from slow), 'registered', 'the sweep may end an upload without a digest twice');
select pg_temp.as_user();
create temp table again as select * from pg_temp.begun('slow');
select is((select pg_temp.finished(id, place, 40, repeat('d', 64)) ->> 'is_other' from again), 'false', 'a retry of the same size is taken for the same file meanwhile');
create temp table other as select * from pg_temp.begun('slow');
select is((select pg_temp.finished(id, place, 41, repeat('d', 64)) ->> 'is_other' from other), 'true', 'a sender whose file has another size than the registered object is told that the object is another');
select is((select pg_temp.finished(id, place, 40, repeat('d', 64)) ->> 'is_new' from slow), 'true', 'the sender who was slower than the sweep is told that it is there');
select is((select f.sha256 from public.shell_files f, slow where f.id = slow.id), repeat('d', 64), 'the sender who was slower than the sweep adds the digest');

create temp table dead as select * from pg_temp.begun('dead');
set mill.now = '2030-01-01 14:00+00';
select pg_temp.as_service();
select is((select public.recover_upload(place, null) from dead), 'forgotten', 'after an hour without an object it is given up');
select is((select count(*)::int from public.shell_files f, dead where f.id = dead.id), 0, 'the row of an upload that was given up is gone');
select is((select public.recover_upload(place, 7) from dead), 'forgotten', 'an object that comes later is nobody''s');
select pg_temp.as_user();
select throws_ok($$ select pg_temp.finished(id, place, 7, repeat('e', 64)) from dead $$, 'GM046', null, 'the sender of an object that came too late is told so');

-- The sweep found the object of an upload whose sender got no answer from the store and takes it back.
create temp table taken as select * from pg_temp.begun('taken');
select pg_temp.as_service();
select is((select public.recover_upload(place, 7) from taken), 'registered', 'the sweep registers an upload whose sender heard nothing from the store');
select pg_temp.as_user();
select is((select public.abandon_document_upload(id, place) from taken), false, 'its sender is told that a document has the object');
select is((select f.status from public.shell_files f, taken where f.id = taken.id), 'uploaded', 'the document that has the object stays');
create temp table none as select * from pg_temp.begun('none');
select is((select public.abandon_document_upload(id, place) from none), true, 'an upload that came to nothing leaves nothing that names its place');
select is((select count(*)::int from public.shell_files f, none where f.id = none.id), 0, 'an upload that came to nothing leaves no row');
select * from finish();
