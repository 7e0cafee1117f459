-- live: a CALL with COMMITs, as cron makes it
select plan(4);
call mill.pump(0);
select ok((select at > now() - interval '10 seconds' from mill.heartbeat where part = 'process-queue-batch'), 'a round was committed');
select is((select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()), 0::bigint, 'the lock is free again');
select ok((select count(*) from cron.job where jobname in ('process-queue-batch', 'partition-maintenance')) = 2, 'the schedules are installed');
select is(mill.install_schedules(), (select count(*)::int from mill.schedule), 'installing the schedules again changes nothing');
select * from finish();
