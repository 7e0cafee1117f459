-- Durable steps: what a job has done so far, so that its next attempt, invocation or worker goes on from there.
--
--   step           fn runs, then record_step keeps its result: the same step of a later attempt answers it and runs nothing
--   sleep          sleep_step puts the job off until a time
--   wait           wait_for_event puts it off until send_event, or until a timeout
--
-- A job that sleeps or waits is deferred: no worker, no invocation and no lease is held for it. Suspending is a settlement, made in the transaction that
-- writes the row here, so an event comes either before it (and is found) or after it (and makes the job due).
--
-- Every write is fenced by the holder (mill.held_job). The primary key makes it impossible to finish a step twice.
--
-- Lock order: the advisory lock of the job (mill.lock_steps), its row of job_live, rows here. Rows go with their job, as those of mill.job_log do.
create table mill.job_step (
  job uuid not null,
  step text not null,
  n int not null,
  attempt int not null,
  at timestamptz not null,
  -- Of a sleep or a wait: until when; infinity where there is no timeout.
  until timestamptz,
  -- Of a wait: the event.
  event text,
  state text not null,
  result jsonb,
  primary key (job, step),
  constraint step_name_has_up_to_200_characters check (length(step) between 1 and 200),
  constraint step_state_is_known check (state in ('finished', 'sleeping', 'waiting', 'timed_out')),
  constraint only_what_is_finished_has_a_result check ((state = 'finished') or result is null),
  constraint a_wait_names_its_event check (state <> 'waiting' or event is not null),
  constraint who_sleeps_or_waits_does_so_until_a_time check (state not in ('sleeping', 'waiting') or until is not null)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
comment on table mill.job_step is 'What a job has done so far: steps with their results, sleeps and waits.';

create table mill.job_event (
  job uuid not null,
  n bigint generated always as identity,
  event text not null,
  payload jsonb not null,
  at timestamptz not null,
  -- A second event of the job with this key is a duplicate.
  key text,
  -- The step that has received it.
  received_by text,
  primary key (job, n),
  constraint event_name_has_up_to_200_characters check (length(event) between 1 and 200),
  constraint event_key_has_up_to_200_characters check (length(key) between 1 and 200)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
comment on table mill.job_event is 'Events that were sent to a job, also before it waits for them. Each is received by one step.';
create unique index job_event_key on mill.job_event (job, key) where key is not null;
