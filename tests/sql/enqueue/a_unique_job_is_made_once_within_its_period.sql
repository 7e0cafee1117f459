select plan(20);
set mill.now = '2030-01-01 00:00+00';
insert into mill.kind (kind, queue, unique_by, unique_within_seconds, open_to_users) values ('mail', 'default', '{to,customer.id}', 3600, true), ('whole', 'default', '{}', 60, false);
create function pg_temp.put(variadic p_jobs jsonb[]) returns text language sql as $$ select string_agg(e.status, ' ' order by e.ordinal) from mill.enqueue(to_jsonb(p_jobs)) e $$;
create function pg_temp.mail(p_payload text, p_more jsonb default '{}') returns jsonb language sql as $$ select jsonb_build_object('kind', 'mail', 'payload', p_payload::jsonb) || p_more $$;
select is(pg_temp.put(pg_temp.mail('{"to": "a", "customer": {"id": 1}, "n": 1}')), 'new', 'the first job is made');
select is(pg_temp.put(pg_temp.mail('{"to": "a", "customer": {"id": 1}, "n": 2}')), 'duplicate', 'one with the same values of the chosen fields is a duplicate');
select is((select id from mill.enqueue(jsonb_build_array(pg_temp.mail('{"to": "a", "customer": {"id": 1}}')))), (select id from mill.job_live), 'a duplicate of a unique job is answered with the id of the first one');
select is(pg_temp.put(pg_temp.mail('{"to": "a", "customer": {"id": 2}}'), pg_temp.mail('{"to": "b"}'), pg_temp.mail('{"to": "b", "customer": {"id": null}}')), 'new new duplicate', 'an inner field counts, and a missing one is null');
select is((select count(distinct id)::int from mill.enqueue(jsonb_build_array(pg_temp.mail('{"to": "c"}'), pg_temp.mail('{"to": "c"}'), pg_temp.mail('{"to": "c"}')))), 1, 'of several equal unique jobs in one batch one is made');
select is(pg_temp.put(pg_temp.mail('{"to": "a", "customer": {"id": 1}}', '{"unique": false}')), 'new', 'false switches it off for a job');
select is(pg_temp.put(pg_temp.mail('{"to": "a", "x": 1}', '{"unique": {"by": ["x"], "within_seconds": 5}}'), pg_temp.mail('{"to": "z", "x": 1}', '{"unique": {"by": ["x"], "within_seconds": 5}}')), 'new duplicate', 'a job may choose other fields');
select is(pg_temp.put('{"kind": "echo", "payload": {"x": 1}, "unique": {"by": ["x"], "within_seconds": 5}}', '{"kind": "echo", "payload": {"x": 1}}'), 'new new', 'keys belong to a kind, and a job of a kind without them has none');
select is(pg_temp.put('{"kind": "whole", "payload": {"a": 1, "b": 2}}', '{"kind": "whole", "payload": {"b": 2, "a": 1}}', '{"kind": "whole", "payload": {"a": 1}}'), 'new duplicate new', 'no fields means the whole payload');

select mill.settle('w', jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt, 'outcome', 'completed'))) from mill.claim('w', array['default'], 100) c;
select is(pg_temp.put(pg_temp.mail('{"to": "b"}')), 'duplicate', 'a job is unique in its period although the first one has ended');
set mill.now = '2030-01-01 01:00+00';
select is(pg_temp.put(pg_temp.mail('{"to": "b"}')), 'new', 'after its period a unique job is made again');
select is(pg_temp.put(pg_temp.mail('{"to": "b"}')), 'duplicate', 'after the period the new job counts');
select is(public.run_cleanup_step('unique_jobs') ->> 'more', 'false', 'the cleanup removes keys whose time is over');
select is((select count(*) from mill.unique_job), 1::bigint, 'the cleanup keeps keys whose period is not over');

select is((select count(distinct i)::int from unnest(mill.enqueue_many('mail', '[{"to": "m"}, {"to": "m"}, {"to": "n"}]')) i), 2, 'enqueue_many makes each of them once');
-- Beside a dedupe key: whoever is not made gives its key back.
select is(pg_temp.put(pg_temp.mail('{"to": "k1"}', '{"dedupe_key": "k"}'), pg_temp.mail('{"to": "k2"}', '{"dedupe_key": "k"}'), pg_temp.mail('{"to": "k2"}', '{"dedupe_key": "k"}')), 'new duplicate duplicate', 'a dedupe key counts as well');
select is(pg_temp.put(pg_temp.mail('{"to": "k2"}')), 'new', 'a job that was not made does not hold the values');
select throws_ok($$ select pg_temp.put(pg_temp.mail('{"to": "x"}', '{"unique": {"by": "to"}}')) $$, 'GM004', null, 'an option that says nothing is refused');

-- Users have a name space of their own.
create function pg_temp.submit(p_user text) returns text language plpgsql as $$
begin
  perform set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', p_user)::text, true);
  return public.submit_job('mail', '{"to": "b"}') ->> 'status';
end $$;
select is(pg_temp.submit('11111111-1111-4111-8111-111111111111') || ' ' || pg_temp.submit('11111111-1111-4111-8111-111111111111'), 'new duplicate', 'a user''s own job is unique');
select is(pg_temp.submit('22222222-2222-4222-8222-222222222222'), 'new', 'a user''s own unique job blocks nobody else');
select * from finish();
