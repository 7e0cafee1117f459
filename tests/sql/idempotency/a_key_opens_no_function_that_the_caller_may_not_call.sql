select plan(17);
create function public.runs_as_caller(p_a int) returns jsonb language sql as $$ select to_jsonb(p_a) $$;
grant execute on function public.runs_as_caller(int) to authenticated, service_role;
insert into mill.repeatable_call (function) values ('runs_as_caller');
select is_empty($$ select r.function from mill.repeatable_call r left join pg_proc p on p.oid = to_regproc('public.' || r.function)::oid
  where r.function <> 'runs_as_caller' and not coalesce(p.prosecdef and p.provolatile = 'v' and not p.proretset, false) $$,
  'every function that may be called under a key exists, writes, and decides by itself what its caller may do');
set role anon;
set request.jwt.claims = '{"role": "anon"}';
select throws_ok($$ select public.call_once('k', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') $$, '42501', null, 'anon has no keys');
set role authenticated;
select throws_ok($$ select public.call_once('k', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') $$, '42501', null, 'who is not signed in has no keys');
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
select throws_ok($$ select public.call_once('k', 'enqueue_jobs', '{"p_jobs": [{"kind": "echo", "payload": {"a": 1}}]}') $$, 'GM083', null, 'a user cannot reach an RPC of the service by a key');
select throws_ok($$ select public.call_once('k', 'log_audit_event', '{"p_table_name": "t", "p_record_id": "1", "p_action": "INSERT"}') $$, 'GM083', null, 'a user cannot write to the audit log by a key');
select throws_ok($$ select public.call_once('k', 'get_job', '{"p_id": null}') $$, 'GM083', null, 'a function that is no row of mill.repeatable_call cannot be called');
select throws_ok($$ select public.call_once('k', 'call_once', '{}') $$, 'GM083', null, 'call_once cannot be called by itself');
select throws_ok($$ select public.call_once('k', 'runs_as_caller', '{"p_a": 1}') $$, 'GM083', null, 'a function that would run with our rights and checks nothing is refused');
select throws_ok($$ select public.call_once('k', null, '{}') $$, 'GM083', null, 'a call needs a function');
select throws_ok($$ select public.call_once('k', 'submit_job', '[]') $$, 'GM004', null, 'arguments are an object');
select throws_ok($$ select public.call_once('k', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}, "p_colour": 1}') $$, 'GM004', null, 'an argument that the function does not have is refused');
select throws_ok($$ select public.call_once('', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') $$, 'GM004', null, 'an empty key is refused');
select throws_ok($$ select public.call_once(repeat('k', 256), 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') $$, 'GM004', null, 'a key of 256 characters is refused');
select throws_ok(format($$ select public.call_once(%L, 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') $$, E'a\nb'), 'GM004', null, 'a key with a control character is refused');
-- A user names no owner but itself, by a key as without.
select public.call_once('mine', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}, "p_owner": "22222222-2222-4222-8222-222222222222"}');
reset role;
select is((select owner from mill.job), '11111111-1111-4111-8111-111111111111', 'a job that was submitted under a key is its caller''s');
set request.jwt.claims = '{"role": "service_role"}';
select throws_ok($$ select public.call_once('large', 'enqueue_many', jsonb_build_object('p_kind', 'echo', 'p_payloads',
  (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, 40000) n))) $$, 'GM084', null, 'an answer that is too large to be kept is refused');
select is((select count(*)::int from public.job_queue), 1, 'a call whose answer is too large to be kept enqueues nothing');
select * from finish();
