select plan(3);
set mill.now = '2030-01-01 00:00+00';
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]');
create temp table held as select * from mill.claim('w', array['default'], 1);
set mill.now = '2030-01-01 00:04+00';
select is((select status from mill.heartbeat('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt)) from held))), 'held', 'a worker that holds a lease is answered held');
select is((select lease_until from mill.job), '2030-01-01 00:09+00'::timestamptz, 'a lease is extended from now');
select is((select status from mill.heartbeat('other', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt)) from held))), 'lost',
  'a lease is not extended for another worker');
select * from finish();
