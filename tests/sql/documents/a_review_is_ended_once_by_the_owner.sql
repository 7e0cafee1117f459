select plan(18);
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
insert into public.profile_access_grants (profile_id, grantee_user_id, granted_by, accepted_at)
values ('33333333-3333-4333-8333-333333333333', '22222222-2222-4222-8222-222222222222', '11111111-1111-4111-8111-111111111111', now());
insert into public.shell_files (id, patient_id, filename, mime_type, storage_path, status, stage, created_at, updated_at, uploaded_at, scanned_at, completed_at)
select ('44444444-4444-4444-8444-44444444444' || n)::uuid, '33333333-3333-4333-8333-333333333333', 'f', 'application/pdf', 'a/' || n,
  (array['needs_review', 'needs_review', 'processing'])[n], 'pass3', now(), now(), now(), now(), '2030-01-01'
from generate_series(1, 3) n;
insert into public.document_doubts (document_id, doubt_number, stage, reason, text) select id, 1, 'pass2', 'row_not_understood', 'K+ 5.9' from public.shell_files;
create function pg_temp.as_user(p_id text) returns void language sql as $$
  select set_config('role', 'authenticated', false), set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', p_id)::text, false) $$;
set mill.now = '2030-02-01 00:00+00';

select pg_temp.as_user('99999999-9999-4999-8999-999999999999');
select throws_ok($$ select public.review_document('44444444-4444-4444-8444-444444444441', 'confirmed') $$, 'GM046', null, 'a stranger ends no review');
select is((select count(*)::int from public.document_doubts), 0, 'a stranger sees no doubts');
select pg_temp.as_user('22222222-2222-4222-8222-222222222222');
select is((select count(*)::int from public.document_doubts), 3, 'whoever was let into the profile sees the doubts');
select throws_ok($$ select public.review_document('44444444-4444-4444-8444-444444444441', 'confirmed') $$, 'GM046', null, 'whoever was let into the profile ends no review');
select pg_temp.as_user('11111111-1111-4111-8111-111111111111');
select throws_ok($$ delete from public.document_doubts $$, '42501', null, 'the owner removes no doubts');
select throws_ok($$ select public.review_document('44444444-4444-4444-8444-444444444441', 'perhaps') $$, '22023', null, 'a review ends as confirmed or unusable');
select throws_ok($$ select public.review_document('44444444-4444-4444-8444-444444444443', 'confirmed') $$, 'GM048', null, 'a document that is being processed has no review to end');
select is(public.review_document('44444444-4444-4444-8444-444444444441', 'confirmed', 'compared with the paper'),
  '{"at": "2030-02-01T00:00:00+00:00", "by": "11111111-1111-4111-8111-111111111111", "note": "compared with the paper", "decision": "confirmed"}', 'the owner ends a review; who, when and the decision are kept');
select is(public.get_document('44444444-4444-4444-8444-444444444441') ->> 'status', 'completed', 'a document whose review ended is completed');
select is(public.get_document('44444444-4444-4444-8444-444444444441') #>> '{review,note}', 'compared with the paper', 'a reviewed document shows its review');
select is(public.get_document('44444444-4444-4444-8444-444444444441') -> 'reasons', '[]', 'a reviewed document has no reason for a review');
select is((public.get_document('44444444-4444-4444-8444-444444444441') ->> 'completed_at')::timestamptz, '2030-01-01'::timestamptz, 'completed_at stays the end of its last stage');
set mill.now = '2030-02-02 00:00+00';
select is(public.review_document('44444444-4444-4444-8444-444444444441', 'confirmed') ->> 'at', '2030-02-01T00:00:00+00:00', 'the same decision again changes nothing');
select throws_ok($$ select public.review_document('44444444-4444-4444-8444-444444444441', 'unusable') $$, 'GM048', null, 'another decision comes too late');
reset role;
select results_eq($$ select old_values ->> 'status', new_values ->> 'decision', actor::text from mill.audit_log where record_id = '44444444-4444-4444-8444-444444444441' and reason = 'reviewed on request' $$,
  $$ values ('needs_review', 'confirmed', '11111111-1111-4111-8111-111111111111') $$, 'the audit log has one line about it, with who and what');
select is((select count(*)::int from mill.audit_log where new_values::text like '%paper%'), 0, 'the audit log has nothing of the note, which may quote the document');
select pg_temp.as_user('11111111-1111-4111-8111-111111111111');
select public.reprocess_document('44444444-4444-4444-8444-444444444441');
select is(public.get_document('44444444-4444-4444-8444-444444444441') -> 'review', 'null', 'a new run has no review');
select public.begin_erase_document('44444444-4444-4444-8444-444444444442');
reset role;
select is((select count(*)::int from public.document_doubts where document_id = '44444444-4444-4444-8444-444444444442'), 0, 'erasing a document erases the words in its doubts at once');
select * from finish();
