select plan(13);
select set_config('request.jwt.claims', '{"role": "service_role"}', false);
grant execute on all functions in schema tap to service_role, authenticated;
set role service_role;
insert into public.workflow_definition (type, tasks) values ('album', '[]');
insert into public.jobs (user_id, type) values ('00000000-0000-4000-8000-00000000000a', 'album'), ('00000000-0000-4000-8000-00000000000b', 'echo');
insert into public.job_tasks (job_id, task_type, sequence, input) select id, 'text_generation', 1, '{}' from public.jobs where type = 'album';
create temp table task as select t.id, t.job_id, format('00000000-0000-4000-8000-00000000000a/%s/', t.job_id) as folder from public.job_tasks t where t.task_type = 'text_generation';
select throws_ok($$ insert into public.job_artifacts (job_id, task_id, artifact_type, storage_path) select job_id, id, 'json', folder || 'json/a.json' from task $$, '55000', null,
  'K72: a task that nobody works on has no artifact');
select public.claim_tasks('w', 1, array['text_generation']);
create temp table made (id uuid, public_url text, duration_seconds numeric);
with row as (
  insert into public.job_artifacts (job_id, task_id, artifact_type, storage_path, public_url, file_size_bytes, duration_seconds)
  select job_id, id, 'audio_mp3', folder || 'audio/my-voice.mp3', 'https://example.org/voice.mp3', 1234, 12.5 from task returning *)
insert into made select id, public_url, duration_seconds from row;
select results_eq('select public_url, duration_seconds from made', $$ values ('https://example.org/voice.mp3', 12.5) $$, 'K72: service_role inserts an artifact and gets the row back');
select lives_ok($$ insert into public.job_artifacts (job_id, task_id, artifact_type, storage_path) select job_id, id, 'json', folder || 'json/a.json' from task $$,
  'K72: size, duration and public address of an artifact may be left out');
-- The worker that takes over from a dead one inserts the same again.
select lives_ok($$ insert into public.job_artifacts (job_id, task_id, artifact_type, storage_path, file_size_bytes) select job_id, id, 'json', folder || 'json/a.json', 7 from task $$,
  'K72: the artifact of a worker that died is inserted again');
select results_eq('select artifact_type, file_size_bytes from public.job_artifacts order by 1', $$ values ('audio_mp3', 1234::bigint), ('json', 7) $$, 'K72: the second insert takes the place of the first');

create temp table before as select * from public.job_artifacts;
select throws_ok($$ insert into public.job_artifacts (job_id, task_id, artifact_type, storage_path) select job_id, id, 'json', folder || 'pdf/a.json' from task $$, '23514', null,
  'K72: the folder of an artifact is that of its type');
select throws_ok($$ insert into public.job_artifacts (job_id, task_id, artifact_type, storage_path)
  select job_id, id, 'json', format('00000000-0000-4000-8000-00000000000b/%s/json/a.json', job_id) from task $$, '23514', null, 'K72: an artifact lies in the folder of its job''s user');
select throws_ok($$ insert into public.job_artifacts (job_id, task_id, artifact_type, storage_path) select (select id from public.jobs where type = 'echo'), id, 'json', folder || 'json/b.json' from task $$,
  '23503', null, 'K72: a task has artifacts in its own job only');
select throws_ok($$ insert into public.job_artifacts (job_id, user_id, task_id, artifact_type, storage_path) select job_id, gen_random_uuid(), id, 'json', folder || 'json/b.json' from task $$,
  '42501', null, 'K72: nobody says whose an artifact is');
select throws_ok($$ delete from public.job_artifacts $$, '42501', null, 'K72: the service deletes no artifact');
select results_eq('select * from public.job_artifacts order by id', 'select * from before order by id', 'K72: what was refused has changed no artifact');
select public.complete_task(id, 'w', '{}') from task;
select throws_ok($$ insert into public.job_artifacts (job_id, task_id, artifact_type, storage_path) select job_id, id, 'json', folder || 'json/a.json' from task $$, '55000', null,
  'K72: an artifact is not replaced once its task is complete');
reset role; select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "00000000-0000-4000-8000-00000000000b"}', false); set role authenticated;
select is((select count(*)::int from public.job_artifacts), 0, 'K72: another user sees no artifact');
select * from finish();
