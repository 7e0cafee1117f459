-- What reschedule_job and an update of job_queue do: the job waits, its attempt is given back, and its error says why and for how long.
-- The keys are those that the documents have in error_details.
create or replace function mill.reschedule_compat_lease(p_id uuid, p_delay numeric, p_jitter numeric, p_reason text, p_more jsonb default '{}') returns boolean
language sql
set search_path = pg_catalog, pg_temp
as $$
  select mill.settle_compat_lease(p_id, jsonb_build_object('outcome', 'snoozed', 'delay_seconds', p_delay + p_jitter,
    'error', p_more || jsonb_build_object('type', 'rescheduled', 'message', p_reason, 'retryable', true, 'reschedule_reason', p_reason,
      'reschedule_delay_seconds', trim_scale(p_delay), 'jitter_seconds', trim_scale(p_jitter),
      'total_delay_seconds', trim_scale(p_delay + p_jitter), 'rescheduled_at', mill.now())))
$$;

comment on function mill.reschedule_compat_lease(uuid, numeric, numeric, text, jsonb) is
  'Puts off a job that is processing under a lease that a compat claim gave out; false for any other. p_more: further keys of its error.';
revoke execute on function mill.reschedule_compat_lease(uuid, numeric, numeric, text, jsonb) from public;
