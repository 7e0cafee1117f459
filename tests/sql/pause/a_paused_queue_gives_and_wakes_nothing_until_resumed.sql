select plan(6);
select is(public.pause_queue('default'), true, 'paused');
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]');
select is((select count(*) from mill.invocation), 0::bigint, 'an enqueue wakes nobody');
select is_empty($$ select * from mill.claim('w', array['default'], 1) $$, 'a claim gets nothing');
select is(public.pause_queue('default', false), false, 'resumed');
select is((select count(*) from mill.invocation), 1::bigint, 'what waited is woken at once');
select throws_ok($$ select public.pause_queue('nope') $$, 'GM007', 'unknown queue "nope"', 'an unknown queue is refused');
select * from finish();
