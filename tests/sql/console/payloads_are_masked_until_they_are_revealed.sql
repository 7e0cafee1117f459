select plan(29);
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
create function pg_temp.as_role(p_role text) returns void language sql as $$
  select set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', '00000000-0000-4000-8000-00000000000a', 'email', 'ana@example.com', 'gristmill_role', p_role)::text, false) $$;
create temp table job as select e.id from mill.enqueue(
  '[{"kind": "echo", "payload": {"card": "4111 1111", "cents": 12345678901234567890, "deep": {"on": true, "none": null, "list": ["a", 2]}}, "owner": "00000000-0000-4000-8000-0000000000aa"}]') e;
select mill.claim('w', array['default'], 1);
select mill.settle('w', jsonb_build_array(jsonb_build_object('id', id, 'attempt', 1, 'outcome', 'completed', 'result', '{"receipt": "r-1"}'::jsonb,
  'logs', '[{"level": "info", "message": "charged", "data": {"card": "4111"}}]'::jsonb))) from job;

insert into mill.job_step (job, step, n, attempt, at, state, result) select id, 'charge', 1, 1, mill.now(), 'finished', '{"card": "4111"}' from job;

select pg_temp.as_role('admin');
select is(public.console_job(id) -> 'payload', '{"card": "‹text of 9›", "cents": "‹number›", "deep": {"on": "‹true or false›", "none": null, "list": ["‹text of 1›", "‹number›"]}}',
  'a masked payload has its keys, and types for values') from job;
select is(public.console_job(id) ->> 'payload_masked', 'true', 'a masked payload says so') from job;
select is(public.console_job(id) #>> '{result,receipt}', '‹text of 3›', 'the result is masked with the payload') from job;
select is(public.console_job(id) #>> '{logs,lines,0,message}', 'charged', 'messages of the log are shown') from job;
select is(public.console_job(id) #>> '{logs,lines,0,data,card}', '‹text of 4›', 'data of the log are masked') from job;
select is(public.console_job(id) #>> '{steps,0,name}', 'charge', 'the steps of a job are shown') from job;
select is(public.console_job(id) #>> '{steps,0,result_text}', '{"card": "‹text of 4›"}', 'the result of a step is masked with the payload') from job;
select unalike(public.console_job(id)::text, '%4111%', 'nothing of a masked value is anywhere in the answer') from job;
select unalike(public.console_jobs('column:payload.card')::text, '%‹%', 'a list has no payload') from job;

select pg_temp.as_role('operator');
select throws_ok(format('select public.console_reveal(%L, ''why'')', id), '42501', null, 'an operator reveals nothing') from job;
select pg_temp.as_role('admin');
select throws_ok(format('select public.console_reveal(%L, ''  '')', id), 'GM111', 'an action needs a reason of 1 to 500 characters', 'revealing needs a reason') from job;
select throws_ok(format('select public.console_reveal(%L, %L)', id, repeat('x', 501)), 'GM111', null, 'a reason has 500 characters at the most') from job;
create temp table revealed as select public.console_reveal(id, 'customer called') as got from job;
select is(got #>> '{payload,card}', '4111 1111', 'an admin sees the payload') from revealed;
select matches(got ->> 'payload_text', '"cents": 12345678901234567890[,}]', 'a number larger than JavaScript''s is exact in the text') from revealed;
select is(got #>> '{result,receipt}', 'r-1', 'an admin sees the result') from revealed;
select is(got #>> '{logs,0,data,card}', '4111', 'an admin sees the data of the log') from revealed;
select results_eq($$ select action, actor::text, new_values ->> 'email', reason, source, job_id = (select id from job) from mill.audit_log where action = 'reveal' $$,
  $$ values ('reveal', '00000000-0000-4000-8000-00000000000a', 'ana@example.com', 'customer called', 'console', true) $$, 'revealing is an audit row with actor, reason and job');
select unalike((select string_agg(to_jsonb(a)::text, ' ') from mill.audit_log a), '%4111%', 'the audit row has nothing of the payload');
select throws_ok($$ select public.console_reveal('00000000-0000-7000-8000-000000000000', 'why') $$, 'GM112', null, 'there is nothing to reveal of an unknown job');

-- Who says what is sensitive.
select is(public.console_set_kind('echo', false, 'no secrets in it') ->> 'sensitive', 'false', 'a kind may say that its payloads are shown');
select is(public.console_job(id) #>> '{payload,card}', '4111 1111', 'payloads of such a kind are shown') from job;
select is(public.console_job(id) ->> 'payload_masked', 'false', 'a payload that is shown says so') from job;
select public.console_set_kind('echo', null, 'as the others');
select is(public.console_job(id) ->> 'payload_masked', 'true', 'a kind that says nothing is masked by default') from job;
update mill.settings set value = 'shown' where key = 'console.payloads';
select is(public.console_job(id) ->> 'payload_masked', 'false', 'the setting console.payloads shows what says nothing itself') from job;
select public.console_set_kind('echo', true, 'cards');
select is(public.console_job(id) ->> 'payload_masked', 'true', 'a kind may say that its payloads are masked') from job;
select public.console_set_kind('echo', false, 'test');

-- A megabyte is cut with a mark.
update mill.settings set value = '2000000' where key = 'queue.payload_max_bytes';
create temp table large as select e.id from mill.enqueue(jsonb_build_array(jsonb_build_object('kind', 'echo', 'payload', jsonb_build_object('text', repeat('ä', 600000))))) e;
select cmp_ok(octet_length(public.console_job(id)::text), '<', 100000, 'the answer about a job of 1 MB stays small') from large;
select is(public.console_job(id) ->> 'payload_cut', 'true', 'a payload that was cut says so') from large;
select matches(public.console_job(id) ->> 'payload_text', '…$', 'a payload that was cut ends with a mark') from large;
select is(public.console_job(id) ->> 'payload_bytes', '1200012', 'a payload that was cut says how large it is') from large;
select * from finish();
