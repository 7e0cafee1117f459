select plan(29);
set mill.now = '2030-01-15 12:00+00';
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
create function pg_temp.me() returns uuid language sql immutable as $$ select '33333333-3333-4333-8333-333333333333'::uuid $$;
create function pg_temp.claimed(p_worker text, p_queue text, p_max int, p_kinds text[] default null) returns table (id uuid, attempt int, kind text) language sql as $$
  select j.id, j.attempt, j.kind from jsonb_to_recordset(public.claim_jobs(p_worker, array[p_queue], p_max, p_kinds)) j(id uuid, attempt int, kind text) $$;
create function pg_temp.of(p_name text) returns text language sql as $$ select current_setting('test.' || p_name) $$;
-- As the role that really calls, with its token.
create function pg_temp.as_user() returns void language sql as $$
  select set_config('role', 'authenticated', false), set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', false) $$;
create function pg_temp.as_service() returns void language sql as $$
  select set_config('role', 'service_role', false), set_config('request.jwt.claims', '{"role": "service_role"}', false) $$;
create function pg_temp.begun(p_type text default 'text/plain') returns void language sql as $$
  select set_config('test.id', u ->> 'id', false), set_config('test.place', u ->> 'place', false) from public.begin_document_upload(p_type) u $$;
create function pg_temp.finish(p_size bigint, p_sha256 text default repeat('a', 64)) returns jsonb language sql as $$
  select public.finish_document_upload(pg_temp.of('id')::uuid, pg_temp.of('place'), p_size, p_sha256) $$;
