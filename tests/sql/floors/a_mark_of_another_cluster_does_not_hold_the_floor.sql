select plan(3);
insert into mill.queue (queue) values ('floors');
insert into mill.kind (kind, queue) values ('s', 'floors');
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 's', 'payload', '{"a": 1}'::jsonb)) from generate_series(1, 20)));
select count(*) from mill.claim('w', array['floors'], 10);
-- As a dump brings it from a cluster that has used more transactions than this one.
update mill.floor_version v set safe = 0, mark = 1, mark_xid = (pg_current_xact_id()::text::bigint + 1000000)::text::xid8
where v.line = (select l.line from mill.line l where l.queue = 'floors');
select is((select count(*) from mill.claim('w', array['floors'], 5)), 5::bigint, 'jobs are claimed');
select mill.lower_floors('floors');
select is((select safe from mill.floor where queue = 'floors'), 1::bigint, 'a mark from the future is taken for one of the past');
select ok((select mark_xid <= pg_snapshot_xmax(pg_current_snapshot()) from mill.floor where queue = 'floors'), 'the next mark is of this cluster');
select * from finish();
