select plan(4);
insert into mill.queue (queue) values ('floors');
insert into mill.kind (kind, queue) values ('s', 'floors');
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 's', 'payload', '{"a": 1}'::jsonb)) from generate_series(1, 20)));
select count(*) from mill.claim('w', array['floors'], 10);
select ok((select turn > 0 from mill.floor where queue = 'floors'), 'a claim moves the floor');
select is((select turn from mill.floor where queue = 'floors'), (select min(turn) from mill.job where queue = 'floors' and state = 'pending'), 'the floor moves to where live work begins');
-- As if a transaction that took its place before them committed only now.
insert into mill.job_live (id, line, turn, queue, kind, payload, state, run_at, max_attempts, created_at)
select gen_random_uuid(), line, turn - 1, 'floors', 's', '{"late": true}', 'pending', now(), 5, now() from mill.floor where queue = 'floors';
select is((select count(*) from mill.claim('w', array['floors'], 100)), 11::bigint, 'a claim that comes up short looks below');

insert into mill.job_live (id, line, turn, queue, kind, payload, state, run_at, max_attempts, created_at)
select gen_random_uuid(), line, 1, 'floors', 's', '{"late": true}', 'pending', now(), 5, now() from mill.floor where queue = 'floors';
update mill.floor_version set safe = turn, mark = turn where line = (select line from mill.line where queue = 'floors');
select mill.repair_floors();
select is((select count(*) from mill.claim('w', array['floors'], 100)), 1::bigint, 'a job below safe, where nothing should be, is found once per minute');
select * from finish();
