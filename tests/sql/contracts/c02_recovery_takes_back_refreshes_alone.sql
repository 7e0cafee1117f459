-- include: rules/*.sql
select plan(3);
set mill.now = '2030-01-01 00:00+00';
update mill.queue set max_running = 5, lease_seconds = 3600 where queue = 'default';
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]');
select id as running from mill.claim('w', array['default'], 1);
select public.queue_refresh_if_not_exists('AAA', 'quote');
select public.get_queue_batch(1) is not null as claimed;
set mill.now = '2030-01-01 00:10+00';
select public.recover_stuck_jobs();
select is((select array_agg(kind || ' ' || state order by kind) from mill.job_live), array['echo processing', 'refresh.quote retrying'],
  'a refresh that is stuck is taken back, and a long job of another queue is left to its lease');

update public.data_type_registry set is_enabled = false where data_type = 'profile';
select throws_ok($$ select public.queue_refresh_if_not_exists('AAA', 'profile') $$, 'GM036', null, 'a type that is switched off cannot be queued');

-- The invocation that took a batch ends with it.
create temp table invocation as select gen_random_uuid() as id;
insert into mill.invocation (id, queue, reason, asked_at, begun_at) select id, 'refresh', 'pump', mill.now(), mill.now() from invocation;
select public.settle_refresh('w', '[]', (select id from invocation)) is not null as settled;
select is((select ended_at from mill.invocation join invocation using (id)), mill.now(), 'settling ends the invocation that it names');
select * from finish();
