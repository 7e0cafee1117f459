select plan(27);
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
create function pg_temp.claimed(p_worker text, p_queue text, p_max int, p_kinds text[] default null) returns table (id uuid, attempt int, kind text) language sql as $$
  select j.id, j.attempt, j.kind from jsonb_to_recordset(public.claim_jobs(p_worker, array[p_queue], p_max, p_kinds)) j(id uuid, attempt int, kind text) $$;
create function pg_temp.of(p_name text) returns text language sql as $$ select current_setting('test.' || p_name) $$;
create function pg_temp.as_user() returns void language sql as $$
  select set_config('role', 'authenticated', false), set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', false) $$;
create function pg_temp.as_stranger() returns void language sql as $$
  select set_config('role', 'authenticated', false), set_config('request.jwt.claims', '{"role": "authenticated", "sub": "22222222-2222-4222-8222-222222222222"}', false) $$;
create function pg_temp.as_service() returns void language sql as $$
  select set_config('role', 'service_role', false), set_config('request.jwt.claims', '{"role": "service_role"}', false) $$;
create function pg_temp.may(p_place text) returns text language sql as $$
  select concat_ws(' ', case when public.can_access_object(p_place) then 'read' end, case when public.can_write_object(p_place) then 'write' end,
    case when public.can_remove_object(p_place) then 'remove' end) $$;

select pg_temp.as_user();
select set_config('test.id', u ->> 'id', false), set_config('test.place', u ->> 'place', false) from public.begin_document_upload('text/plain') u;
select is(pg_temp.may(pg_temp.of('place')), 'write remove', 'the place of an upload is written, and what was stored may be taken back, but not read');
select is(pg_temp.may('33333333-3333-4333-8333-333333333333/'), 'read', 'one''s own folder is listed');
select is(pg_temp.may('33333333-3333-4333-8333-333333333333'), 'read', 'one''s own folder is listed without its slash, too');
select is(pg_temp.may('33333333-3333-4333-8333-33333333333'), '', 'the beginning of an id is no folder');
select is(pg_temp.may('33333333-3333-4333-8333-333333333333x/a'), '', 'an id with something behind it is no folder');
select pg_temp.as_stranger();
select is(pg_temp.may(pg_temp.of('place')), '', 'a stranger may nothing there');
select pg_temp.as_user();
select public.finish_document_upload(pg_temp.of('id')::uuid, pg_temp.of('place'), 5, repeat('a', 64));
select is(pg_temp.may(pg_temp.of('place')), '', 'once the upload has ended nothing is written, read or removed there');
select throws_ok($$ select public.document_place(pg_temp.of('id')::uuid) $$, 'GM048', 'the file has not been checked yet', 'a file that was not scanned is not given out');

select pg_temp.as_service();
select set_config('test.job', j.id::text, false) from pg_temp.claimed('w', 'fast', 1) j;
select set_config('test.copy', public.begin_document_stage(pg_temp.of('job')::uuid, 'w', 1) ->> 'keep_at', false);
select isnt(pg_temp.of('copy'), pg_temp.of('place'), 'what is scanned is stored at another place');
select pg_temp.as_user();
select is(pg_temp.may(pg_temp.of('copy')), '', 'where its owner may neither write nor remove, nor read yet');
select throws_ok($$ select public.finish_document_upload(pg_temp.of('id')::uuid, pg_temp.of('copy'), 5, repeat('a', 64)) $$, 'GM046', null, 'the place of the copy is no upload');
select is(public.abandon_document_upload(pg_temp.of('id')::uuid, pg_temp.of('copy')), false, 'the place of the copy cannot be abandoned');
select pg_temp.as_service();
select throws_ok($$ select public.finish_document_stage(pg_temp.of('job')::uuid, 'w', 1, jsonb_build_object('size', 5, 'sha256', repeat('b', 64), 'place', pg_temp.of('place'), 'page_count', 1)) $$,
  'GM046', null, 'a place that a user could write is never taken for that of the scanned file');
select ok(public.finish_document_stage(pg_temp.of('job')::uuid, 'w', 1,
  jsonb_build_object('size', 5, 'sha256', repeat('b', 64), 'mime_type', 'text/plain', 'place', pg_temp.of('copy'), 'page_count', 1)), 'the stage ends');
select is(public.recover_upload(pg_temp.of('copy'), 5), 'registered', 'the sweep leaves the copy alone');

select pg_temp.as_user();
select is(public.document_place(pg_temp.of('id')::uuid), pg_temp.of('copy'), 'the document is made of the copy');
select is(pg_temp.may(pg_temp.of('copy')), 'read', 'the owner of a document reads its copy and cannot change it');
select is(pg_temp.may(pg_temp.of('place')), 'remove', 'the place of the upload is nobody''s file: it is not read, and not written again');
select pg_temp.as_stranger();
select is(pg_temp.may(pg_temp.of('copy')), '', 'a stranger may nothing there either');
select is(public.document_place(pg_temp.of('id')::uuid), null, 'a stranger is told nothing about the copy');

-- A worker that died left the place of its copy.
select pg_temp.as_user();
select public.finish_document_upload((u ->> 'id')::uuid, u ->> 'place', 5, repeat('a', 64)), set_config('test.id', u ->> 'id', false), set_config('test.place', u ->> 'place', false)
from public.begin_document_upload('text/plain') u;
select pg_temp.as_service();
select set_config('test.job', j.id::text, false) from pg_temp.claimed('w', 'fast', 2) j where j.kind = 'fast_queue_security';
select set_config('test.copy', public.begin_document_stage(pg_temp.of('job')::uuid, 'w', 1) ->> 'keep_at', false);
select is(public.recover_upload(pg_temp.of('copy'), 5), 'waiting', 'the sweep leaves the place of a copy while the stage is under way');
select is(public.orphaned_objects(array[pg_temp.of('copy'), pg_temp.of('place')]), '[]', 'the sweep does not take the copy for an orphan');
select ok(public.refuse_document(pg_temp.of('job')::uuid, 'w', 1, 'infected', '{"type": "infected", "reason": "infected", "message": "x"}',
  format('quarantine/%s/x.txt', pg_temp.of('id')), jsonb_build_object('size', 7, 'sha256', repeat('c', 64))), 'the stage refuses an infected document');
select is((select jsonb_build_array(f.file_size_bytes, f.scanned_at) from public.shell_files f where f.id = pg_temp.of('id')::uuid), '[7, null]', 'its size is measured all the same');
select is(public.recover_upload(pg_temp.of('copy'), 5), 'forgotten', 'the place of the copy is given up once the stage is over');
select pg_temp.as_user();
select is(public.document_place(pg_temp.of('id')::uuid), null, 'an infected file is not given out');
select is(public.begin_erase_document(pg_temp.of('id')::uuid) -> 'places' @> jsonb_build_array(pg_temp.of('place')), true, 'erasing also names the place of the upload');
select * from finish();
