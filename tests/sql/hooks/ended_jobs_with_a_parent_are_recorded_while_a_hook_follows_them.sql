select plan(7);
update mill.queue set dequeue = 'priority' where queue = 'default'; -- fair by default, which has no packs and an index of what runs
delete from mill.hook where event = 'ended'; -- that of workflows
create table mill.heard (n bigint generated always as identity, ids uuid[], state text, results jsonb[]);
create function mill.hear_ended(p_xid xid8, p_after bigint) returns void language sql as $$
  with taken as (delete from mill.ended e where e.xid = p_xid and e.n > p_after returning e.*)
  insert into mill.heard (ids, state, results) select t.ids, t.state, t.results from taken t
$$;
create function pg_temp.run(p_name text, p_outcome text) returns void language plpgsql as $$
begin
  insert into mill.job_live (run_at, turn, created_at, id, line, max_attempts, queue, kind, state, payload, parent, name)
  select now(), mill.clock_us(), now(), mill.uuid7(), f.line, 1, 'default', 'echo', 'pending', '{"a": 1}', gen_random_uuid(), p_name
  from mill.floor f where f.queue = 'default' and f.priority = 5;
  perform mill.settle('w', (select jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt, 'outcome', p_outcome, 'result', '{"ok": true}'::jsonb))
    from mill.claim('w', array['default'], 10) c));
end $$;
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]'); -- opens the line
select pg_temp.run(null, 'completed');
select pg_temp.run('step', 'completed');
select is((select count(*) from mill.ended), 0::bigint, 'without a hook nothing is recorded');
insert into mill.hook (event, routine) values ('ended', 'mill.hear_ended');
select pg_temp.run('step', 'completed');
select results_eq($$ select state, results[1] from mill.heard $$, $$ values ('completed', '{"ok": true}'::jsonb) $$, 'the hook learns at commit how a job with a parent ended');
select is((select count(*) from mill.ended), 0::bigint, 'the hook has taken the record');
select pg_temp.run(null, 'completed');
select is((select count(*) from mill.heard), 1::bigint, 'a job without a name is not recorded');
select pg_temp.run('step', 'dead');
select is((select state from mill.heard order by n desc limit 1), 'failed', 'a dead letter is recorded as failed');
create or replace function mill.hear_ended(p_xid xid8, p_after bigint) returns void language plpgsql as $$ begin raise exception 'broken'; end $$;
select pg_temp.run('step', 'completed');
select is((select count(*) from mill.ended), 1::bigint, 'a failing hook takes no settlement back, and the record stays');
select is((select detail ->> 'hook' from mill.event where code = 'ended_hook_failed'), 'mill.hear_ended', 'the failure of a hook of ended is an event');
select * from finish();
