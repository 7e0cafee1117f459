select plan(30);
select set_config('request.jwt.claims', '{"role": "service_role"}', false);
grant execute on all functions in schema tap to service_role, authenticated;
set role service_role;
insert into public.workflow_definition (type, tasks, documents) values ('album', '[]', null);
create temp table job as select id, user_id from (select null::uuid as id, null::uuid as user_id) x where false;
grant all on job to authenticated;
with row as (insert into public.jobs (user_id, type, params, status) values ('00000000-0000-4000-8000-00000000000a', 'album', '{}', 'queued') returning *)
insert into job select id, user_id from row;
select results_eq($$ select status, progress ->> 'percent' from public.jobs $$, $$ values ('queued', '0') $$, 'K71: a job whose tasks are still to come is queued');

-- Two documents. The PDF of the first stands before its text in the statement, not in the sequence.
create temp table inserted (id uuid, status text, attempts int, max_attempts int);
with row as (
  insert into public.job_tasks (job_id, task_type, sequence, input)
  select j.id, t.task_type, t.sequence, t.input from job j, (values
    ('pdf_generation', 2, '{"doc": 1}'::jsonb), ('text_generation', 1, '{"doc": 1}'), ('audio_generation', 3, '{"doc": 1}'),
    ('text_generation', 4, '{"doc": 2}'), ('pdf_generation', 5, '{"doc": 2}'), ('audio_generation', 6, '{"doc": 2}')) as t(task_type, sequence, input)
  returning *)
insert into inserted select id, status, attempts, max_attempts from row;
select results_eq('select count(distinct id)::int, status, attempts, max_attempts from inserted group by 2, 3, 4', $$ values (6, 'pending', 0, 3) $$,
  'K71: service_role inserts tasks and gets the rows back');
select results_eq('select task_type, sequence, status, input, attempts, max_attempts from public.job_tasks order by sequence', $$ values
  ('text_generation', 1, 'pending', '{"doc": 1}'::jsonb, 0, 3), ('pdf_generation', 2, 'pending', '{"doc": 1}', 0, 3), ('audio_generation', 3, 'pending', '{"doc": 1}', 0, 3),
  ('text_generation', 4, 'pending', '{"doc": 2}', 0, 3), ('pdf_generation', 5, 'pending', '{"doc": 2}', 0, 3), ('audio_generation', 6, 'pending', '{"doc": 2}', 0, 3) $$,
  'K71: inserted tasks are pending, as they were inserted');

create temp table held as select * from public.claim_tasks('w', 9);
select results_eq('select sequence from held order by 1', 'values (1), (4)', 'K71: a PDF and a recording wait for their text, wherever they stand in the statement');
select results_eq('select distinct status from held', $$ values ('claimed') $$, 'K73: claim_tasks hands tasks out as claimed');
select results_eq('select h.id, h.job_id, h.task_type, h.sequence, h.status, h.input, h.output, h.worker_id, h.claimed_at, h.heartbeat_at, h.attempts, h.max_attempts, h.error from held h order by 1',
  $$ select t.id, t.job_id, t.task_type, t.sequence, t.status, t.input, t.output, t.worker_id, t.claimed_at, t.heartbeat_at, t.attempts, t.max_attempts, t.error
     from public.job_tasks t where t.status = 'claimed' order by 1 $$, 'K73: claim_tasks answers what job_tasks shows');
select is(public.heartbeat_task(id, 'other'), false, 'K73: a heartbeat of another worker is not taken') from held where sequence = 4;
select is(public.heartbeat_task(id, 'w'), true, 'K73: the heartbeat of the holder is taken') from held where sequence = 4;
select results_eq('select sequence, status from public.job_tasks where worker_id = ''w'' order by 1', $$ values (1, 'claimed'), (4, 'processing') $$,
  'K73: a task is processing from its first heartbeat on');
select is(public.complete_task(id, 'w', '{"text": "second"}'), true, 'K73: the second text is completed') from held where sequence = 4;
select results_eq('select sequence from public.claim_tasks(''w'', 9) order by 1', 'values (5), (6)', 'K71: a PDF and a recording follow the nearest text before them, and no other');
select results_eq($$ select status, output, worker_id, attempts from public.job_tasks where sequence = 4 $$, $$ values ('complete', '{"text": "second"}'::jsonb, 'w', 1) $$,
  'K71: a completed task shows its output and who did it');
select is((select status from public.jobs), 'processing', 'K70: the job is processing');

