select plan(29);
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


create function pg_temp.path(p_n int) returns text language sql as $$
  select format('00000000-0000-4000-8000-0000000000a1/00000000-0000-4000-8000-0000000000d1_%s.pdf', p_n) $$;
create function pg_temp.used() returns bigint language sql security definer as $$ select mill.export_storage_used('00000000-0000-4000-8000-0000000000a1') $$;
-- The compat worker up to its upload.
create function pg_temp.fetch(p_n int) returns void language plpgsql as $$
begin
  perform pg_temp.as('authenticated', '00000000-0000-4000-8000-0000000000a1');
  insert into public.export_jobs (user_id, document_id, format, options) values ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000d1', 'pdf', '{}');
  perform pg_temp.as('service_role');
  perform public.fetch_next_export_job();
  perform public.note_object('exports:' || pg_temp.path(p_n), 1000, 'application/pdf');
end $$;
create function pg_temp.insert(p_n int) returns text language sql as $$
  select pg_temp.does(format($q$ insert into public.export_history (user_id, document_id, document_version, format, template_slug, file_name, file_path, file_size, download_count, expires_at)
    values ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000d1', 1, 'pdf', 'mine', 'Resume of Ada.pdf', %L, 5, 0, now()) returning * $q$, pg_temp.path(p_n))) $$;

select pg_temp.as('service_role');
select is(pg_temp.insert(1), 'GM055', 'K63: a row without a stored file is refused');
select public.note_object('exports:' || pg_temp.path(9), 10, 'application/pdf');
select is(pg_temp.insert(9), 'GM050', 'K63: a row for a file that no export has is refused');
select pg_temp.fetch(1);
select is(pg_temp.does(format($$ update public.export_jobs set status = 'completed', progress = 100, result_url = %L, page_count = 2 where status = 'processing' $$, pg_temp.path(1))), '1', 'the worker completes with the path');
select is(pg_temp.insert(1), '1', 'K63: the service inserts the row after it completed the job');
select results_eq($$ select document_version, format, template_slug, file_name, file_path, file_size, download_count, expires_at from public.export_history $$,
  $$ values (1, 'pdf', 'mine', 'Resume of Ada.pdf', pg_temp.path(1), 1000, 0, timestamptz '2030-01-08 00:00+00') $$,
  'K63: the row has the description of the worker, and the size and expiry that are true');
select is((select h.id from public.export_history h), (select j.id from public.export_jobs j), 'K63: the id of a row is that of its export');
select is(pg_temp.insert(1), '1', 'K63: the same row inserted again is one row');
select pg_temp.fetch(2);
select is(pg_temp.insert(2), '1', 'K63: the service inserts the row before it completes the job');
select is(pg_temp.does(format($$ update public.export_jobs set status = 'completed', progress = 100, result_url = %L where status = 'processing' $$, 'exports/' || pg_temp.path(2))), '1', 'the worker completes with the path behind the bucket');
select is((select string_agg(file_name, ',') from public.export_history), 'Resume of Ada.pdf,Resume of Ada.pdf', 'K63: completing keeps the description');
select is(pg_temp.used(), 2000::bigint, 'K63: both files count against the quota');
select is(pg_temp.does($$ update public.export_history set download_count = 7 $$), '42501', 'K63: nobody updates a row');

select pg_temp.as('authenticated', '00000000-0000-4000-8000-0000000000a2');
select is((select count(*)::int from public.export_history), 0, 'K63: another user sees no row');
select is(pg_temp.does('delete from public.export_history'), '0', 'K63: another user deletes no row');
select ok(not public.can_access_object('exports:' || pg_temp.path(1)), 'K63: another user reads no file');
select is(pg_temp.insert(1), '42501', 'K63: a user inserts no row');
reset role;
select set_config('request.jwt.claims', '{"role": "anon"}', false);
set role anon;
select is(pg_temp.does('delete from public.export_history'), '42501', 'K63: anon deletes no row');
select is(pg_temp.does('select from public.export_history'), '42501', 'K63: anon reads no row');
select pg_temp.as('authenticated', '00000000-0000-4000-8000-0000000000a1');
select is((select count(*)::int from public.export_history), 2, 'K63: a user reads own rows');
select ok(public.can_access_object('exports:' || pg_temp.path(1)), 'K63: a user reads an own file');
select ok(not public.can_write_object('exports:' || pg_temp.path(3)), 'K63: a user stores nothing in the bucket');
select ok(not public.can_remove_object('exports:' || pg_temp.path(1)), 'K63: a user removes no object past its row');
select is(pg_temp.does(format('delete from public.export_history where file_path = %L', pg_temp.path(1))), '1', 'K63: a user deletes an own row');
select is(pg_temp.used(), 1000::bigint, 'K63: the quota is free at once');
select ok(not public.can_access_object('exports:' || pg_temp.path(1)), 'K63: the file is closed at once');
select is((select count(*)::int from public.export_jobs where result_url is not null), 1, 'K63: the export has no result_url any more');
reset role;
select is(mill.cleanup_export_files(10) -> 'remove', jsonb_build_array('exports:' || pg_temp.path(1)), 'K63: the next cleanup removes the object');
select is((select count(*)::int from mill.event where code = 'export_files_not_removed'), 0, 'a file that was deleted is not reported as stuck');
select is(mill.confirm_export_files(array['exports:' || pg_temp.path(1)]) ->> 'removed', '1', 'K63: and then the row of the file goes');
select * from finish();
