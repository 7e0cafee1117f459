select plan(9);
update mill.queue set dequeue = 'priority' where queue = 'default'; -- fair by default, which has no packs and an index of what runs
select mill.enqueue_many('echo', '[{"n": 0}, {"n": 1}, {"n": 2}, {"n": 3}]');
create temp table held as select * from mill.claim('w', array['default'], 4);
select is(mill.complete('w', '{}', '{}'), '{}', 'nothing to complete');
select is(mill.complete('zombie', (select array_agg(id) from held), (select array_agg(attempt) from held)), (select array_agg(id order by id) from held), 'another worker holds nothing');
select is(mill.complete('w', array[id], array[attempt + 1]), array[id], 'another attempt holds nothing') from held limit 1;
select is((select count(*) from mill.job where state = 'processing'), 4::bigint, 'a completion that is lost changes nothing');

select mill.cancel(array(select id from held where payload ->> 'n' = '0'));
select is(mill.complete('w', (select array_agg(id) from held), (select array_agg(attempt) from held)), array(select id from held where payload ->> 'n' = '0'), 'one that was asked to cancel is lost');
select results_eq('select payload ->> ''n'', state from mill.job order by 1',
  $$ values ('0', 'cancelled'), ('1', 'completed'), ('2', 'completed'), ('3', 'completed') $$, 'a job that was asked to cancel ends as cancelled, the others as completed');

select mill.enqueue_many('echo', '[{"m": 0}, {"m": 1}]');
select mill.settle('w', jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'failed', 'delay_seconds', 0))) from mill.claim('w', array['default'], 1);
select mill.promote();
create temp table mixed as select * from mill.claim('w', array['default'], 2);
select is(mill.complete('w', (select array_agg(id) from mixed), (select array_agg(attempt) from mixed)), '{}', 'jobs of several attempts are completed together');
select is((select array_agg(attempt order by attempt) from mill.job where payload ? 'm' and state = 'completed'), array[1, 2], 'each in its own');
select throws_ok($$ select mill.complete('w', array[gen_random_uuid()], '{}') $$, 'GM005', null, 'an id without its attempt is refused');
select * from finish();
