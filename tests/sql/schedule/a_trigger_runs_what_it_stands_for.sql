select plan(3);
select is(public.run_schedules('processor', '17 * * * *'), '{"partition-maintenance": true}', 'by function and by time');
select ok(public.run_schedules('processor', '* * * * *') ? 'process-queue-batch', 'the pump among them');
select is(public.run_schedules('processor', '9 9 9 9 9'), '{}', 'a trigger that nobody declared runs nothing');
select * from finish();
