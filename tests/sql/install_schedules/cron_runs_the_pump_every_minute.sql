-- live: with the real pg_cron on Debian's Postgres, with the relay's on the embedded one
select plan(3);
delete from mill.heartbeat where part = 'process-queue-batch';
-- Not a sleep: it ends as soon as the next full minute has come and cron has done its part.
do $$
begin
  for v_try in 1 .. 750 loop
    exit when exists (select from mill.heartbeat where part = 'process-queue-batch')
      and exists (select from cron.job_run_details d join cron.job j using (jobid) where j.jobname = 'process-queue-batch');
    perform pg_sleep(0.1);
    commit;
  end loop;
end
$$;
select ok(exists (select from mill.heartbeat where part = 'process-queue-batch'), 'the pump has run');
select ok(exists (select from cron.job_run_details d join cron.job j using (jobid)
                  where j.jobname = 'process-queue-batch' and d.status in ('running', 'succeeded')), 'the run of the pump is on record as a run of cron');
select results_eq(
  $$ select jobname::text collate "C", schedule collate "C", command collate "C" from cron.job order by 1 $$,
  $$ select name collate "C", schedule collate "C", coalesce(command, format('select mill.run_schedule(%L)', name)) collate "C" from mill.schedule order by 1 $$,
  'every schedule is installed as it is declared, with no secret in any command');
select * from finish();
