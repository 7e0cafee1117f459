-- Rows that a fresh installation starts with. What an operator has changed stays as it is.
insert into public.system_configuration (config_key, config_value, config_type, description) values
  ('worker.heartbeat_interval_seconds', '30', 'number', 'How often a container worker extends its leases'),
  ('worker.timeout_seconds', '300', 'number', 'How long a worker may be silent'),
  ('worker.reclaim_jitter_max_seconds', '60', 'number', 'Jobs of a lost worker return spread over this time'),
  ('queue.backpressure_delay_seconds', '30', 'number', 'How long a job waits for a provider under pressure'),
  ('queue.payload_max_bytes', '65536', 'number', 'The largest payload that enqueue takes'),
  ('pump.interval_seconds', '5', 'number', 'How long the pump rests between rounds')
on conflict (config_key) do nothing;

insert into mill.queue (queue, description, function) values
  ('default', 'Light work, done by the processor function', 'processor')
on conflict (queue) do nothing;

insert into mill.kind (kind, queue, description, open_to_users) values
  ('echo', 'default', 'Answers with its payload; delay_ms makes it take its time', true)
on conflict (kind) do nothing;

select mill.maintain();
