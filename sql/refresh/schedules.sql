insert into mill.schedule (name, description, schedule, step, command, every_seconds, slack_seconds) values
  ('check-stale-data', 'Queues what is watched and stale',
    '* * * * *', 'public.check_and_queue_stale_data_from_presence', 'call mill.check_stale_data()', 60, 120),
  ('scheduled-refreshes', 'Queues what is due by its schedule',
    '* * * * *', 'public.queue_scheduled_refreshes', null, 60, 240),
  ('subscription-cleanup', 'Removes subscriptions that nobody has seen for five minutes',
    '* * * * *', 'mill.cleanup_subscriptions', null, 60, 540)
on conflict (name) do update set
  description = excluded.description, schedule = excluded.schedule, step = excluded.step, command = excluded.command,
  every_seconds = excluded.every_seconds, slack_seconds = excluded.slack_seconds;
