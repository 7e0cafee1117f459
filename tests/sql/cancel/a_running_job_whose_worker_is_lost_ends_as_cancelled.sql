select plan(2);
set mill.now = '2030-01-01 00:00+00';
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]');
select mill.claim('w', array['default'], 1);
select mill.cancel(array(select id from mill.job));
set mill.now = '2030-01-01 01:00+00';
select is(mill.reclaim(), 1, 'the lease is taken back');
select is((select state from mill.job), 'cancelled', 'a cancelled job whose worker was lost is not retried');
select * from finish();
