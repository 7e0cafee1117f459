select plan(10);
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
create function pg_temp.of(p_name text) returns text language sql as $$ select current_setting('test.' || p_name) $$;
create function pg_temp.as_user() returns void language sql as $$
  select set_config('role', 'authenticated', false), set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', false) $$;
create function pg_temp.as_service() returns void language sql as $$
  select set_config('role', 'service_role', false), set_config('request.jwt.claims', '{"role": "service_role"}', false) $$;
select pg_temp.as_user();
select set_config('test.id', u ->> 'id', false), set_config('test.place', u ->> 'place', false) from public.begin_document_upload('text/plain') u;
select public.finish_document_upload(pg_temp.of('id')::uuid, pg_temp.of('place'), 5, repeat('a', 64));
select pg_temp.as_service();
create temp table held as select job_id from public.claim_next_job_v3('theirs', array['report_generation']);
select isnt(public.enqueue_job_v3('report_generation', 'before', '{"a": 1}'), null, 'before maintenance enqueue_job_v3 takes a job');
insert into held select job_id from public.claim_next_job_v3('theirs', array['report_generation']);

select public.set_maintenance(true, 'moving house', 90);
select throws_matching($$ select public.enqueue_job_v3('report_generation', 'now', '{"a": 2}') $$, 'GM022', 'enqueue_job_v3 is refused in maintenance');
select throws_matching($$ select public.enqueue_job_v3('fast_queue_security', 'now', '{"a": 2}', 'standard', 5, now()) $$, 'GM022', 'enqueue_job_v3 is refused for a document''s stage too');
reset role;
select is((select count(*) from mill.job where kind = 'report_generation'), 1::bigint, 'a refused job leaves nothing behind');
select pg_temp.as_service();
select is(public.complete_job((select job_id from held), 'theirs', '{"a": 1}'), true, 'a worker of others completes what it holds');

create function pg_temp.stage(p_result jsonb) returns text language plpgsql as $$
declare v_job record; v_stage text;
begin
  select j.id, j.attempt into v_job from jsonb_to_recordset(public.claim_jobs('ours', array['fast', 'ai'], 1)) j(id uuid, attempt int);
  v_stage := public.begin_document_stage(v_job.id, 'ours', v_job.attempt) ->> 'stage';
  return case when public.finish_document_stage(v_job.id, 'ours', v_job.attempt, p_result) then v_stage end;
end $$;
select is(pg_temp.stage(jsonb_build_object('page_count', 1, 'sha256', repeat('a', 64), 'mime_type', 'text/plain', 'file_size_bytes', 5, 'storage_path', pg_temp.of('place'))), 'security', 'a document in flight passes its first stage in maintenance');
select is((select stage from public.shell_files where id = pg_temp.of('id')::uuid), 'ocr', 'the next stage of the document is enqueued in maintenance');
select isnt(pg_temp.stage('{"page_count": 1, "pages": [{"number": 1, "source": "plain", "width": 1, "height": 1, "text": "x", "words": []}]}'), null, 'the next stage of the document is done in maintenance');
select public.set_maintenance(false, 'moved');
select isnt(public.enqueue_job_v3('report_generation', 'after', '{"a": 3}'), null, 'after maintenance enqueue_job_v3 takes jobs again');
set role authenticated;
select throws_ok($$ select public.enqueue_job_v3('report_generation', 'mine', '{"a": 3}') $$, '42501', null, 'a user may not call enqueue_job_v3, in maintenance or not');
select * from finish();
