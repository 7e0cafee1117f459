select plan(4);
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}, {"kind": "echo", "payload": {"a": 2}}]');
select mill.settle('w', jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'dead'))) from mill.claim('w', array['default'], 1);
select is((select count(*) from mill.discard(array(select id from mill.job)) where status = 'discarded'), 1::bigint, 'the dead letter is gone');
select is((select count(*) from mill.job), 1::bigint, 'a live job stays');
select is((select detail ->> 'count' from mill.event where code = 'dead_letters_discarded'), '1', 'discarding a dead letter is on record');
select is((select status from mill.discard(array[gen_random_uuid()])), 'not_dead', 'an unknown one is not there');
select * from finish();
