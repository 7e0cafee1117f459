select plan(10);
select throws_ok($$ select mill.enqueue('{}') $$, 'GM004', null, 'jobs that are no array are refused');
select throws_ok($$ select mill.enqueue('[1]') $$, 'GM004', null, 'a job that is no object is refused');
select throws_ok($$ select mill.enqueue('[{"payload": {"a": 1}}]') $$, 'GM004', null, 'a job without a kind is refused');
select throws_ok($$ select mill.enqueue('[{"kind": "nope", "payload": {"a": 1}}]') $$, 'GM001', 'unknown job kind "nope"', 'a job of an unknown kind is refused');
select throws_ok($$ select mill.enqueue('[{"kind": "echo"}]') $$, 'GM002', null, 'a job without a payload is refused');
select throws_ok($$ select mill.enqueue('[{"kind": "echo", "payload": {}}]') $$, 'GM002', null, 'a job with an empty payload is refused');
select throws_ok($$ select mill.enqueue('[{"kind": "echo", "payload": [1]}]') $$, 'GM002', null, 'payload is an array');
select throws_ok($$ select mill.enqueue(jsonb_build_array(jsonb_build_object('kind', 'echo', 'payload', jsonb_build_object('a', repeat('x', 65536))))) $$,
  'GM003', null, 'payload over 64 KiB');
select throws_ok($$ select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}, {"kind": "echo", "payload": {}}]') $$,
  'GM002', null, 'one bad job refuses the batch');
select is_empty('select * from mill.job', 'nothing was written');
select * from finish();
