select plan(6);
insert into public.user_profiles (id, user_id) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111');
update mill.part set installed_at = '2030-01-01' where part = 'compat/documents';
create function pg_temp.removed() returns jsonb language sql as $$ select public.run_cleanup_step('uploads') -> 'remove' $$;
set mill.now = '2029-12-31';
select public.note_object('medical-docs:11111111-1111-4111-8111-111111111111/older.pdf', 1, 'x');
set mill.now = '2030-01-02';
select public.note_object('medical-docs:11111111-1111-4111-8111-111111111111/named.pdf', 1, 'x');
select public.note_object('medical-docs:11111111-1111-4111-8111-111111111111/nobody''s (1).pdf', 1, 'x');
select public.note_object('medical-docs:quarantine/66666666-6666-4666-8666-666666666666/left.pdf', 1, 'x');
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', false);
set role authenticated;
insert into public.shell_files (patient_id, filename, mime_type, storage_path, idempotency_key, status)
values ('33333333-3333-4333-8333-333333333333', 'a.pdf', 'application/pdf', '11111111-1111-4111-8111-111111111111/named.pdf', 'k', 'uploaded');
reset role;
select set_config('request.jwt.claims', '', false);
set mill.now = '2030-01-02 23:00';
select is(pg_temp.removed(), '[]', 'a file is left alone for a day');
set mill.now = '2030-01-03 01:00';
select is((select jsonb_agg(r order by r) from jsonb_array_elements(pg_temp.removed()) r),
  '["medical-docs:11111111-1111-4111-8111-111111111111/nobody''s (1).pdf", "medical-docs:quarantine/66666666-6666-4666-8666-666666666666/left.pdf"]',
  'after a day what no document names is removed');
select is(public.confirm_cleanup_step('uploads', array['x']) ->> 'removed', '1', 'the step is confirmed');
update public.shell_files set status = 'erasing';
select ok(not pg_temp.removed() ? 'medical-docs:11111111-1111-4111-8111-111111111111/named.pdf', 'a file that a document names stays');
delete from public.shell_files;
select ok(pg_temp.removed() ? 'medical-docs:11111111-1111-4111-8111-111111111111/named.pdf', 'a file whose document is gone goes');
select ok(not pg_temp.removed() ? 'medical-docs:11111111-1111-4111-8111-111111111111/older.pdf', 'a file that was there before the installation stays');
select * from finish();