create function pg_temp.used() returns jsonb language sql as $$
  select jsonb_build_object('files', m #> '{files,used}', 'mb', (m #>> '{storage_mb,used}')::numeric)
  from (select public.get_user_usage_status(pg_temp.me()) -> 'meters' as m) s $$;
-- A worker reads the file, finds this size and stores what it scanned.
create function pg_temp.scanned(p_size bigint, p_type text default 'text/plain') returns boolean language plpgsql as $$
declare
  v_job record;
  v_stage jsonb;
begin
  select j.* into v_job from pg_temp.claimed('w', 'fast', 1, array['fast_queue_security']) j;
  v_stage := public.begin_document_stage(v_job.id, 'w', v_job.attempt);
  return public.finish_document_stage(v_job.id, 'w', v_job.attempt, jsonb_build_object('verdict', '{"safe": true}'::jsonb, 'page_count', 1,
    'size', p_size, 'sha256', repeat('b', 64), 'mime_type', p_type, 'place', v_stage -> 'keep_at'));
end $$;

select pg_temp.as_user();
select pg_temp.begun();
select throws_ok('select pg_temp.finish(-1)', 'GM049', 'a file has 1 to 52428800 bytes', 'a negative size is refused');
select throws_ok('select pg_temp.finish(0)', 'GM049', null, 'an empty file is refused');
select throws_ok('select pg_temp.finish(null)', 'GM049', null, 'a size of null is refused');
select throws_ok('select pg_temp.finish(9223372036854775807)', 'GM049', null, 'a size of 2^63 - 1 is refused');
select throws_ok('select pg_temp.finish(52428801)', 'GM049', null, 'a size past 50 MiB is refused');
select throws_ok($$ select pg_temp.finish(10, 'abc') $$, 'GM049', null, 'a digest that is no SHA-256 is refused');
select is(pg_temp.used(), '{"files": 0, "mb": 0}', 'a refused end of an upload counts nothing');

-- The tracking call comes first, with whatever the user likes.
select is(public.track_shell_file_upload_usage(pg_temp.me(), pg_temp.of('id')::uuid, 1, 1) ->> 'shell_files_used', '0', 'a user''s call to count a file counts nothing');
select is(public.track_shell_file_upload_usage(pg_temp.me(), gen_random_uuid(), 2000000000, 100000) ->> 'shell_files_used', '0', 'a user''s call for a file that does not exist counts nothing');
select is(pg_temp.used(), '{"files": 0, "mb": 0}', 'so nothing was counted before the upload ended');
select throws_ok($$ select public.track_ai_processing_usage(pg_temp.me(), gen_random_uuid(), 0) $$, '42501', null, 'a user cannot count model calls');
select is(pg_temp.finish(1) ->> 'status', 'uploaded', 'an upload ends with a size that is too small');
select is(pg_temp.used() -> 'files', '1', 'the file is counted although the user asked to count it before');

reset role;
select is((select new_values from mill.audit_log where record_id = pg_temp.of('id') and action = 'INSERT'),
  jsonb_build_object('claimed_size_bytes', 1, 'claimed_mime_type', 'text/plain', 'claimed_sha256', repeat('a', 64)), 'the audit log says that size and digest are claims');

select pg_temp.as_service();
select ok(pg_temp.scanned(3000000, 'application/pdf'), 'the security stage measures 3 MB and another type');
select is((select jsonb_build_array(f.file_size_bytes, f.sha256, f.mime_type) from public.shell_files f), jsonb_build_array(3000000, repeat('b', 64), 'application/pdf'),
  'the row has the measured size, digest and type');
select is((select a.new_values from public.audit_log a where a.record_id = pg_temp.of('id') and a.reason = 'measured by the security stage'),
  jsonb_build_object('file_size_bytes', 3000000, 'sha256', repeat('b', 64), 'mime_type', 'application/pdf'), 'the audit log has what was measured');
select is(pg_temp.used(), '{"files": 1, "mb": 3.000000}', 'usage has the measured size, and one file');
select is((select array_agg((e.metrics ->> 'bytes')::bigint) from public.usage_events e where e.event_type = 'shell_file_uploaded'), array[3000000::bigint], 'there is one event, with the measured size');
select is(public.track_shell_file_upload_usage(pg_temp.me(), pg_temp.of('id')::uuid, 1, 1) ->> 'shell_files_used', '1', 'the service cannot count an uploaded file a second time either');
select is(pg_temp.used(), '{"files": 1, "mb": 3.000000}', 'a second count of the same upload leaves the usage as it was');

-- More was said than stored: what was counted too much is given back.
select pg_temp.as_user();
select pg_temp.begun();
select pg_temp.finish(50000000);
select is(pg_temp.used(), '{"files": 2, "mb": 53.000000}', 'until it is measured, a file counts with the size that was said');
select pg_temp.as_service();
select pg_temp.scanned(1000);
select is(pg_temp.used(), '{"files": 2, "mb": 3.001000}', 'once a file is measured, it counts with its real size');

-- Less was said than stored, and the plan does not cover what was stored.
reset role;
update mill.settings set value = 'true' where key = 'features.billing_enabled';
update public.subscription_plans set storage_limit_mb = 4 where plan_type = 'free';
select pg_temp.as_user();
select pg_temp.begun();
select is(pg_temp.finish(1) ->> 'status', 'uploaded', 'a file that says to be small is taken');
select pg_temp.as_service();
select ok(pg_temp.scanned(2000000), 'a file that says to be small is measured');
select is((select f.status || ' ' || (f.verdict ->> 'reason') from public.shell_files f where f.id = pg_temp.of('id')::uuid), 'refused plan_limit', 'and refused, because the plan does not cover it');
select is(pg_temp.used() -> 'mb', '5.001000', 'what it takes up counts until it is erased');
select pg_temp.as_user();
select public.begin_erase_document(pg_temp.of('id')::uuid), public.finish_erase_document(pg_temp.of('id')::uuid);
select is(pg_temp.used() -> 'mb', '3.001000', 'erasing it gives back the measured size');
reset role;
select is((select count(*)::int from mill.event where code = 'usage_not_counted'), 0, 'nothing failed to be counted');
select * from finish();
