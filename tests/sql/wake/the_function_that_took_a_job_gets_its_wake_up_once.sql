-- Nobody sends in a copy of the template. pg_temp.answer records an answer as pg_net and the relay do.
select plan(17);
update mill.queue set dequeue = 'priority' where queue = 'default'; -- fair by default, which has no packs and an index of what runs
create function pg_temp.answer(p_invocation uuid, p_status int) returns void language sql as $$
  with sent as (delete from net.http_request_queue q using mill.invocation i where i.id = p_invocation and q.id = i.request_id returning q.id)
  insert into net._http_response (id, status_code, error_msg, timed_out) select id, p_status, null, false from sent
$$;
insert into mill.kind (kind, queue) values ('zebra', 'default'), ('ant', 'default');
create temp table job as select id from mill.enqueue((select jsonb_agg('{"kind": "echo", "payload": {"a": 1}}'::jsonb) from generate_series(1, 60)));
create temp table invocation as select id from mill.invocation;
grant select on job, invocation to service_role;
set role service_role;
create temp table handed as select public.claim_wake_up((select id from job limit 1)) as request;
reset role;
select is((select request ->> 'url' from handed), 'http://127.0.0.1:9/functions/v1/processor', 'the request goes to the function of the queue');
select is((select (request ->> 'body')::jsonb from handed), (select jsonb_build_object(
  'invocation', id, 'queue', 'default', 'batch', 50, 'seconds', 30, 'kinds', '["ant", "echo", "zebra"]'::jsonb) from invocation),
  'the request names its invocation, and the kinds of the queue in order');
select is((select request #>> '{headers,webhook-signature}' from handed), (select mill.sign('invoke', convert_to(format('%s.%s.%s',
  request #>> '{headers,webhook-id}', request #>> '{headers,webhook-timestamp}', request ->> 'body'), 'UTF8')) from handed), 'the request is signed over the body that is sent');
select ok((select abs((request #>> '{headers,webhook-timestamp}')::bigint - extract(epoch from now())) < 60 from handed), 'the signature of the request is of this minute');
select is((select (body #>> '{}')::jsonb - 'seconds' from (select convert_from(q.body, 'UTF8')::jsonb as body from net.http_request_queue q) q), (select (request ->> 'body')::jsonb - 'seconds' from handed), 'pg_net sends the same');
select is(public.claim_wake_up((select id from job limit 1)), null, 'another caller gets nothing');
select is(public.claim_wake_up(gen_random_uuid()), null, 'a caller with an unknown job gets no wake-up');

-- The handed request begins; then pg_net sends its own, which claims nothing and is answered with 200.
select is(jsonb_array_length(public.claim_jobs('edge', array['default'], 50, null, (select id from invocation))), 50, 'the invocation claims its batch');
select is(public.claim_jobs('edge', array['default'], 50, null, (select id from invocation)), '[]', 'the duplicate of pg_net claims nothing');
select pg_temp.answer((select id from invocation), 200);
select mill.tick();
select is((select ended_at from mill.invocation join invocation using (id)), null, 'the answer to the duplicate does not end the running invocation');
update mill.queue set max_parallel = 1 where queue = 'default';
delete from mill.invocation i where i.begun_at is null;
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]');
select is((select count(*) from mill.invocation i where i.begun_at is null), 0::bigint, 'it still counts as running: no enqueue exceeds max_parallel');
select public.settle_jobs('edge', (select jsonb_agg(jsonb_build_object('id', j.id, 'attempt', 1, 'outcome', 'completed')) from mill.job_live j where j.state = 'processing'),
  (select id from invocation));
select ok((select ended_at is not null and failure is null from mill.invocation join invocation using (id)), 'its settlement ends it');
select is((select reason from mill.invocation where begun_at is null), 'more', 'the settlement asks for the next invocation, because jobs are due');

-- What was handed out and never sent: pg_net's own request begins it.
select isnt(public.claim_wake_up((select id from mill.job_live where state = 'pending' limit 1)), null, 'the next one can be handed out as well');
select is(jsonb_array_length(public.claim_jobs('edge-2', array['default'], 50, null, (select id from mill.invocation where begun_at is null))), 11, 'pg_net begins it when the caller never sends it');

select mill.enqueue_many('echo', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, 100) n));
update mill.queue set max_parallel = 4 where queue = 'default';
select mill.invoke('default', 'wake');
update mill.settings set value = 'false' where key = 'wake.by_function';
select is(public.claim_wake_up((select ids[3] from mill.pack limit 1)), null, 'nothing is handed out while the setting wake.by_function is off');
update mill.settings set value = 'true' where key = 'wake.by_function';
select isnt(public.claim_wake_up((select ids[3] from mill.pack limit 1)), null, 'a packed job has a wake-up too');
select * from finish();
