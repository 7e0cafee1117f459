select plan(6);
set mill.now = '2030-01-01 00:00+00';
update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds';
update mill.queue set max_lease_losses = 20, max_attempts = 20 where queue = 'exports';
select set_config('request.jwt.claims', '{"role": "service_role"}', false);
create function pg_temp.progress(p_progress int) returns bigint language plpgsql as $$
declare
  v_rows bigint;
begin
  update public.export_jobs set progress = p_progress;
  get diagnostics v_rows = row_count;
  return v_rows;
exception when others then
  return 0;
end $$;
grant execute on all functions in schema tap to service_role;
insert into public.documents (id, owner, title, data) values ('00000000-0000-4000-8000-0000000000d1', '00000000-0000-4000-8000-00000000000a', 'CV', '{}');
set role service_role;
insert into public.export_jobs (user_id, document_id, format) values ('00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-0000000000d1', 'pdf');
select public.fetch_next_export_job();
set mill.now = '2030-01-01 01:00+00';
select public.tick();
set mill.now = '2030-01-01 02:00+00';
select public.tick();
select is((select count(*)::int from public.fetch_next_export_job()), 1, 'another client of fetch_next_export_job holds the export now');
select is(pg_temp.progress(40), 1::bigint, 'K4: an update of export_jobs serves the new holder of an export that has lost a lease');
select is((select progress from public.export_jobs), 40, 'K4: the progress is that of the new holder');
set mill.now = '2030-01-01 04:00+00';
select public.tick();
set mill.now = '2030-01-01 06:00+00';
select public.tick();
select is(jsonb_array_length(public.claim_jobs('ours', array['exports'], 1)), 1, 'our own worker claims the export');
create temp table before as select * from public.export_jobs;
select pg_temp.progress(90);
select results_eq('select * from public.export_jobs', 'table before', 'K4: an update of export_jobs does not reach an export that our own worker holds');
reset role;
select is((select worker from mill.job_live where kind = 'export_pdf'), 'ours', 'K4: our own worker still holds the export');
select * from finish();
