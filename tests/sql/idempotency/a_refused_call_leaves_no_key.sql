select plan(12);
create temp view kept as select count(*)::int as keys from mill.idempotency_key;
grant select on kept to authenticated, service_role;
set role authenticated;
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
select throws_ok($$ select public.call_once('k', 'submit_job', '{"p_kind": "echo", "p_payload": {}}') $$, 'GM002', null, 'a call that is refused raises its own error');
reset role;
select mill.enqueue('[{"kind": "echo", "payload": {"waits": true}}]');
update mill.queue set depth_limit = 1 where queue = 'default';
set role authenticated;
select throws_ok($$ select public.call_once('k', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') $$, 'GM006', null, 'a full queue refuses a call under a key');
set role service_role;
set request.jwt.claims = '{"role": "service_role"}';
select is(public.call_once('all', 'enqueue_jobs', '{"p_jobs": [{"kind": "echo", "payload": {"a": 1}}]}') #>> '{answer,0,status}', 'throttled', 'a batch may be throttled');
select is(public.call_once('many', 'enqueue_many', '{"p_kind": "echo", "p_payloads": [{"a": 1}]}') -> 'answer', '[null]', 'many payloads may be throttled');
select is(public.call_once('gone', 'retry_workflow', jsonb_build_object('p_id', gen_random_uuid())) -> 'answer', 'null', 'what is not there cannot be resumed');
select public.set_maintenance(true, 'test');
set role authenticated;
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
select throws_like($$ select public.call_once('k', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') $$, '%GM022%', 'maintenance refuses a call under a key');
reset role;
select is((select keys from kept), 0, 'no refusal was remembered');

update mill.queue set depth_limit = null where queue = 'default';
select public.set_maintenance(false);
set role authenticated;
select is(public.call_once('k', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') #>> '{answer,status}', 'new', 'the retry of a refused call is tried anew');
select throws_ok($$ select public.call_once('k', 'submit_job', '{"p_kind": "echo", "p_payload": {}}') $$, 'GM080', null, 'from then on the key is used');
reset role;
select public.set_maintenance(true, 'test');
set role authenticated;
select is(public.call_once('k', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') ->> 'replayed', 'true', 'a replay creates nothing, so maintenance does not stop it');
reset role;
select public.set_maintenance(false);
-- Of a batch that was taken in part the answer is kept: a retry would enqueue that part again.
update mill.queue set depth_limit = 3 where queue = 'default';
set role service_role;
set request.jwt.claims = '{"role": "service_role"}';
select is(jsonb_path_query_array(public.call_once('part', 'enqueue_jobs', '{"p_jobs": [{"kind": "echo", "payload": {"a": 1}}, {"kind": "echo", "payload": {"a": 2}}]}'), '$.answer[*].status'),
  '["new", "throttled"]', 'a batch may be taken in part');
select is(public.call_once('part', 'enqueue_jobs', '{"p_jobs": [{"kind": "echo", "payload": {"a": 1}}, {"kind": "echo", "payload": {"a": 2}}]}') ->> 'replayed', 'true',
  'a batch that was taken in part is not enqueued again');
select * from finish();