-- Failures.
select is(public.fail_task(id, 'w', 'the model is away'), true, 'K73: fail_task takes a sentence') from held where sequence = 1;
select results_eq($$ select status, error from public.job_tasks where sequence = 1 $$, $$ values ('pending', 'the model is away') $$, 'K71: a failed attempt is pending again, with its error');
reset role; update mill.job_live set run_at = now() - interval '1 s' where waits; select mill.promote(); set role service_role;
select is((select attempts from public.claim_tasks('v', 1, array['text_generation'])), 2, 'K71: a second attempt is counted');

-- A late one, and the end.
insert into public.job_tasks (job_id, task_type, sequence, input, status) select id, 'finalization', 7, '{"list": true}', 'pending' from job;
select is((select count(*)::int from public.claim_tasks('w', 9, array['finalization'])), 0, 'K71: a finalization waits for everything before it');
select public.complete_task(id, worker_id, '{}') from public.job_tasks where status in ('claimed', 'processing');
select results_eq('select public.complete_task(id, ''w'', ''{}'') from public.claim_tasks(''w'', 9)', 'values (true), (true)', 'K71: the first document is completed');
select is((select count(*)::int from public.job_tasks where status = 'complete'), 6, 'K71: six tasks are complete');
select is(public.complete_task(id, 'w', '{}'), true, 'K71: the finalization comes last') from public.claim_tasks('w', 9);
select results_eq($$ select status, progress ->> 'percent' from public.jobs $$, $$ values ('complete', '100') $$, 'K71: a job all of whose inserted tasks are complete is complete');

-- Order.
with row as (insert into public.jobs (user_id, type) values ('00000000-0000-4000-8000-00000000000b', 'album') returning *)
insert into public.job_tasks (job_id, task_type, sequence, input) select row.id, t.task_type, t.sequence, '{}' from row, (values
  ('echo', 3), ('calculation', 2), ('echo', 1), ('echo', 4)) as t(task_type, sequence);
select results_eq('select sequence from public.claim_tasks(''w'', 9, array[''echo''])', 'values (1), (3), (4)', 'K71: tasks that wait for nothing are claimed in the order of their sequence');

-- What is refused.
select throws_ok($$ insert into public.job_tasks (job_id, task_type, sequence, input) select id, 'echo', 8, '{}' from job $$, 'GM067', 'the job is completed already', 'K71: a job that has ended takes no task');
select throws_ok($$ insert into public.job_tasks (job_id, task_type, sequence, input) values (gen_random_uuid(), 'echo', 1, '{}') $$, '23503', null, 'K71: a task of no job is refused');
with row as (insert into public.jobs (user_id, type) values ('00000000-0000-4000-8000-00000000000a', 'echo'), ('00000000-0000-4000-8000-00000000000a', 'album') returning *)
insert into job select id, user_id from row;
select throws_ok($$ insert into public.job_tasks (job_id, task_type, sequence, input) select id, 'echo', 1, '{}' from public.jobs where type = 'echo' $$, '42501',
  'the tasks of a job of this type come from its definition', 'K71: a job that has a definition takes no task');
select throws_ok($$ insert into public.job_tasks (job_id, task_type, sequence, input) select id, 'nope', 1, '{}' from public.jobs where type = 'album' and status = 'queued' and user_id = '00000000-0000-4000-8000-00000000000a' $$, 'GM001', null, 'K71: a task of an unknown type is refused');
select throws_ok($$ insert into public.job_tasks (job_id, task_type, sequence, input, status) select id, 'echo', 1, '{}', 'complete' from public.jobs where type = 'album' and status = 'queued' and user_id = '00000000-0000-4000-8000-00000000000a' $$, '42501', null,
  'K71: a task is not inserted as complete');
select throws_ok($$ insert into public.job_tasks (job_id, task_type, sequence, input) select id, 'echo', 1, '[]' from public.jobs where type = 'album' and status = 'queued' and user_id = '00000000-0000-4000-8000-00000000000a' $$, 'GM066', null, 'K71: an input is an object');
select throws_ok($$ update public.job_tasks set status = 'complete' $$, '55000', null, 'K71: the service updates no task: RPCs do');
select is((select count(*)::int from public.job_tasks t join public.jobs j on j.id = t.job_id where j.type = 'album' and j.user_id = '00000000-0000-4000-8000-00000000000a' and j.status = 'queued'), 0, 'K71: what was refused has left no task');
select * from finish();
