select plan(8);
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
create function pg_temp.used() returns table (uploaded int, bytes bigint) language sql as $$
  select coalesce((select sum(m.files_uploaded)::int from mill.usage_of_month m), 0), coalesce((select sum(b.bytes)::bigint from mill.stored_bytes b), 0) $$;

-- What counts is broken while a file is uploaded.
alter function mill.add_usage(uuid, jsonb, timestamptz) rename to add_usage_away;
set role authenticated;
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
create temp table begun as select public.begin_document_upload('text/plain', 'a.txt', 'key') as upload;
select lives_ok($$ select public.finish_document_upload((upload ->> 'id')::uuid, upload ->> 'place', 3, repeat('a', 64)) from begun $$, 'an upload succeeds although it cannot be counted');
reset role;
select results_eq('select * from pg_temp.used()', $$ values (0, 0::bigint) $$, 'an upload that cannot be counted is not counted');
select is((select count(*) from mill.event where code = 'usage_not_counted'), 1::bigint, 'usage that could not be counted is an event');
select is(mill.count_again(), 0, 'while counting is broken nothing is counted');
select is((select u.tries from mill.uncounted_usage u), 1, 'usage that could not be counted is kept for another time');

alter function mill.add_usage_away(uuid, jsonb, timestamptz) rename to add_usage;
update mill.uncounted_usage set try_at = now();
select is(mill.count_again(), 1, 'usage is counted once counting works again');
select results_eq('select * from pg_temp.used()', $$ values (1, 3::bigint) $$, 'usage that is counted later has its file and its bytes');
insert into mill.uncounted_usage (at, what, arguments, try_at)
select now(), 'count', jsonb_build_object('profile', '33333333-3333-4333-8333-333333333333', 'event', 'shell_file_uploaded', 'key', upload ->> 'id',
  'counts', '{"files": 1, "bytes": 3}'::jsonb, 'document', upload ->> 'id'), now() from begun;
select mill.count_again();
select results_eq('select * from pg_temp.used()', $$ values (1, 3::bigint) $$, 'what was counted after all is not counted twice');
select * from finish();
