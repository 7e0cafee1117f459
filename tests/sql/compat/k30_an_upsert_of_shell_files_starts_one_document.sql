-- What a compat client sends through PostgREST, as the role that sends it: an upsert sets every column that was sent, the key among them.
select plan(40);
insert into public.user_profiles (id, user_id) values
  ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111'),
  ('44444444-4444-4444-8444-444444444444', '22222222-2222-4222-8222-222222222222');
create function pg_temp.be(p_who text) returns void language plpgsql as $$
begin
  perform set_config('request.jwt.claims', case p_who
    when 'owner' then '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}'
    when 'stranger' then '{"role": "authenticated", "sub": "22222222-2222-4222-8222-222222222222"}'
    when 'service' then '{"role": "service_role"}' else '{"role": "anon"}' end, false);
  perform set_config('role', case p_who when 'service' then 'service_role' when 'anon' then 'anon' else 'authenticated' end, false);
end $$;
create function pg_temp.upsert(p_key text, p_sent jsonb default '{}') returns uuid language sql as $$
  insert into public.shell_files (patient_id, filename, original_filename, file_size_bytes, mime_type, storage_path, idempotency_key, status)
  select s.patient_id, s.filename, s.original_filename, s.file_size_bytes, s.mime_type, s.storage_path, p_key, s.status
  from jsonb_to_record('{"patient_id": "33333333-3333-4333-8333-333333333333", "filename": "1_scan.pdf", "original_filename": "scan.pdf", "file_size_bytes": 10,
    "mime_type": "application/pdf", "storage_path": "11111111-1111-4111-8111-111111111111/1_scan.pdf", "status": "uploaded"}'::jsonb || p_sent)
    as s(patient_id uuid, filename text, original_filename text, file_size_bytes bigint, mime_type text, storage_path text, status text)
  on conflict (idempotency_key) do update set patient_id = excluded.patient_id, filename = excluded.filename, original_filename = excluded.original_filename,
    file_size_bytes = excluded.file_size_bytes, mime_type = excluded.mime_type, storage_path = excluded.storage_path,
    idempotency_key = excluded.idempotency_key, status = excluded.status
  returning id
$$;
create function pg_temp.refused(p_who text, p_sent jsonb, p_code text, p_claim text) returns text language plpgsql as $$
declare
  v_answer text;
begin
  perform pg_temp.be(p_who);
  v_answer := throws_ok(format('select pg_temp.upsert(%L, %L)', 'refused', p_sent), p_code, null, p_claim);
  perform set_config('role', 'none', false);
  return v_answer;
end $$;

select pg_temp.be('owner');
create temp table doc as select pg_temp.upsert('my scan.pdf-1') as id;
select is((select status from public.shell_files where id = (select id from doc)), 'uploaded', 'a client that upserts a file gets its document');
reset role;
select results_eq($$ select kind, payload ->> 'document_id' from mill.job_live $$, $$ select 'fast_queue_security', id::text from doc $$,
  'the upsert starts the first stage by itself');
select results_eq($$ select bucket, upload_path, uploaded_by, file_size_bytes from public.shell_files $$,
  $$ values ('medical-docs', '11111111-1111-4111-8111-111111111111/1_scan.pdf', '11111111-1111-4111-8111-111111111111'::uuid, 10::bigint) $$,
  'the document says where its file lies and who stored it');
select is((select count(*) from mill.audit_log where table_name = 'shell_files' and reason = 'uploaded'), 1::bigint, 'the upload is in the audit log');
select is((select count(*) from public.usage_events where event_type = 'shell_file_uploaded'), 1::bigint, 'the upload is counted');

-- A repeat.
update public.shell_files set status = 'completed', stage = 'pass3';
select pg_temp.be('owner');
select is(pg_temp.upsert('my scan.pdf-1', '{"storage_path": "11111111-1111-4111-8111-111111111111/2_scan.pdf", "file_size_bytes": 99}'), (select id from doc),
  'a repeat of an upsert answers the same row');
select results_eq($$ select status, storage_path, file_size_bytes from public.shell_files $$,
  $$ values ('completed', '11111111-1111-4111-8111-111111111111/1_scan.pdf', 10::bigint) $$, 'a repeat of an upsert moves no status back and changes nothing');
reset role;
select is((select count(*) from mill.job_live), 1::bigint, 'a repeat of an upsert starts nothing');
select is((select count(*) from public.usage_events where event_type = 'shell_file_uploaded'), 1::bigint, 'a repeat of an upsert counts nothing');

-- Another profile.
select pg_temp.be('stranger');
select isnt(pg_temp.upsert('my scan.pdf-1', '{"patient_id": "44444444-4444-4444-8444-444444444444", "storage_path": "22222222-2222-4222-8222-222222222222/1_scan.pdf"}'),
  (select id from doc), 'the same key of another profile is another document');
select is((select count(*) from public.shell_files), 1::bigint, 'another profile''s documents are not seen');
select is((select count(*) from public.shell_files where idempotency_key like '%3333%'), 0::bigint, 'another profile''s keys are not seen');
reset role;
select is((select count(*) from public.shell_files), 2::bigint, 'two profiles with one key have two documents');

