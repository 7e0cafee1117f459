select plan(25);
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
create temp table made as with made as (
  insert into public.export_jobs (user_id, document_id, format, options, status)
  values ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000d1', 'pdf',
    '{"templateSlug": "modern", "pageSize": "Letter", "quality": "normal", "colorMode": "grayscale"}', 'pending') returning *) select * from made;
select is((select to_jsonb(m) - 'id' - 'created_at' - 'run_after' from made m), jsonb '{"user_id": "00000000-0000-4000-8000-0000000000a1", "document_id": "00000000-0000-4000-8000-0000000000d1",
  "format": "pdf", "options": {"templateSlug": "modern", "pageSize": "Letter", "quality": "normal", "colorMode": "grayscale", "margins": {"top": 0.8, "left": 0.85, "right": 0.85, "bottom": 0.8}},
  "status": "pending", "progress": 0, "attempts": 0, "max_attempts": 5, "result_url": null, "file_size": null, "page_count": null, "error_message": null, "locked_by": null,
  "started_at": null, "completed_at": null}', 'K61: a user who inserts an export gets the whole row back, with the compatible options');
select is((select id from made), pg_temp.job(), 'the row that comes back is that of the export');

create temp table before as select * from public.export_jobs;
create function pg_temp.refused(p_statement text, p_code text, p_claim text) returns text language sql as $$
  select is(pg_temp.does(p_statement) || case when exists (select * from public.export_jobs except select * from before) then ' and changed something' else '' end, p_code, p_claim) $$;
select pg_temp.refused($$ update public.export_jobs set status = 'completed', progress = 100, result_url = 'https://elsewhere.example/a.pdf' $$, '42501', 'K61: a user completes no export');
select pg_temp.refused($$ update public.export_jobs set status = 'processing' $$, '42501', 'K61: a user starts no export');
select pg_temp.refused($$ update public.export_jobs set status = 'failed', error_message = 'x' $$, '42501', 'K61: a user fails no export');
select pg_temp.refused($$ update public.export_jobs set progress = 50 $$, '42501', 'K61: a user sets no progress');
select pg_temp.refused($$ update public.export_jobs set progress = 150 $$, '42501', 'K61: a user sets no progress past 100');
select pg_temp.refused($$ update public.export_jobs set result_url = 'https://elsewhere.example/a.pdf' $$, '42501', 'K61: a user sets no result_url');
select pg_temp.refused($$ update public.export_jobs set attempts = 0, max_attempts = 99 $$, '42501', 'K61: a user changes no attempts');
select pg_temp.refused($$ update public.export_jobs set user_id = '00000000-0000-4000-8000-0000000000a2' $$, '42501', 'K61: a user gives no export to another user');
select pg_temp.refused($$ update public.export_jobs set status = 'cancelled', run_after = now() + interval '1 day' $$, '42501', 'K61: a user who cancels changes nothing else with it');
select pg_temp.refused($$ insert into public.export_jobs (user_id, document_id, status) values ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000d1', 'completed') $$, '42501', 'K61: a user inserts no completed export');
select pg_temp.refused($$ insert into public.export_jobs (user_id, document_id, progress) values ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000d1', 150) $$, '42501', 'K61: a user inserts no export with progress');
select pg_temp.refused($$ insert into public.export_jobs (user_id, document_id, result_url) values ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000d1', 'https://elsewhere.example/a.pdf') $$, '42501', 'K61: a user inserts no export with a result_url');
select pg_temp.refused($$ insert into public.export_jobs (user_id, document_id, max_attempts) values ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000d1', 99) $$, '42501', 'K61: a user inserts no export with more attempts');
select pg_temp.refused($$ insert into public.export_jobs (user_id, document_id) values ('00000000-0000-4000-8000-0000000000a2', '00000000-0000-4000-8000-0000000000d2') $$, '42501', 'K61: a user inserts no export in the name of another');
select pg_temp.refused($$ insert into public.export_jobs (user_id, document_id) values ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000d2') $$, 'GM050', 'K61: a user exports no document of another');
select pg_temp.refused($$ insert into public.export_jobs (user_id, document_id, format) values ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000d1', 'docx') $$, 'GM004', 'K61: another format than pdf is refused');
select pg_temp.refused($$ delete from public.export_jobs $$, '55000', 'K61: a user deletes no export job');

select pg_temp.as('authenticated', '00000000-0000-4000-8000-0000000000a2');
select is((select count(*)::int from public.export_jobs), 0, 'K61: another user sees no export of the first');
select is(pg_temp.does($$ update public.export_jobs set status = 'cancelled', completed_at = now() $$), '0', 'K61: another user cancels no export of the first');
reset role;
select set_config('request.jwt.claims', '{"role": "anon"}', false);
set role anon;
select is(pg_temp.does($$ select from public.export_jobs $$), '42501', 'K61: anon reads no export');
select pg_temp.as('authenticated', '00000000-0000-4000-8000-0000000000a1');
select is(pg_temp.does($$ update public.export_jobs set status = 'cancelled', completed_at = '2020-01-01' where status = 'pending' $$), '1', 'K61: a user cancels an own pending export');
select results_eq('select status, completed_at from public.export_jobs', $$ values ('cancelled', timestamptz '2030-01-01 00:00+00') $$, 'K61: the cancelled export shows when it ended, by our clock');
select is(pg_temp.does($$ update public.export_jobs set status = 'pending' $$), '42501', 'K61: a user does not bring a cancelled export back');
select * from finish();
