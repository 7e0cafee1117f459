select plan(7);
select mill.enqueue('[
  {"kind": "echo", "payload": {"n": 1}, "priority": 1},
  {"kind": "echo", "payload": {"n": 2}, "priority": 9},
  {"kind": "echo", "payload": {"n": 3}, "priority": 9},
  {"kind": "echo", "payload": {"n": 4}, "priority": 9, "run_at": "2999-01-01T00:00:00Z"}]');
create temp table first as select * from mill.claim('w1', array['default'], 2);
select is((select array_agg(payload ->> 'n' order by id) from first), array['2', '3'], 'priority first, then age');
select is((select array_agg(distinct attempt) from first), array[1], 'the attempt is counted at claim');
select is((select count(*) from mill.job where state = 'processing' and worker = 'w1' and lease_until > mill.now()), 2::bigint, 'leased');
select is((select array_agg(payload ->> 'n') from mill.claim('w2', array['default'], 10)), array['1'], 'the next gets the rest');
select is_empty($$ select * from mill.claim('w3', array['default'], 10) $$, 'a job of the future is not due');
select throws_ok($$ select * from mill.claim('', array['default'], 1) $$, 'GM004', null, 'a worker needs a name');

set mill.now = '2999-01-02 00:00+00';
select is((select array_agg(payload ->> 'n') from mill.claim('w3', array['default'], 10)), array['4'], 'claim promotes what has become due');
select * from finish();