-- Keys are file names.
select pg_temp.be('owner');
select lives_ok($$ select pg_temp.upsert(repeat('病', 512)) $$, 'a key of 512 characters beyond ASCII is taken');
select lives_ok($$ select pg_temp.upsert(repeat('😀', 512)) $$, 'a key of 512 characters of four bytes is taken');
select is(pg_temp.upsert(repeat('病', 512)), pg_temp.upsert(repeat('病', 512)), 'a long key finds its document again');
select throws_ok($$ select pg_temp.upsert(repeat('k', 513)) $$, '23514', null, 'a key of 513 characters is refused');
select throws_ok($$ select pg_temp.upsert('') $$, '23514', null, 'an empty key is refused');

-- What a client may not say.
reset role;
create temp table before as select count(*) as files, (select count(*) from mill.job_live) as jobs from public.shell_files;
select pg_temp.refused('owner', '{"status": "completed"}', '42501', 'a client cannot register a file as completed');
select pg_temp.refused('owner', '{"patient_id": "44444444-4444-4444-8444-444444444444"}', '42501', 'a client cannot register a file for another''s profile');
select pg_temp.refused('owner', '{"patient_id": "55555555-5555-4555-8555-555555555555"}', '42501', 'a profile that does not exist looks the same');
select pg_temp.refused('owner', '{"storage_path": "22222222-2222-4222-8222-222222222222/1_scan.pdf"}', '42501', 'a client cannot register another user''s file');
select pg_temp.refused('owner', '{"storage_path": "gristmill/11111111-1111-4111-8111-111111111111/1_scan.pdf"}', '42501', 'a client cannot register a file of another bucket');
select pg_temp.refused('owner', '{"storage_path": "exports:11111111-1111-4111-8111-111111111111/1_scan.pdf"}', '42501', 'a client cannot name another bucket');
select pg_temp.refused('owner', '{"storage_path": "11111111-1111-4111-8111-111111111111/../22222222-2222-4222-8222-222222222222/1.pdf"}', '42501', 'a path cannot climb');
select pg_temp.refused('owner', '{"storage_path": "33333333-3333-4333-8333-333333333333/66666666-6666-4666-8666-666666666666/x.pdf"}', '42501', 'a client cannot register what the worker has scanned');
select pg_temp.refused('owner', '{"storage_path": null}', '42501', 'a file without a place is refused');
select pg_temp.refused('owner', '{"file_size_bytes": -5}', 'GM049', 'a negative size is refused');
select pg_temp.refused('owner', '{"file_size_bytes": 9223372036854775807}', 'GM049', 'a size of 2^63 - 1 is refused');
select pg_temp.refused('anon', '{}', '42501', 'nobody registers a file without a token');
select is((select count(*) from public.shell_files), (select files from before), 'what was refused has left no row');
select is((select count(*) from mill.job_live), (select jobs from before), 'what was refused has started nothing');
select pg_temp.be('owner');
update public.shell_files set status = 'failed', storage_path = '11111111-1111-4111-8111-111111111111/other.pdf' where id = (select id from doc);
select results_eq($$ select status, storage_path from public.shell_files where id = (select id from doc) $$,
  $$ values ('completed', '11111111-1111-4111-8111-111111111111/1_scan.pdf') $$, 'a client''s update changes nothing');
select throws_ok($$ update public.shell_files set processing_error = '{}' $$, '42501', null, 'a client does not write errors');
select throws_ok($$ delete from public.shell_files $$, '42501', null, 'a client does not delete rows');

-- The plan, and the store's own word.
reset role;
update mill.settings set value = 'true' where key = 'features.billing_enabled';
update public.subscription_plans set shell_files_limit = 0 where plan_type = 'free';
select pg_temp.refused('owner', '{}', 'GM023', 'a file that the plan does not cover is refused while billing is on');
update mill.settings set value = 'false' where key = 'features.billing_enabled';
select public.note_object('medical-docs:11111111-1111-4111-8111-111111111111/9_a.pdf', 777, 'application/pdf');
select pg_temp.be('owner');
select pg_temp.upsert('measured', '{"storage_path": "medical-docs/11111111-1111-4111-8111-111111111111/9_a.pdf", "file_size_bytes": 1}');
select results_eq($$ select file_size_bytes, storage_path from public.shell_files where idempotency_key like '%:measured' $$,
  $$ values (777::bigint, '11111111-1111-4111-8111-111111111111/9_a.pdf') $$, 'the size is the stored object''s, not the client''s');
select pg_temp.be('service');
select lives_ok($$ select pg_temp.upsert('by the service', '{"storage_path": "11111111-1111-4111-8111-111111111111/10_a.pdf"}') $$, 'the service registers a file of a user');

-- Maintenance.
select pg_temp.be('owner');
create temp table begun as select public.begin_document_upload('text/plain', null, 'begun', '33333333-3333-4333-8333-333333333333') as upload;
reset role;
update mill.settings set value = 'true' where key = 'maintenance.enabled';
insert into mill.settings (key, value, type) values ('maintenance.enabled', 'true', 'boolean') on conflict (key) do update set value = excluded.value;
select pg_temp.refused('owner', '{}', 'PGRST', 'nothing is registered while maintenance is on');
select pg_temp.be('owner');
select is((select public.finish_document_upload((upload ->> 'id')::uuid, upload ->> 'place', 5, repeat('a', 64)) ->> 'status' from begun), 'uploaded',
  'an upload that was begun before maintenance is brought to its end');
reset role;
select * from finish();
