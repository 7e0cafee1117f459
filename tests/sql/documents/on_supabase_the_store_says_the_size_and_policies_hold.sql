select plan(15);
-- What Supabase Storage brings, as far as we use it.
create schema storage;
create table storage.buckets (id text primary key, name text not null, public boolean, file_size_limit bigint);
create table storage.objects (id uuid primary key default gen_random_uuid(), bucket_id text references storage.buckets, name text, metadata jsonb, unique (bucket_id, name));
alter table storage.objects enable row level security;
grant usage on schema storage to authenticated;
grant select, insert, update, delete on storage.objects to authenticated;
select mill.install_storage_policies();
select mill.install_storage_policies();
select is((select file_size_limit from storage.buckets where id = 'gristmill'), 52428800::bigint, 'the bucket takes 50 MiB per object');
update storage.buckets set file_size_limit = 1000;
select mill.install_storage_policies();
select is((select file_size_limit from storage.buckets where id = 'gristmill'), 1000::bigint, 'a limit that an operator has set stays');

insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
create function pg_temp.of(p_name text) returns text language sql as $$ select current_setting('test.' || p_name) $$;
create function pg_temp.as_user() returns void language sql as $$
  select set_config('role', 'authenticated', false), set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', false) $$;
create function pg_temp.changed(p_statement text) returns int language plpgsql as $$
declare v_rows int;
begin execute p_statement using pg_temp.of('place'), pg_temp.of('copy'); get diagnostics v_rows = row_count; return v_rows; end $$;
select set_config('test.copy', '', false);
select pg_temp.as_user();
select set_config('test.id', u ->> 'id', false), set_config('test.place', u ->> 'place', false) from public.begin_document_upload('text/plain') u;
select throws_ok($$ insert into storage.objects (bucket_id, name) values ('gristmill', '33333333-3333-4333-8333-333333333333/elsewhere.txt') $$, '42501', null, 'nothing is stored but what is being uploaded');
select lives_ok($$ insert into storage.objects (bucket_id, name, metadata) values ('gristmill', pg_temp.of('place'), '{"size": 1234}') $$, 'what is being uploaded is stored');
select is(pg_temp.changed('update storage.objects set metadata = ''{"size": 1}'' where name = $1'), 0, 'what is being uploaded is not replaced');
select throws_ok($$ insert into storage.objects (bucket_id, name, metadata) values ('gristmill', pg_temp.of('place'), '{"size": 1}') on conflict (bucket_id, name) do update set metadata = excluded.metadata $$,
  '42501', null, 'what is being uploaded is not replaced by an upsert');
select public.finish_document_upload(pg_temp.of('id')::uuid, pg_temp.of('place'), 1, repeat('a', 64));
select is((select file_size_bytes from public.shell_files), 1234::bigint, 'the size is the store''s, not the caller''s');
reset role;
select is((select metrics ->> 'bytes' from public.usage_events where event_type = 'shell_file_uploaded'), '1234', 'the usage counts the store''s size, not the caller''s');
select pg_temp.as_user();
select is(pg_temp.changed('delete from storage.objects where name = $1'), 0, 'what a document is made of is not removed');

-- The security stage has stored its copy.
reset role;
select set_config('test.copy', '33333333-3333-4333-8333-333333333333/' || pg_temp.of('id') || '/01a00000-0000-7000-8000-000000000000.txt', false);
update public.shell_files set storage_path = pg_temp.of('copy'), scanned_at = now();
insert into storage.objects (bucket_id, name, metadata) values ('gristmill', pg_temp.of('copy'), '{"size": 1234}');
select pg_temp.as_user();
select is((select count(*)::int from storage.objects where name = pg_temp.of('copy')), 1, 'the scanned copy is read by its owner');
select is(pg_temp.changed('update storage.objects set metadata = ''{}'' where name = $2'), 0, 'who cannot replace it');
select is(pg_temp.changed('delete from storage.objects where name = $2'), 0, 'the owner of a scanned copy does not remove it');
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "22222222-2222-4222-8222-222222222222"}', false);
select is((select count(*)::int from storage.objects), 0, 'a stranger sees nothing');
select pg_temp.as_user();
select public.begin_erase_document(pg_temp.of('id')::uuid);
select is(pg_temp.changed('delete from storage.objects where name in ($1, $2)'), 2, 'what is being erased can be removed');
reset role;
select is((select count(*)::int from storage.objects), 0, 'all of it');
select * from finish();
