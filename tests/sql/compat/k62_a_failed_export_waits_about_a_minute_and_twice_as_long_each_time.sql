select plan(3);
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



insert into public.documents (id, owner, title) select gen_random_uuid(), '00000000-0000-4000-8000-0000000000a1', 'D' || n from generate_series(1, 60) n;
update mill.queue set max_running = null, max_running_per_group = null where queue = 'exports';
select pg_temp.as('authenticated', '00000000-0000-4000-8000-0000000000a1');
insert into public.export_jobs (user_id, document_id) select '00000000-0000-4000-8000-0000000000a1', d.id from public.documents d;
select pg_temp.as('service_role');
create temp table waits (attempt int, seconds numeric);
-- 61 jobs, four attempts each; a worker that names no run_after leaves the delay to us.
do $$
begin
  for v_attempt in 1 .. 4 loop
    while exists (select from public.fetch_next_export_job()) loop null; end loop;
    update public.export_jobs set status = 'pending', error_message = 'crashed' where status = 'processing';
    insert into waits select attempts, extract(epoch from run_after - current_setting('mill.now')::timestamptz) from public.export_jobs where status = 'pending';
    perform set_config('mill.now', (current_setting('mill.now')::timestamptz + interval '2 hours')::text, false);
  end loop;
end $$;
select is((select count(*)::int from waits), 244, 'every job waited after every attempt');
select is((select count(*)::int from waits where seconds not between 60 * 2 ^ (attempt - 1) * 0.9 - 0.001 and 60 * 2 ^ (attempt - 1) * 1.1 + 0.001), 0,
  'K62: a failed export waits 60 s, doubled with each attempt, give or take a tenth');
reset role;
select ok((select min(s) >= 3240 and max(s) <= 3960 and max(s) - min(s) > 100 from (
  select extract(epoch from mill.backoff(a, q.backoff_base_seconds, q.backoff_cap_seconds, q.backoff_jitter)) as s
  from mill.queue q, generate_series(7, 40) a where q.queue = 'exports') d), 'K62: the delay ends at an hour, give or take a tenth');
select * from finish();
