select plan(24);
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
set mill.now = '2026-11-18 10:02+00';
create function pg_temp.as_role(p_role text) returns void language sql as $$
  select set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', '00000000-0000-4000-8000-00000000000a', 'email', 'ana@example.com', 'gristmill_role', p_role)::text, false) $$;
create function pg_temp.one(p_name text) returns jsonb language sql as $$ select s from jsonb_array_elements(public.console_schedules() -> 'schedules') s where s ->> 'name' = p_name $$;
select pg_temp.as_role('operator');
set timezone = 'UTC';

-- Gristmill's own.
select is_empty($$ select s.name from mill.schedule s where jsonb_array_length(pg_temp.one(s.name) -> 'next') <> 5 $$, 'each of Gristmill''s own schedules has its next five times');
select is(pg_temp.one('process-queue-batch') -> 'may', '{"run": true, "pause": false, "edit": false, "delete": false}', 'the pump may be run, and not paused');
select throws_ok($$ select public.console_pause_schedule('process-queue-batch', true, 'x') $$, 'GM112', null, 'Gristmill''s own schedules are never paused');
select throws_ok($$ select public.console_delete_schedule('process-queue-batch', 'x') $$, 'GM112', null, 'Gristmill''s own schedules are never deleted');
select is(public.console_run_schedule('process-queue-batch', 'now please'), '{"name": "process-queue-batch", "ran": true, "job": null}', 'Gristmill''s own schedules run at once');
select is((select reason from mill.audit_log where table_name = 'schedule' and action = 'run'), 'now please', 'to run one is an audit row with its reason');
select is(pg_temp.one('process-queue-batch') ->> 'last_run_at', '2026-11-18T10:02:00+00:00', 'a run shows in the list');
select throws_ok($$ select public.console_run_schedule('nope', 'x') $$, 'GM030', null, 'an unknown schedule cannot be run');

-- Those of users.
create temp table saved as select public.console_save_schedule(
  '{"name": "digest", "expression": "30 9 * * 1-5", "timezone": "Europe/Paris", "kind": "echo", "payload_text": "{\"cents\": 12345678901234567890}", "description": "Morning mail", "overlap": "queue"}', 'asked for') as got;
select is(got #>> '{next,0}', '2026-11-19T08:30:00+00:00', 'a saved schedule has its next times, by its time zone') from saved;
select is(jsonb_array_length(got -> 'next'), 5, 'five next times are told') from saved;
select is((select payload ->> 'cents' from mill.job_schedule), '12345678901234567890', 'a number larger than JavaScript''s is kept exactly');
select is(got ->> 'payload_text', '{"cents": "‹number›"}', 'the payload of a schedule is masked as that of its jobs') from saved;
select is(public.console_save_schedule('{"name": "digest", "expression": "0 12 * * *"}', 'later') ->> 'overlap', 'queue', 'fields that are not given stay');
select is((select payload ->> 'cents' from mill.job_schedule), '12345678901234567890', 'a payload that is not given stays');
select throws_ok($$ select public.console_save_schedule('{"name": "digest", "expression": "99 * * * *"}', 'x') $$, 'GM013', null, 'an expression that cannot be read is refused');
select throws_ok($$ select public.console_save_schedule('{"name": "digest", "payload_text": "{"}', 'x') $$, 'GM110', null, 'a payload that is no JSON is refused');
select is(public.console_preview_schedule('0 9 * * *', 'Asia/Tokyo') #>> '{times,0,local}', '2026-11-19 09:00:00', 'an expression is previewed in its time zone');
select throws_ok($$ select public.console_preview_schedule('* * *') $$, 'GM013', null, 'a preview of what cannot be read is refused');
create temp table ran as select public.console_run_schedule('digest', 'test run') as got;
select is((select payload ->> 'cents' from mill.job where id = (select (got ->> 'job')::uuid from ran)), '12345678901234567890', 'a schedule of users runs as a job');
select is(pg_temp.one('digest') #>> '{runs,0,detail}', 'by_hand', 'a run by hand shows in the list');
select is(public.console_pause_schedule('digest', true, 'holidays') ->> 'paused', 'true', 'a schedule of users is paused');
select is(pg_temp.one('digest') -> 'next', '[]', 'a paused schedule has no next time');
select is((select string_agg(action || ': ' || reason || ' by ' || (new_values ->> 'email'), ', ' order by id) from mill.audit_log where table_name = 'job_schedule'),
  'create: asked for by ana@example.com, change: later by ana@example.com, run: test run by ana@example.com, pause: holidays by ana@example.com', 'each change is an audit row with actor and reason');
select is(public.console_delete_schedule('digest', 'done') ->> 'deleted', 'true', 'a schedule of users is deleted');
select * from finish();
