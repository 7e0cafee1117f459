select plan(4);
update mill.queue set batch_size = 10, max_parallel = 3 where queue = 'default';
-- Nobody is woken here.
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
select is(mill.invoke_due(), 0, 'no work, no invocation');
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', '{"a": 1}'::jsonb)) from generate_series(1, 11)));
select is(mill.invoke_due(), 2, 'eleven jobs are two batches of ten');
select is(mill.invoke_due(), 0, 'invocations on their way count against the backlog');
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', '{"a": 1}'::jsonb)) from generate_series(1, 500)));
select is(mill.invoke_due(), 1, 'never more than max_parallel');
select * from finish();
