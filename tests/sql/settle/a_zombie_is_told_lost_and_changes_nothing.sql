select plan(7);
set mill.now = '2030-01-01 00:00+00';
insert into mill.settings (key, value) values ('worker.reclaim_jitter_max_seconds', '0')
on conflict (key) do update set value = '0';
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]');
create temp table zombie as select * from mill.claim('zombie', array['default'], 1);
set mill.now = '2030-01-01 01:00+00';
select is(mill.reclaim(), 1, 'the lease is taken back');
create temp table heir as select * from mill.claim('heir', array['default'], 1);
create temp table before as select * from mill.job;

select is((select status from mill.settle('zombie', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', o)) from zombie))), 'lost', o)
from unnest(array['completed', 'failed', 'snoozed']) o;
select is((select status from mill.heartbeat('zombie', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt)) from zombie))), 'lost', 'heartbeat');
select is((select status from mill.settle('heir', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', 1, 'outcome', 'completed')) from heir))), 'lost',
  'the right worker with an old attempt is a zombie too');
select results_eq('select * from mill.job', 'select * from before', 'nothing changed');
select * from finish();
