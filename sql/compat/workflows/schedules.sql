-- The pump does the same every few seconds. The entry is there for programs that look for it in cron.job.
insert into mill.schedule (name, description, schedule, step, command, every_seconds, slack_seconds) values
  ('reclaim-stale-tasks', 'Takes back the tasks of workers that are gone',
    '*/5 * * * *', 'public.reclaim_stale_tasks', null, 300, 300)
on conflict (name) do update set
  description = excluded.description, schedule = excluded.schedule, step = excluded.step, command = excluded.command,
  every_seconds = excluded.every_seconds, slack_seconds = excluded.slack_seconds;
