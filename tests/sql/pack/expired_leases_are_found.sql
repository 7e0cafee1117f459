select plan(14);
set mill.now = '2030-01-01 00:00+00';
insert into mill.queue (queue, lease_seconds) values ('plain', 60);
insert into mill.kind (kind, queue) values ('p', 'plain');
select mill.enqueue_many('p', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, 150) n));
create temp table held as select * from mill.claim('w', array['plain'], 100);
select is((select count(*) from mill.pack_lease), 1::bigint, 'one lease for all that a claim takes of a batch');
select mill.claim('w2', array['plain'], 100);
select mill.complete('w', (select array_agg(id) from held where payload ->> 'n' > '5'), (select array_agg(attempt) from held where payload ->> 'n' > '5'));

set mill.now = '2030-01-01 00:00:50+00';
select mill.heartbeat('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt)) from held where payload ->> 'n' = '1'));
set mill.now = '2030-01-01 00:01:01+00';
select is(mill.running('plain'), (select count(*)::int from mill.job_live), 'what runs is counted');
create temp table lost as select id from mill.job_live where lease_until <= mill.now();
select is(mill.reclaim(10), 10, 'no more at once than asked for');
select is(mill.reclaim(), (select count(*)::int - 10 from lost), 'but all in the end');
select is((select array[count(*) filter (where state = 'processing'), count(*) filter (where state = 'retrying')] from mill.job_live), array[1, (select count(*) from lost)], 'but for the one that was extended');
select is(mill.reclaim(), 0, 'once');
select is((select array_agg(lease_until) from mill.pack_lease), array['2030-01-01 00:01:50+00'::timestamptz], 'its lease is looked at when it expires');
set mill.now = '2030-01-01 00:01:51+00';
select is(mill.reclaim(), 1, 'and then it is lost too');
select is(mill.reclaim(), 0, 'nothing is left');
select is((select count(*) from mill.pack_lease), 0::bigint, 'of the leases neither');

select mill.enqueue_many('p', (select jsonb_agg(jsonb_build_object('short', n)) from generate_series(1, 50) n));
select mill.claim('w', array['plain'], 50);
update mill.job_live set lease_until = mill.now() where payload ? 'short';
select is(mill.reclaim(), 0, 'a lease that an operator has cut short');
update mill.heartbeat set at = '-infinity' where part = 'pack_leases';
select is(mill.reclaim(), 50, 'is seen within a minute');
select mill.cancel(array(select id from mill.job_live where payload ? 'short'));

set mill.now = '2030-01-01 00:10+00';
select is((select count(*) from mill.claim('w3', array['plain'], 1000)), (select count(*) + 1 from lost), 'all are claimed again');
set mill.now = '2030-01-01 00:12+00';
select is(mill.reclaim(), (select count(*)::int + 1 from lost), 'and found in their line, when that worker is lost as well');
select * from finish();
