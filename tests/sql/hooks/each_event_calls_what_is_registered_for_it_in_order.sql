select plan(11);
create table mill.heard (n bigint generated always as identity, hook text, detail jsonb);
create function mill.hear_first(p_detail jsonb) returns void language sql as $$ insert into mill.heard (hook, detail) values ('first', p_detail) $$;
create function mill.hear_second(p_detail jsonb) returns void language sql as $$ insert into mill.heard (hook, detail) values ('second', p_detail) $$;
create function mill.hear_tick() returns void language sql as $$ insert into mill.heard (hook) values ('tick') $$;
create function mill.hear_maintain(p_now timestamptz) returns void language sql as $$ insert into mill.heard (hook) values ('maintain') $$;
create function mill.fail_tick() returns void language plpgsql as $$ begin raise exception 'broken'; end $$;
insert into mill.hook (event, routine, place) values ('acted', 'mill.hear_second', 200), ('acted', 'mill.hear_first', 150),
  ('operated', 'mill.hear_first', 200), ('tick', 'mill.fail_tick', 1), ('tick', 'mill.hear_tick', 200), ('maintain', 'mill.hear_maintain', 200);

create temp table made as select id from mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}, {"kind": "echo", "payload": {"a": 2}}]');
select mill.cancel(array[(select min(id::text) from made)::uuid]);
select results_eq($$ select hook, detail ->> 'action' from mill.heard order by n $$, $$ values ('first', 'cancel'), ('second', 'cancel') $$,
  'the hooks of acted are called in the order of their places');
select is((select detail -> 'jobs' from mill.heard where hook = 'first'), (select jsonb_build_array(min(id::text)) from made), 'a hook of acted is told which jobs');
truncate mill.heard;
select mill.claim('w', array['default'], 1);
select mill.settle('w', (select jsonb_build_array(jsonb_build_object('id', id, 'attempt', 1, 'outcome', 'dead', 'error', '{"type": "x"}'::jsonb)) from mill.job_live));
select is((select detail ->> 'action' from mill.heard where hook = 'first'), 'dead', 'a dead letter is told');
select mill.retry(array(select id from mill.job_dead));
select is((select detail ->> 'action' from mill.heard where hook = 'first' order by n desc limit 1), 'retry', 'a dead letter that is sent back is told');
truncate mill.heard;
select mill.pause('default');
select is((select detail from mill.heard), '{"table": "queue", "record": "default", "action": "pause"}', 'a paused queue is told');
truncate mill.heard;
select mill.tick();
select is((select count(*) from mill.heard where hook = 'tick'), 1::bigint, 'a hook of tick is called although the one before it failed');
select is((select detail ->> 'step' from mill.event where code = 'tick_failed'), 'mill.fail_tick', 'the failure of a hook of tick is an event');
select mill.maintain();
select is((select count(*) from mill.heard where hook = 'maintain'), 1::bigint, 'a hook of maintain is called');
delete from mill.hook where event = 'acted';
truncate mill.heard;
select mill.cancel(array(select id from mill.job_live));
select is((select count(*) from mill.heard), 0::bigint, 'without a hook an action tells nobody');
select throws_ok($$ insert into mill.hook (event, routine) values ('lunch', 'mill.hear_tick') $$, '23514', null, 'an unknown event is refused');
select throws_ok($$ insert into mill.hook (event, routine) values ('tick', 'public.tick; drop table x') $$, '23514', null, 'a routine is the name of a function in mill');
select * from finish();
