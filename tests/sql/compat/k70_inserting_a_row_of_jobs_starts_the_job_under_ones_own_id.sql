select plan(22);
create function pg_temp.be(p_role text, p_sub text default null) returns void language sql as $$
  select set_config('request.jwt.claims', jsonb_strip_nulls(jsonb_build_object('role', p_role, 'sub', p_sub))::text, false), set_config('role', p_role, false) $$;
create function pg_temp.everything() returns text language sql security definer as $$
  select md5(concat((select jsonb_agg(w order by w.id) from mill.workflow w), (select jsonb_agg(t order by t.id) from mill.task t), (select count(*) from mill.job))) $$;
grant execute on all functions in schema tap to anon, authenticated, service_role;
grant execute on function pg_temp.everything() to anon, authenticated, service_role;
create temp table made (id uuid, status text, progress jsonb); grant all on made to authenticated, service_role;

select pg_temp.be('authenticated', '00000000-0000-4000-8000-00000000000a');
-- As PostgREST sends insert(…).select().single().
with row as (insert into public.jobs (user_id, type, params, status) values ('00000000-0000-4000-8000-00000000000a', 'echo', '{"message": "hi"}', 'queued') returning *)
insert into made select id, status, progress from row;
select is((select status from made), 'queued', 'K70: an inserted job comes back with the status queued');
select is((select progress from made), '{"percent": 0, "phase": "queued", "docsComplete": 0, "docsTotal": 0, "message": "Queued"}'::jsonb,
  'K70: an inserted job comes back with its progress');
select results_eq('select id, user_id, type, params from public.jobs',
  $$ select id, '00000000-0000-4000-8000-00000000000a'::uuid, 'echo', '{"message": "hi"}'::jsonb from made $$, 'K70: a user sees the own job');
select is((select count(*)::int from public.job_tasks where job_id = (select id from made) and status = 'pending'), 2, 'K70: inserting a job makes its tasks');

-- What a user may not do.
create temp table before as select pg_temp.everything() as sum; grant select on before to anon, authenticated;
select throws_ok($$ insert into public.jobs (user_id, type, params, status) values ('00000000-0000-4000-8000-00000000000b', 'echo', '{}', 'queued') $$,
  '42501', null, 'K70: a user starts no job under another user''s id');
select throws_ok($$ insert into public.jobs (user_id, type, params, status) values ('00000000-0000-4000-8000-00000000000a', 'echo', '{}', 'complete') $$,
  '42501', null, 'K70: a user inserts no job that is complete');
select throws_ok($$ insert into public.jobs (user_id, type, params, status, progress) values ('00000000-0000-4000-8000-00000000000a', 'echo', '{}', 'queued', '{"percent": 100}') $$,
  '42501', null, 'K70: a user sets no progress');
select throws_ok($$ insert into public.jobs (id, user_id, type) values (gen_random_uuid(), '00000000-0000-4000-8000-00000000000a', 'echo') $$,
  '42501', null, 'K70: a user chooses no id of a job');
select throws_ok($$ update public.jobs set status = 'complete' $$, '55000', null, 'K70: a user updates no job');
select throws_ok($$ delete from public.jobs $$, '55000', null, 'K70: a user deletes no job');
select throws_ok($$ insert into public.job_tasks (job_id, task_type, sequence, input) select id, 'echo', 1, '{}' from made $$, '42501', null, 'K71: a user inserts no task');
select throws_ok($$ insert into public.job_artifacts (job_id, task_id, artifact_type, storage_path)
  select job_id, id, 'pdf', '00000000-0000-4000-8000-00000000000a/' || job_id || '/pdf/x.pdf' from public.job_tasks limit 1 $$, '42501', null, 'K72: a user inserts no artifact');
reset role; select pg_temp.be('authenticated', '00000000-0000-4000-8000-00000000000b');
select is((select count(*)::int from public.jobs) + (select count(*)::int from public.job_tasks), 0, 'K70: another user sees neither the job nor its tasks');
reset role; select pg_temp.be('authenticated');
select throws_ok($$ insert into public.jobs (user_id, type) values ('00000000-0000-4000-8000-00000000000a', 'echo') $$, '42501', null, 'K70: a token without a user starts no job');
reset role; select pg_temp.be('anon');
select throws_ok($$ select from public.jobs $$, '42501', null, 'K70: anon sees no jobs');
select throws_ok($$ insert into public.jobs (user_id, type) values ('00000000-0000-4000-8000-00000000000a', 'echo') $$, '42501', null, 'K70: anon starts no job');
select is(pg_temp.everything(), (select sum from before), 'K70: what was refused has changed nothing');
reset role;

-- The words of its life.
select pg_temp.be('service_role');
create temp table step as select * from public.claim_tasks('w');
select results_eq($$ select status, progress ->> 'percent', progress ->> 'phase' from public.jobs $$, $$ values ('processing', '5', 'listen') $$,
  'K70: a job whose task was claimed is processing');
select public.complete_task(id, 'w', '{"echo": {"message": "hi"}}') from step;
select public.complete_task(id, 'w', '{}') from public.claim_tasks('w');
select results_eq($$ select status, progress ->> 'percent', progress ->> 'phase' from public.jobs $$, $$ values ('complete', '100', 'complete') $$,
  'K70: a job all of whose tasks are complete is complete');
select lives_ok($$ insert into public.jobs (user_id, type, params, status) values ('00000000-0000-4000-8000-00000000000b', 'echo', '{}', 'queued') $$,
  'K70: the service starts a job for a user');
select throws_ok($$ insert into public.jobs (type) values ('echo') $$, '42501', null, 'K70: the service names the user of a job');
select public.cancel_workflow(id) from public.jobs where status = 'queued';
select is((select status from public.jobs where user_id = '00000000-0000-4000-8000-00000000000b'), 'cancelled', 'K70: a job that was cancelled says so');
select * from finish();
