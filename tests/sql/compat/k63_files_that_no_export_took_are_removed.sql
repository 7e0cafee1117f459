select plan(4);
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


select pg_temp.as('authenticated', '00000000-0000-4000-8000-0000000000a1');
insert into public.export_jobs (user_id, document_id, format) values ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000d1', 'pdf');
select pg_temp.as('service_role');
do $$ begin perform public.fetch_next_export_job(); end $$;
select public.note_object('exports:00000000-0000-4000-8000-0000000000a1/00000000-0000-4000-8000-0000000000d1_1.pdf', 10, 'application/pdf');
select public.note_object('exports:00000000-0000-4000-8000-0000000000a1/00000000-0000-4000-8000-0000000000ff_1.pdf', 10, 'application/pdf');
select public.note_object('exports:templates/logo.pdf', 10, 'application/pdf');
reset role;
set mill.now = '2030-01-01 00:10+00';
select is(mill.cleanup_export_files(10) -> 'remove', '[]', 'K63: a file of an export that is being made stays');
set mill.now = '2030-01-01 02:00+00';
select is(mill.cleanup_export_files(10) -> 'remove', '[]', 'K63: a file of an export stays while a worker holds the job, however old it is');
select pg_temp.as('service_role');
select is(pg_temp.does($$ update public.export_jobs set status = 'failed', error_message = 'gone' $$), '1', 'the stuck job is failed');
reset role;
select is(mill.cleanup_export_files(10) -> 'remove', '["exports:00000000-0000-4000-8000-0000000000a1/00000000-0000-4000-8000-0000000000d1_1.pdf"]',
  'K63: a file that no export took is removed after an hour, and files that are none of ours stay');
select * from finish();
