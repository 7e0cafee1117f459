select plan(7);
create function pg_temp.many(p_kind text, p_count int) returns void language sql as $$
  select mill.enqueue_many(p_kind, (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, p_count) n))
$$;
insert into mill.queue (queue) values ('capped'), ('fair'), ('gone');
insert into mill.kind (kind, queue) values ('c', 'capped'), ('f', 'fair'), ('g', 'gone');
select pg_temp.many('c', 60), pg_temp.many('f', 60), pg_temp.many('g', 60);
select mill.claim('w', array['capped'], 50);
update mill.queue set max_running = 53 where queue = 'capped';
select is((select count(*) from mill.claim('w', array['capped'], 50)), 3::bigint, 'what ran already counts against the new cap');
select is((select count(*) from mill.pack where queue = 'capped'), 0::bigint, 'its packs are rows then');
select is((select count(*) from mill.claim('w', array['capped'], 50)), 0::bigint, 'the cap holds for jobs that waited in packs');

update mill.queue set dequeue = 'fair' where queue = 'fair';
select is((select count(*) from mill.pack where queue = 'fair'), 0::bigint, 'a queue that becomes fair has no packs');
select is((select count(*) from mill.claim('w', array['fair'], 100)), 60::bigint, 'a queue that becomes fair loses no job of its packs');

select throws_ok($$ delete from mill.queue where queue = 'gone' $$, '23503', null, 'a queue with packed jobs cannot be deleted');
select is((select count(*) from mill.claim('w', array['gone'], 100, array['other'])), 0::bigint, 'who wants other kinds passes packs over');
select * from finish();
