select plan(9);
set mill.now = '2030-01-01 00:00+00';
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "00000000-0000-4000-8000-0000000000a1"}', false);
insert into public.documents (id, owner, title) values
  ('00000000-0000-4000-8000-0000000000d1', '00000000-0000-4000-8000-0000000000a1', 'Resume'),
  ('00000000-0000-4000-8000-0000000000d2', '00000000-0000-4000-8000-0000000000a1', 'Letter');
set role authenticated;
create temp table created as
with inserted as (
  insert into public.export_jobs (user_id, document_id, format, options, status, progress, attempts, max_attempts)
  values ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000d1', 'pdf', '{"templateSlug": "classic"}', 'pending', 0, 0, 5)
  returning *)
select * from inserted;
select is((select array[status, progress::text, max_attempts::text, options ->> 'templateSlug']::text from created), '{pending,0,5,classic}',
  'createExportJob''s row is made');
select throws_ok($$ insert into public.export_jobs (user_id, document_id) values (gen_random_uuid(), '00000000-0000-4000-8000-0000000000d1') $$,
  '42501', null, 'nobody asks in another''s name');
select throws_ok($$ update public.export_jobs set status = 'completed' $$, '42501', null, 'a user marks no job completed');
select is((select count(*)::int from public.export_jobs), 1, 'one sees one''s own');
reset role;

select set_config('request.jwt.claims', '{"role": "service_role"}', false);
set role service_role;
select is((select count(*)::int from public.fetch_next_export_job(gen_random_uuid())), 0, 'another user has nothing to fetch');
select is((select array[user_id::text, status, attempts::text]::text from public.fetch_next_export_job('00000000-0000-4000-8000-0000000000a1')),
  '{00000000-0000-4000-8000-0000000000a1,processing,1}', 'the user''s job is fetched');
select is((select count(*)::int from public.fetch_next_export_job()), 0, 'a job is fetched only once');
reset role;
select is((select lease_until - started_at from mill.job_live), interval '15 minutes', 'K6: fetch_next_export_job leases for 15 minutes');
select ok(public.complete_job((select id from created), 'fetch_next_export_job', '{"a": 1}'), 'who fetched it may complete it');
select * from finish();
