select plan(12);
set role authenticated;
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
create temp table answer (n int, a jsonb);
insert into answer select 1, public.call_once('k', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}, "p_correlation_id": "first"}');
insert into answer select 2, public.call_once('k', 'submit_job', '{"p_payload": {"a": 1}, "p_kind": "echo", "p_correlation_id": "second"}');
select is((select a - 'answer' from answer where n = 1), '{"replayed": false}', 'the first call is no replay');
select is((select a - 'answer' from answer where n = 2), '{"replayed": true}', 'a retry is a replay, though its correlation id is another one');
select is((select a -> 'answer' from answer where n = 2), (select a -> 'answer' from answer where n = 1), 'a replay has the first answer');
select throws_ok($$ select public.call_once('k', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 2}}') $$, 'GM080', null,
  'the same key with another payload is refused');
select throws_ok($$ select public.call_once('k', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}', 'another route') $$, 'GM080', null,
  'the same key for another request is refused, though the call is the same');
reset role;
select is((select count(*)::int from mill.job), 1, 'one job was enqueued for five calls under one key');
-- The job ends and its row goes: the key is good for its 24 hours all the same.
delete from mill.job_live;
set role authenticated;
select is(public.call_once('k', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') -> 'answer', (select a -> 'answer' from answer where n = 1),
  'a retry after the job is gone has the first answer');

set request.jwt.claims = '{"role": "authenticated", "sub": "22222222-2222-4222-8222-222222222222"}';
select is(public.call_once('k', 'submit_job', '{"p_kind": "echo", "p_payload": {"b": 1}}') ->> 'replayed', 'false',
  'the same key of another user is another key');
set role service_role;
set request.jwt.claims = '{"role": "service_role"}';
select is(public.call_once('k', 'enqueue_jobs', '{"p_jobs": [{"kind": "echo", "payload": {"c": 1}}, {"kind": "echo", "payload": {"c": 2}}]}') ->> 'replayed', 'false',
  'the service has keys of its own');
select is(public.call_once('k', 'enqueue_jobs', '{"p_jobs": [{"kind": "echo", "payload": {"c": 1}}, {"kind": "echo", "payload": {"c": 2}}]}') ->> 'replayed', 'true',
  'a batch of the service is enqueued once');
reset role;
select is((select count(*)::int from mill.job), 3, 'two users and the service have created what they asked for, once');
select is((select array_agg(caller order by caller) from mill.idempotency_key),
  array['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222', 'service'], 'a key is one row of its caller');
select * from finish();
