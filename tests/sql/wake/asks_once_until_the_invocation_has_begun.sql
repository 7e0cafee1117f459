select plan(9);
-- Nobody sends in a copy of the template: what was asked for stays in pg_net's queue, to be looked at.
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]');
select is((select count(*) from net.http_request_queue), 1::bigint, 'an enqueue asks for one invocation');
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}, {"kind": "echo", "payload": {"a": 2}}]');
select is((select count(*) from net.http_request_queue), 1::bigint, 'while it has not begun, no other is asked for');
select is((select url from net.http_request_queue), 'http://127.0.0.1:9/functions/v1/processor', 'at the function of the queue');
select is(
  (select headers ->> 'webhook-signature' from net.http_request_queue),
  (select mill.sign('invoke', convert_to((headers ->> 'webhook-id') || '.' || (headers ->> 'webhook-timestamp') || '.', 'UTF8') || body) from net.http_request_queue),
  'the signature is of the body that is sent');

set request.jwt.claims = '{"role": "service_role"}';
create temp table claims as
select jsonb_array_length(public.claim_jobs('w', array['default'], 10, null, i.id)) as jobs from mill.invocation i;
select is((select jobs from claims), 3, 'the invocation claims all three');
select is((select public.claim_jobs('w', array['default'], 10, null, i.id) from mill.invocation i), '[]', 'replayed, it claims nothing');
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]');
select is((select count(*) from mill.invocation), 2::bigint, 'the next enqueue asks anew');

update mill.queue set paused = true;
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]');
select is((select count(*) from mill.invocation), 2::bigint, 'a paused queue wakes nobody');
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}, "run_at": "2999-01-01T00:00:00Z"}]');
select is((select count(*) from mill.invocation), 2::bigint, 'a job of the future asks for no invocation');
select * from finish();
