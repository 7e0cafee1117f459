select plan(4);
set mill.now = '2030-01-01 00:00+00';
select mill.enqueue_many('echo', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, 20) n));
create temp table held as select * from mill.claim('w', array['default'], 20);
select is((select count(*) from mill.settle('zombie', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'completed')) from held)) where status = 'lost'), 20::bigint, 'only by its worker');
select mill.settle('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', o,
  'delay_seconds', case when o <> 'released' then 60 end)) from held,
  lateral (select (array['completed', 'failed', 'snoozed', 'released', 'dead'])[1 + (payload ->> 'n')::int % 5] as o) o));
select results_eq('select state, count(*) from mill.job group by 1 order by 1',
  $$ values ('completed', 4::bigint), ('deferred', 4), ('failed', 4), ('pending', 4), ('retrying', 4) $$, 'every outcome is what it always is');
select is((select count(*) from mill.claim('w', array['default'], 100)), 4::bigint, 'released ones are in line at once');
set mill.now = '2030-01-01 00:02+00';
select is((select count(*) from mill.claim('w', array['default'], 100)), 8::bigint, 'jobs that wait for their retry are claimed when they are due');
select * from finish();
