-- include: rules/*.sql
select plan(9);
set mill.now = '2030-01-01 00:00+00';
create function pg_temp.breaker(p_target text) returns text language sql as $$ select b.state || coalesce(' ' || b.probe, '') from mill.breaker b where b.target = p_target $$;
select mill.judge_breakers();
insert into mill.queue (queue, served_by, function) values ('another', 'function', 'another-function');
select mill.judge_breakers();
select is(pg_temp.breaker('another-function'), 'closed', 'a target that comes later gets a breaker beside those that are there');

select mill.set_breaker('processor:fmp', 'open', 'a test');
select mill.judge_breakers();
select is(pg_temp.breaker('processor:fmp'), 'open', 'an open breaker is not probed before its cooldown is over');
select ok(not mill.may_invoke('processor:fmp', gen_random_uuid()), 'an open breaker lets no invocation through before its cooldown is over');
set mill.now = '2030-01-01 00:00:30+00';
select mill.judge_breakers();
select is(pg_temp.breaker('processor:fmp'), 'half_open', 'an open breaker is half open after its cooldown');

-- Two of them half open: the probe of one is nothing to the other.
select mill.set_breaker('another-function', 'half_open', 'a test');
select ok(mill.may_invoke('processor:fmp', '00000000-0000-4000-8000-000000000001'), 'one probe passes');
select ok(not mill.may_invoke('processor:fmp', '00000000-0000-4000-8000-000000000002'), 'a second one does not');
select is(pg_temp.breaker('another-function'), 'half_open', 'the probe of one target is not that of another');
update mill.breaker set probe = '00000000-0000-4000-8000-000000000003' where target = 'another-function';
insert into mill.invocation (id, queue, reason, asked_at, begun_at, ended_at) values
  ('00000000-0000-4000-8000-000000000001', 'refresh', 'pump', mill.now(), mill.now(), mill.now()), ('00000000-0000-4000-8000-000000000003', 'another', 'pump', mill.now(), mill.now(), null);
select mill.judge_breakers();
select is(pg_temp.breaker('processor:fmp'), 'half_open', 'a probe that found nothing to do makes room for another');
select is(pg_temp.breaker('another-function'), 'half_open 00000000-0000-4000-8000-000000000003', 'the probe of another target goes on');
select * from finish();
