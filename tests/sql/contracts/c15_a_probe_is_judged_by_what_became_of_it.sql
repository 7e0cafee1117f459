select plan(7);
set mill.now = '2030-01-01 00:00+00';
create function pg_temp.probe(p_asked int, p_begun int, p_ended int, p_failure text default null) returns text language plpgsql as $$
declare
  v_id uuid := gen_random_uuid();
begin
  insert into mill.invocation (id, queue, reason, asked_at, begun_at, ended_at, failure)
  values (v_id, 'refresh', 'pump', mill.now() - make_interval(secs => p_asked), mill.now() - make_interval(secs => p_begun), mill.now() - make_interval(secs => p_ended), p_failure);
  return mill.probe_state(v_id);
end $$;
update mill.queue set invocation_seconds = 60 where queue = 'refresh';
select is(pg_temp.probe(5, null, null), 'under way', 'a probe that was just sent is under way');
select is(pg_temp.probe(31, null, null), 'lost', 'one that has not begun after half a minute is lost');
select is(pg_temp.probe(40, 5, null), 'under way', 'one that began late is under way');
select is(pg_temp.probe(70, 65, null), 'lost', 'one that runs for longer than its queue allows is lost');
select is(pg_temp.probe(70, 65, 1), 'ended', 'one that came to its end has ended, however long it took');
select is(pg_temp.probe(5, null, null, 'no connection'), 'lost', 'one whose request failed is lost at once');
select is(mill.probe_state(gen_random_uuid()), null, 'a probe that does not exist has no state');
select * from finish();
