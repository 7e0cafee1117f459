-- live: with the real pg_cron on Debian's Postgres, with the relay's on the embedded one
select plan(3);
delete from mill.heartbeat where part = 'pump';
-- Not a sleep: it ends as soon as the next full minute has come and cron has done its part.
do $$
begin
  for v_try in 1 .. 750 loop
    exit when exists (select from mill.heartbeat where part = 'pump')
      and exists (select from cron.job_run_details d join cron.job j using (jobid) where j.jobname = 'gristmill-pump');
    perform pg_sleep(0.1);
    commit;
  end loop;
end
$$;
select ok(exists (select from mill.heartbeat where part = 'pump'), 'the pump has run');
select ok(exists (select from cron.job_run_details d join cron.job j using (jobid)
                  where j.jobname = 'gristmill-pump' and d.status in ('running', 'succeeded')), 'as a run of cron, on record');
select results_eq(
  $$ select jobname::text collate "C", schedule collate "C", command collate "C" from cron.job where jobname like 'gristmill-%' order by 1 $$,
  $$ values ('gristmill-maintain' collate "C", '17 * * * *' collate "C", 'select mill.maintain()' collate "C"),
            ('gristmill-pump', '* * * * *', 'call mill.pump()') $$, 'with no secret in any command');
select * from finish();
