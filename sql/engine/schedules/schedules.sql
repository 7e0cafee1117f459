-- The recurring work of the engine itself. Other parts declare theirs in a file of their own, in this form. A row with a
-- command records its runs itself (mill.record_heartbeat): the pump each round, the cleanup when its function has come.
insert into mill.schedule as s (name, description, schedule, step, command, every_seconds, slack_seconds, trigger_of) values
  ('process-queue-batch', 'Reclaims, promotes and invokes, every few seconds for most of a minute',
    '* * * * *', 'mill.pump_once', 'call mill.pump()', 60, 60, 'processor'),
  ('partition-maintenance', 'Prepares the coming days, drops expired ones, prunes what grows',
    '17 * * * *', 'mill.maintain', null, 3600, 600, 'processor')
on conflict (name) do update set
  description = excluded.description, schedule = excluded.schedule, step = excluded.step, command = excluded.command,
  every_seconds = excluded.every_seconds, slack_seconds = excluded.slack_seconds, trigger_of = excluded.trigger_of;
