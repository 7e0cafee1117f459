select plan(4);
select mill.enqueue_many('echo', '[{"a": 1}]');
select is((select count(*) from mill.invocation), 1::bigint, 'enqueue_many');
update mill.invocation set begun_at = mill.now(), ended_at = mill.now();
create temp table dead as select id, attempt from mill.claim('w', array['default'], 1);
select mill.settle('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'dead')) from dead));
select is((select count(*) from mill.invocation), 1::bigint, 'the end of a job wakes no queue');
select mill.retry(array(select id from dead));
select is((select count(*) from mill.invocation where begun_at is null), 1::bigint, 'an operator who sends a dead letter back');

update mill.invocation set begun_at = mill.now(), ended_at = mill.now() where begun_at is null;
select mill.claim('w', array['default'], 1);
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}, "dedupe_key": "k", "run_at": "2999-01-01T00:00:00Z"}]');
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}, "dedupe_key": "k"}]');
select is((select count(*) from mill.invocation where begun_at is null), 1::bigint, 'a duplicate that is due earlier');
select * from finish();
