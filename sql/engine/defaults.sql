-- Rows that a fresh installation starts with. What an operator has changed stays as it is.
insert into mill.settings (key, value, type, description) values
  ('worker.heartbeat_interval_seconds', '30', 'number', 'How often a container worker extends its leases'),
  ('worker.timeout_seconds', '300', 'number', 'How long a worker may be silent'),
  ('worker.reclaim_jitter_max_seconds', '60', 'number', 'Jobs of a lost worker return spread over this time'),
  ('queue.payload_max_bytes', '65536', 'number', 'The largest payload that enqueue takes, in bytes of jsonb'),
  ('users.jobs_per_minute', '1200', 'number', 'How many jobs one user may submit per minute'),
  ('users.uploads_per_minute', '120', 'number', 'How many uploads one user may begin per minute'),
  ('users.workflows_per_minute', '60', 'number', 'How many workflows one user may start per minute'),
  ('users.documents_per_minute', '1000', 'number', 'How many rows of documents one user may insert per minute, and so in one request'),
  ('users.live_jobs_per_queue', '1000', 'number', 'How many jobs of one user may wait or run in a queue that the user submits to'),
  ('pump.interval_seconds', '5', 'number', 'How long the pump rests between rounds'),
  ('schedules.grace_seconds', '120', 'number', 'A due time of a schedule that is found later than this was missed, and its catch-up policy decides'),
  ('steps.result_max_bytes', '262144', 'number', 'The largest result of one step of a job'),
  ('steps.total_max_bytes', '8388608', 'number', 'What the results of the steps of one job may have together'),
  ('steps.max_per_job', '1000', 'number', 'How many steps, sleeps and waits one job may have'),
  ('steps.max_events_per_job', '1000', 'number', 'How many events may be sent to one job'),
  ('wake.by_function', 'true', 'boolean', 'Whether the function that took a job also sends its wake-up, before pg_net does'),
  ('breaker.window_seconds', '60', 'number', 'How far back a breaker looks'),
  ('breaker.min_attempts', '20', 'number', 'With fewer attempts in the window a breaker stays closed'),
  ('breaker.failure_rate', '0.5', 'number', 'The share of failed attempts that opens a breaker'),
  ('breaker.cooldown_seconds', '30', 'number', 'How long a breaker stays open before its first probe')
on conflict (key) do nothing;

insert into mill.queue (queue, description, served_by, function) values
  ('default', 'Light work, done by the processor function', 'function', 'processor')
on conflict (queue) do nothing;
-- The lease of the container worker's queues is three of its heartbeats (30 s): what a killed worker held is taken back after that.
insert into mill.queue (queue, description, lease_seconds) values
  ('standard', 'Work for the container worker', 90)
on conflict (queue) do nothing;

insert into mill.kind (kind, queue, description, open_to_users) values
  ('echo', 'default', 'Answers with its payload; delay_ms makes it take its time', true)
on conflict (kind) do nothing;

select mill.maintain();
