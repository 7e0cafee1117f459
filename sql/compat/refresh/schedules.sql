-- The compatible name of what the engine does as partition-maintenance. Whoever watches cron asks for it by this name.
insert into mill.schedule (name, description, schedule, step, every_seconds, slack_seconds, is_critical) values
  ('maintain-queue-partitions', 'Prepares the coming days and drops expired ones', '41 * * * *', 'public.maintain_queue_partitions', 3600, 600, false)
on conflict (name) do update set
  description = excluded.description, schedule = excluded.schedule, step = excluded.step,
  every_seconds = excluded.every_seconds, slack_seconds = excluded.slack_seconds, is_critical = excluded.is_critical;
