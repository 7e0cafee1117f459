select plan(36);
-- Each call is made as the role that really makes it, with the claims that PostgREST sets.
create function pg_temp.as(p_role text, p_sub text default null) returns void language plpgsql as $$
begin
  perform set_config('request.jwt.claims', jsonb_strip_nulls(jsonb_build_object('role', p_role, 'sub', p_sub))::text, false);
  execute format('set role %I', p_role);
end $$;
grant execute on function pg_temp.as(text, text) to public;
-- What a statement did: the number of rows, or the code of the error.
create function pg_temp.does(p_statement text) returns text language plpgsql as $$
declare v_rows bigint;
begin
  execute p_statement;
  get diagnostics v_rows = row_count;
  return v_rows;
exception when others then return sqlstate;
end $$;
create function pg_temp.job() returns uuid language sql security definer as 'select id from mill.export order by created_at, id limit 1';
set mill.now = '2030-01-01 00:00+00';
insert into public.documents (id, owner, title) values
  ('00000000-0000-4000-8000-0000000000d1', '00000000-0000-4000-8000-0000000000a1', 'Resume'),
  ('00000000-0000-4000-8000-0000000000d2', '00000000-0000-4000-8000-0000000000a2', 'Other');

create function pg_temp.ask(p_user int default 1) returns void language plpgsql as $$
begin
  perform pg_temp.as('authenticated', '00000000-0000-4000-8000-0000000000a' || p_user);
  insert into public.export_jobs (user_id, document_id, format, options)
  values (('00000000-0000-4000-8000-0000000000a' || p_user)::uuid, ('00000000-0000-4000-8000-0000000000d' || p_user)::uuid, 'pdf', '{}');
  perform pg_temp.as('service_role');
end $$;
create function pg_temp.row_is(p_expected text, p_claim text) returns text language sql as $$
  select is((select concat_ws(' ', status, progress, attempts, error_message, result_url, file_size, page_count) from public.export_jobs order by created_at desc, id desc limit 1), p_expected, p_claim) $$;
select pg_temp.ask();
select is(pg_temp.does($$ update public.export_jobs set progress = 10 $$), 'GM056', 'K61: a pending export takes no progress');
select is(pg_temp.does($$ update public.export_jobs set status = 'completed', result_url = 'https://cdn.example/a.pdf' $$), 'GM056', 'K61: a pending export is not completed by an update');
select is((select count(*)::int from public.fetch_next_export_job()), 1, 'the service fetches the export');
select is((select format('%s %s', locked_by is not null, started_at) from public.export_jobs), 't 2030-01-01 00:00:00+00', 'K60: a fetched export shows who holds it and since when');
select is(pg_temp.does($$ update public.export_jobs set progress = 25 $$), '1', 'K61: the worker reports progress');
select is(pg_temp.does($$ update public.export_jobs set progress = 25 $$), '1', 'K61: the same progress twice is no error');
select pg_temp.row_is('processing 25 1', 'K61: the progress shows');
select is(pg_temp.does($$ update public.export_jobs set progress = 150 $$), 'GM004', 'K61: progress past 100 is refused');
select is(pg_temp.does($$ update public.export_jobs set progress = -1 $$), 'GM004', 'K61: progress below 0 is refused');
select is(pg_temp.does($$ update public.export_jobs set attempts = 0 $$), 'GM004', 'K61: the service changes no attempts');
select is(pg_temp.does($$ update public.export_jobs set user_id = '00000000-0000-4000-8000-0000000000a2' $$), 'GM004', 'K61: the service gives no export to another user');
select is(pg_temp.does($$ update public.export_jobs set status = 'completed', progress = 100, result_url = '00000000-0000-4000-8000-0000000000a1/00000000-0000-4000-8000-0000000000d1_1.pdf', file_size = 9, page_count = 1 $$),
  'GM055', 'K61: a completion without a stored file is refused');
select is(pg_temp.does($$ update public.export_jobs set status = 'completed', progress = 100, file_size = 9 $$), 'GM055', 'K61: a completion that names no file is refused');
select is(pg_temp.does($$ update public.export_jobs set status = 'completed', result_url = 'http://127.0.0.1/storage/v1/object/sign/avatars/a.pdf?token=x' $$), 'GM055', 'K61: a completion with another object of our storage is refused');
select public.note_object('exports:00000000-0000-4000-8000-0000000000a2/00000000-0000-4000-8000-0000000000d2_1.pdf', 1234, 'application/pdf');
select is(pg_temp.does($$ update public.export_jobs set status = 'completed', result_url = '00000000-0000-4000-8000-0000000000a2/00000000-0000-4000-8000-0000000000d2_1.pdf' $$), 'GM055',
  'K61: a completion with a file of another user is refused');
