select plan(3);
alter table public.shell_files alter column processing_error drop default, alter column processing_error drop not null,
  alter column processing_error type text using null;
insert into public.user_profiles (id, user_id) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111');
insert into public.shell_files (id, patient_id, filename, mime_type, created_at, updated_at, processing_error)
values ('44444444-4444-4444-8444-444444444444', '33333333-3333-4333-8333-333333333333', 'a', 'text/plain', now(), now(), 'it broke');
select ok(mill.migrate_processing_error(), 'a TEXT column is turned into jsonb');
select is((select processing_error from public.shell_files), '{"legacy_error": "it broke"}'::jsonb, 'an error that is turned into jsonb keeps its text');
select ok(not mill.migrate_processing_error(), 'moving the errors of the older table a second time does nothing');
select * from finish();
