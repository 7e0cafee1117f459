select plan(15);
insert into public.user_profiles (id, user_id) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111');
create function pg_temp.may(p_act text, p_key text, p_user text default '11111111-1111-4111-8111-111111111111') returns boolean language plpgsql as $$
begin
  perform set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', p_user)::text, false);
  return case p_act when 'read' then public.can_access_object('medical-docs:' || p_key) when 'write' then public.can_write_object('medical-docs:' || p_key)
    else public.can_remove_object('medical-docs:' || p_key) end;
end $$;
select ok((select count(*) = 1 from mill.bucket where bucket = 'medical-docs'), 'the bucket medical-docs exists');
set role authenticated;
select ok(pg_temp.may('write', '11111111-1111-4111-8111-111111111111/17_My scan (1).pdf'), 'a user stores files below its own id');
select ok(not pg_temp.may('write', '22222222-2222-4222-8222-222222222222/17_a.pdf'), 'a user stores nothing below another''s id');
select ok(not pg_temp.may('write', '33333333-3333-4333-8333-333333333333/17_a.pdf'), 'a user stores nothing below the id of its profile');
select ok(not pg_temp.may('write', '11111111-1111-4111-8111-111111111111/66666666-6666-4666-8666-666666666666/a.pdf'), 'a user stores nothing where scanned files lie');
select ok(not pg_temp.may('write', '11111111-1111-4111-8111-111111111111/../a.pdf'), 'a key cannot climb');
select ok(not pg_temp.may('read', '11111111-1111-4111-8111-111111111111/17_a.pdf'), 'a file is not given out before it was scanned');
select ok(pg_temp.may('remove', '11111111-1111-4111-8111-111111111111/17_a.pdf'), 'a user removes a file that it has not registered');
select ok(not pg_temp.may('remove', '11111111-1111-4111-8111-111111111111/17_a.pdf', '22222222-2222-4222-8222-222222222222'), 'another user does not');
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', false);
insert into public.shell_files (patient_id, filename, mime_type, storage_path, idempotency_key, status)
values ('33333333-3333-4333-8333-333333333333', 'a.pdf', 'application/pdf', '11111111-1111-4111-8111-111111111111/17_a.pdf', 'k', 'uploaded');
select ok(not pg_temp.may('remove', '11111111-1111-4111-8111-111111111111/17_a.pdf'), 'a file that a document is made of stays');
reset role;

-- A worker scans it, and stores what it has scanned.
select set_config('request.jwt.claims', '{"role": "service_role"}', false);
create temp table job as select c.id, c.attempt from mill.claim('w', array['fast'], 1, array['fast_queue_security']) c;
create temp table stage as select public.begin_document_stage(id, 'w', attempt) as said from job;
select is((select said ->> 'storage_path' from stage), 'medical-docs:11111111-1111-4111-8111-111111111111/17_a.pdf', 'the worker is told the bucket of the file');
select public.finish_document_stage(j.id, 'w', j.attempt, jsonb_build_object('verdict', '{"safe": true}'::jsonb, 'page_count', 1, 'size', 5, 'sha256', repeat('a', 64),
  'mime_type', 'application/pdf', 'place', s.said -> 'keep_at')) from job j, stage s;
create temp table kept as select storage_path as key from public.shell_files;
grant select on kept to authenticated;
select ok((select key ~ '^33333333-3333-4333-8333-333333333333/' from kept), 'storage_path is a key in the bucket once the file was scanned');
set role authenticated;
select ok(pg_temp.may('read', (select key from kept)) and not pg_temp.may('read', (select key from kept), '22222222-2222-4222-8222-222222222222'),
  'the scanned file is read by whoever has the profile, and by nobody else');
select ok(not pg_temp.may('write', (select key from kept)) and not pg_temp.may('remove', (select key from kept)), 'the scanned file is neither replaced nor removed by its owner');
reset role;
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', false);
select is((select jsonb_agg(p order by p) from jsonb_array_elements_text(public.begin_erase_document((select id from public.shell_files)) -> 'places') p),
  (select jsonb_build_array('medical-docs:11111111-1111-4111-8111-111111111111/17_a.pdf', 'medical-docs:' || key) from kept), 'an erasure names the uploaded and the scanned object');
select * from finish();
