select plan(4);
insert into mill.queue (queue) values ('swept');
insert into mill.kind (kind, queue) values ('s', 'swept');
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 's', 'payload', '{"a": 1}'::jsonb)) from generate_series(1, 20)));
select count(*) from mill.claim('w', array['swept'], 10);
select ok((select turn > 0 from mill.floor where queue = 'swept'), 'a claim moves the floor');
select is((select turn from mill.floor where queue = 'swept'), (select min(turn) from mill.job where queue = 'swept' and state = 'pending'), 'to where live work begins');
-- As if a transaction that took its place before them committed only now.
insert into mill.job_live (id, line, turn, queue, kind, payload, state, run_at, max_attempts, created_at)
select gen_random_uuid(), line, turn - 1, 'swept', 's', '{"late": true}', 'pending', now(), 5, now() from mill.floor where queue = 'swept';
select is((select count(*) from mill.claim('w', array['swept'], 100)), 11::bigint, 'a claim that comes up short looks below');

insert into mill.job_live (id, line, turn, queue, kind, payload, state, run_at, max_attempts, created_at)
select gen_random_uuid(), line, 1, 'swept', 's', '{"late": true}', 'pending', now(), 5, now() from mill.floor where queue = 'swept';
update mill.floor_version set safe = turn, mark = turn where line = (select line from mill.line where queue = 'swept');
select mill.sweep_below();
select is((select count(*) from mill.claim('w', array['swept'], 100)), 1::bigint, 'and even one below safe, where nothing should be, is found once a minute');
select * from finish();
