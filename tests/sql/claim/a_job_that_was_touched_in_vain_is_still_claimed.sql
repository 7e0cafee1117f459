select plan(2);
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
select * from finish();
