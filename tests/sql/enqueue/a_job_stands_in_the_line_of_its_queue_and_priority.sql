select plan(5);
create function pg_temp.strays() returns bigint language sql as $$
  select count(*) from mill.job_live j left join mill.floor f on f.queue = j.queue and f.priority = j.priority
  where j.line is distinct from f.line
$$;
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}, {"kind": "echo", "payload": {"a": 1}, "priority": 42},
  {"kind": "report_generation", "payload": {"a": 1}, "priority": -7, "run_at": "2999-01-01T00:00:00Z"}]');
select mill.enqueue_many('echo', '[{"a": 1}, {"a": 2}]');
select is((select count(distinct line) from mill.job_live), 3::bigint, 'three lines');
select is(pg_temp.strays(), 0::bigint, 'each job in its own');

select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}, "dedupe_key": "k"}]');
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}, "dedupe_key": "k", "priority": 77}]');
select is((select array[priority, pg_temp.strays()::int] from mill.job_live where dedupe_key = 'k'), array[77, 0], 'one that is hurried changes its line');
select is((select count(*) from mill.claim('w', array['default'], 1) where payload = '{"a": 1}'), 1::bigint, 'a job whose priority is raised is claimed first');
select mill.settle('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'dead')) from mill.job_live where worker = 'w'));
select mill.retry(array(select id from mill.job_dead));
select is((select array[priority, pg_temp.strays()::int] from mill.job_live where dedupe_key = 'k'), array[77, 0], 'a dead letter comes back to its line');
select * from finish();
