select plan(2);
delete from mill.hook where event = 'ended'; -- that of workflows; without a hook a transaction's rows go at its commit
begin;
-- As a dump brings it from another cluster, whose transaction had the number of this one.
set local session_replication_role = replica;
insert into mill.ended (parent, name, state, ids, at, counted) values ('00000000-0000-4000-8000-000000000001', 'old', 'completed', '{}', now(), true);
set local session_replication_role = origin;
insert into mill.ended (parent, name, state, ids, at) values ('00000000-0000-4000-8000-000000000002', 'new', 'completed', '{}', now());
insert into mill.ended (parent, name, state, ids, at) values ('00000000-0000-4000-8000-000000000003', 'new', 'completed', '{}', now());
commit;
select is((select array_agg(name) from mill.ended), array['old'], 'the record of another cluster stays');
select is((select count(*) from mill.ended where name = 'new'), 0::bigint, 'all rows of the transaction itself are handled');
select * from finish();
