select plan(10);
set mill.now = '2030-01-01 00:00+00';
insert into mill.queue (queue, lease_seconds) values ('plain', 60);
insert into mill.kind (kind, queue) values ('p', 'plain'), ('other', 'plain');

-- Between the tail and the floor, with one that runs for long below them.
select mill.enqueue_many('p', '[{"n": 1}, {"n": 2}, {"n": 3}]');
select mill.claim('long', array['plain'], 1);
update mill.job_live set lease_until = 'infinity' where worker = 'long';
select mill.claim('short', array['plain'], 2);
set mill.now = '2030-01-01 00:02+00';
select is(mill.reclaim(), 2, 'two are lost, the long one is not');
select is(mill.reclaim(), 0, 'an expired lease is taken back only once');
select is((select f.tail from mill.floor f where f.queue = 'plain'), (select j.turn from mill.job j where worker = 'long'), 'the tail waits for the long one');
select mill.settle('long', jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'completed'))) from mill.job where worker = 'long';

-- By a worker that passes over other kinds: what it runs stands above what it left.
select mill.enqueue('[{"kind": "other", "payload": {"n": 1}}, {"kind": "p", "payload": {"n": 4}}]');
select is((select count(*) from mill.claim('choosy', array['plain'], 1, array['p'])), 1::bigint, 'one of its kind');
set mill.now = '2030-01-01 00:04+00';
update mill.job_live set run_at = 'infinity' where state = 'retrying';
select is(mill.reclaim(), 1, 'is taken back though another stands before it');

-- One that committed late, below the tail.
update mill.floor_version set tail = turn where line = (select line from mill.line where queue = 'plain');
insert into mill.job_live (id, line, turn, queue, kind, payload, state, run_at, max_attempts, created_at)
select gen_random_uuid(), line, turn - 1, 'plain', 'p', '{"late": true}', 'pending', now(), 5, now() from mill.floor where queue = 'plain';
select mill.claim('late', array['plain'], 10);
select is((select count(*) from mill.job where worker = 'late' and payload ? 'late'), 1::bigint, 'the late one was claimed');
set mill.now = '2030-01-01 00:06+00';
select is(mill.reclaim(), 2, 'the late job is taken back with the rest of its batch');
select ok(exists (select from mill.job where payload ? 'late' and state = 'retrying'), 'a job that was taken back waits for its next attempt');

-- A queue that begins to count.
select mill.enqueue_many('p', '[{"n": 5}, {"n": 6}]');
select mill.claim('w', array['plain'], 1);
update mill.queue set max_running = 1 where queue = 'plain';
select is((select count(*) from mill.claim('w', array['plain'], 1)), 0::bigint, 'what ran already counts against the new cap');
set mill.now = '2030-01-01 00:08+00';
select is(mill.reclaim(), 1, 'a job over the new cap is taken back all the same');
select * from finish();