select public.note_object('exports:00000000-0000-4000-8000-0000000000a1/00000000-0000-4000-8000-0000000000d1_1.pdf', 1234, 'application/pdf');
select pg_temp.row_is('processing 25 1', 'K61: refused completions change nothing');
set mill.now = '2030-01-01 00:01+00';
select is(pg_temp.does($$ update public.export_jobs set status = 'completed', progress = 100, file_size = 9, page_count = 3, completed_at = '2020-01-01',
  result_url = 'http://127.0.0.1:1/storage/v1/object/sign/exports/00000000-0000-4000-8000-0000000000a1/00000000-0000-4000-8000-0000000000d1_1.pdf?token=a.b' $$), '1',
  'K61: a completion with a stored file is taken, by its signed URL');
select pg_temp.row_is('completed 100 1 http://127.0.0.1:1/storage/v1/object/sign/exports/00000000-0000-4000-8000-0000000000a1/00000000-0000-4000-8000-0000000000d1_1.pdf?token=a.b 1234 3',
  'K61: the size of a completed export is that of the stored file, whatever the worker said');
select is(pg_temp.does($$ update public.export_jobs set status = 'completed', progress = 100, page_count = 3, completed_at = now() $$), '1', 'K61: a repeated completion is no error');
select is(pg_temp.does($$ update public.export_jobs set status = 'failed', error_message = 'x' $$), 'GM056', 'K61: an export that has ended does not fail afterwards');

select pg_temp.ask();
select is((select count(*)::int from public.fetch_next_export_job()), 1, 'a second export is fetched');
select is(pg_temp.does($$ update public.export_jobs set status = 'pending', error_message = 'browser crashed', run_after = '2030-01-01 00:06+00' where status = 'processing' $$), '1', 'K61: the worker gives a job back');
select pg_temp.row_is('pending 0 1 browser crashed', 'K61: a job that was given back is pending, with its error and its attempt counted');
select is((select run_after from public.export_jobs where status = 'pending'), timestamptz '2030-01-01 00:06+00', 'K61: a job that was given back waits until run_after');
select is((select count(*)::int from public.fetch_next_export_job('00000000-0000-4000-8000-0000000000a1')), 0, 'K61: a job is not fetched before run_after');
set mill.now = '2030-01-01 00:06+00';
select is((select attempts from public.fetch_next_export_job('00000000-0000-4000-8000-0000000000a1')), 2, 'K61: a job is fetched again at run_after');
select is(pg_temp.does($$ update public.export_jobs set status = 'failed', error_message = 'no such template', completed_at = now() where status = 'processing' $$), '1', 'K61: the worker fails a job');
select pg_temp.row_is('failed 0 2 no such template', 'K61: a failed job shows its error');

select pg_temp.ask();
select is((select count(*)::int from public.fetch_next_export_job()), 1, 'a third export is fetched');
select is(pg_temp.does($$ update public.export_jobs set status = 'completed', progress = 100, result_url = 'https://cdn.example/a.pdf', file_size = 77, page_count = 2 where status = 'processing' $$), '1',
  'K61: a completion with an address outside our storage is taken without a file');
select pg_temp.row_is('completed 100 1 https://cdn.example/a.pdf 77 2', 'K61: such an export shows the address');

-- Our own worker holds a job.
select pg_temp.ask();
do $$ begin perform public.claim_jobs('ours', array['exports'], 1); end $$;
select is(pg_temp.does($$ update public.export_jobs set status = 'failed', error_message = 'x' where status = 'processing' $$), 'GM056', 'K4: a job that our own worker holds is not reached');
select pg_temp.ask(2); -- one export of a user is made at a time
select is((select count(*)::int from public.fetch_next_export_job()), 1, 'a compat worker holds a job beside it');
set mill.now = '2030-01-01 00:21:01+00';
select is(pg_temp.does($$ update public.export_jobs set progress = 9 where status = 'processing' and locked_by = 'ours' $$), 'GM056', 'K61: a job that is over 15 minutes old takes no progress of others');
select is(pg_temp.does($$ update public.export_jobs set status = 'pending', error_message = 'stuck', run_after = now() where status = 'processing' and started_at < '2030-01-01 00:06:01+00' $$), '1',
  'K61: of the jobs that began over 15 minutes ago only the one under a compat lease is given back');
select is((select string_agg(locked_by, ',') from public.export_jobs where status = 'processing'), 'ours', 'K4: our own worker still holds the job that began over 15 minutes ago');
select * from finish();
