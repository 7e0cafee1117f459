-- Every option of a queue that the console shows: its type, bounds and what it does. The bounds are those of the constraints of mill.queue; a test compares them.
create or replace function mill.queue_options()
returns table (place int, name text, type text, min numeric, max numeric, choices text[], nullable boolean, unit text, "group" text, sentence text)
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select row_number() over ()::int, o.* from (values
    ('description', 'text', null::numeric, null::numeric, null::text[], false, null, 'about', 'What the queue is for, as the console shows it.'),
    ('batch_size', 'integer', 1, 1000, null, false, 'jobs', 'claiming', 'How many jobs one invocation of the function, or one claim of a pack, takes at most.'),
    ('max_parallel', 'integer', 1, 1000, null, false, 'invocations', 'claiming', 'How many invocations of the function run at the same time.'),
    ('max_running', 'integer', 1, 100000, null, true, 'jobs', 'claiming', 'How many jobs of the queue run at the same time; empty: any number.'),
    ('max_running_per_group', 'integer', 1, 100000, null, true, 'jobs', 'claiming', 'How many jobs with the same group key run at the same time; empty: any number.'),
    ('dequeue', 'choice', null, null, array['priority', 'fair'], false, null, 'claiming', 'priority: the highest priority first, then the oldest. fair: tenants take turns.'),
    ('depth_limit', 'integer', 1, 10000000, null, true, 'jobs', 'enqueueing', 'With this many jobs due, new ones are answered as throttled; empty: any number.'),
    ('lease_seconds', 'integer', 1, 86400, null, false, 'seconds', 'time', 'How long a worker may be silent before its job is given to another.'),
    ('invocation_seconds', 'integer', 1, 900, null, false, 'seconds', 'time', 'How long one invocation of the function may take; after that it is lost.'),
    ('max_attempts', 'integer', 1, 1000, null, false, 'attempts', 'retries', 'How often a job is tried before it becomes a dead letter. Jobs that exist keep their number.'),
    ('max_lease_losses', 'integer', 1, 1000, null, false, 'times', 'retries', 'How often a job may lose its worker before it becomes a dead letter.'),
    ('backoff_base_seconds', 'number', 0.001, 86400, null, false, 'seconds', 'retries', 'How long the first retry waits; each further one waits twice as long.'),
    ('backoff_cap_seconds', 'number', 0.001, 31536000, null, false, 'seconds', 'retries', 'The longest wait between two attempts.'),
    ('backoff_jitter', 'number', 0, 1, null, true, 'share', 'retries', 'By what share a wait varies, so that retries do not come all at once; empty: anything up to the wait.'),
    ('retention_days', 'integer', 1, 3650, null, false, 'days', 'keeping', 'How long completed and cancelled jobs are kept. Dead letters are kept until somebody retries or discards them.'),
    ('target_seconds', 'integer', 1, 86400, null, false, 'seconds', 'scaling', 'How soon the backlog should be cleared: what an autoscaler is told to aim at.'),
    ('provider', 'text', null, null, null, true, null, 'limits', 'The provider whose limit the jobs draw on; together with endpoint.'),
    ('endpoint', 'text', null, null, null, true, null, 'limits', 'The endpoint of the provider whose limit the jobs draw on.')
  ) as o(name, type, min, max, choices, nullable, unit, "group", sentence)
$$;

comment on function mill.queue_options() is 'The options of a queue that the console can change, with type, bounds and what each does.';
revoke execute on function mill.queue_options() from public;
