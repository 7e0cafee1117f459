select plan(4);
insert into mill.queue (queue) values ('touched');
insert into mill.kind (kind, queue) values ('t', 'touched');
create function pg_temp.touch_first() returns void language plpgsql as $$
begin
  begin
    perform mill.claim('gone', array['touched'], 1);
    raise exception 'rolled back';
  exception when raise_exception then null;
  end;
end $$;
select mill.enqueue_many('t', '[{"n": 1}, {"n": 2}, {"n": 3}]');
select pg_temp.touch_first();
select is((select count(*) from mill.job_live where queue = 'touched' and xmax <> '0'), 1::bigint, 'a claim that was rolled back leaves its mark');
select is((select count(*) from mill.claim('w', array['touched'], 3)), 3::bigint, 'who comes up short takes it all the same');

select mill.enqueue_many('t', '[{"n": 4}, {"n": 5}]');
select pg_temp.touch_first();
update mill.floor_version set advance_at = 'infinity' where line = (select line from mill.line where queue = 'touched');
select is((select payload from mill.claim('w', array['touched'], 1)), '{"n": 5}', 'while others wait it is passed over');
select mill.enqueue_many('t', '[{"n": 6}]');
update mill.floor_version set advance_at = now() where line = (select line from mill.line where queue = 'touched');
select is((select payload from mill.claim('w', array['touched'], 1)), '{"n": 4}', 'for 300 ms at the most: then the oldest goes first again');
select * from finish();
