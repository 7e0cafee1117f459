select plan(11);
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


insert into public.documents (id, owner, title) select ('00000000-0000-4000-8000-0000000001' || to_char(n, 'FM00'))::uuid, '00000000-0000-4000-8000-0000000000a1', 'D' || n from generate_series(1, 5) n;
select pg_temp.as('authenticated', '00000000-0000-4000-8000-0000000000a2');
insert into public.export_jobs (user_id, document_id) values ('00000000-0000-4000-8000-0000000000a2', '00000000-0000-4000-8000-0000000000d2');
select pg_temp.as('authenticated', '00000000-0000-4000-8000-0000000000a1');
insert into public.export_jobs (user_id, document_id) select '00000000-0000-4000-8000-0000000000a1', d.id from public.documents d;
select is(pg_temp.does('select * from public.fetch_next_export_job()'), '42501', 'K62: a user fetches no job');
select pg_temp.as('service_role');
select is((select to_jsonb(f) - 'id' - 'document_id' - 'options' from public.fetch_next_export_job('00000000-0000-4000-8000-0000000000a1') f),
  '{"user_id": "00000000-0000-4000-8000-0000000000a1", "format": "pdf", "status": "processing", "progress": 0, "attempts": 1, "max_attempts": 5, "run_after": "2030-01-01T00:00:00+00:00",
    "result_url": null, "file_size": null, "page_count": null, "error_message": null, "locked_by": "fetch_next_export_job", "started_at": "2030-01-01T00:00:00+00:00", "completed_at": null,
    "created_at": "2030-01-01T00:00:00+00:00"}', 'K62: the row has all columns of export_jobs');
select is((select user_id::text from public.fetch_next_export_job('00000000-0000-4000-8000-0000000000a1')), '00000000-0000-4000-8000-0000000000a1', 'K62: a second job of the user is fetched');
select is((select count(*)::int from public.fetch_next_export_job('00000000-0000-4000-8000-0000000000a1')), 1, 'K62: a third too');
select is((select count(*)::int from public.fetch_next_export_job('00000000-0000-4000-8000-0000000000a1')), 0, 'K62: no fourth, because three of one user run at a time');
select is((select user_id::text from public.fetch_next_export_job(null)), '00000000-0000-4000-8000-0000000000a2', 'K62: null is any user');
select is((select count(*)::int from public.fetch_next_export_job()), 0, 'K62: nothing is left that the caps allow');
select is((select count(*)::int from public.fetch_next_export_job(gen_random_uuid())), 0, 'K62: a user without jobs has nothing to fetch');
reset role;
select is((select count(distinct lease_until - started_at) || ' ' || min(lease_until - started_at) from mill.job_live where state = 'processing'), '1 00:15:00', 'K62: each is leased for 15 minutes');
set mill.now = '2030-01-01 00:15:01+00';
do $$ begin perform mill.reclaim(); end $$;
select is((select count(*)::int from mill.job_live where state = 'processing'), 0, 'K62: the jobs of a worker that died return after 15 minutes');
select pg_temp.as('service_role');
select is(pg_temp.does($$ update public.export_jobs set progress = 50 where attempts = 1 $$), 'GM056', 'K62: who lost the lease writes nothing');
select * from finish();
