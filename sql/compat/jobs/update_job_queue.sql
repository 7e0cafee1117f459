-- The compatible direct update: {status: 'pending', scheduled_at, worker_id: null, started_at: null, heartbeat_at: null} reschedules a job.
-- It acts under the lease that it saw, and only if a compat claim gave that lease out; otherwise no row is changed. Every other change
-- belongs to a call that says what happened, and is refused here.
create or replace function mill.update_job_queue() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_open constant text[] := array['status', 'scheduled_at', 'updated_at', 'started_at', 'worker_id', 'heartbeat_at', 'error_details'];
  v_lease mill.compat_lease;
  v_delay numeric;
  v_more jsonb := case when new.error_details is distinct from old.error_details and jsonb_typeof(new.error_details) = 'object' then new.error_details else '{}' end;
begin
  if new.status is distinct from 'pending' or new.worker_id is not null or new.started_at is not null or new.heartbeat_at is not null
    or to_jsonb(new) - v_open <> to_jsonb(old) - v_open
  then
    raise exception 'a job is changed here only to be rescheduled' using errcode = 'GM008',
      detail = 'A reschedule sets status to pending, scheduled_at to a time, and worker_id, started_at and heartbeat_at to null.',
      hint = 'complete_job and fail_job end a job, update_job_heartbeat extends its lease.';
  end if;
  v_lease := mill.lock_compat_lease(old.id);
  if v_lease.id is null or v_lease.worker is distinct from old.worker_id or v_lease.started_at is distinct from old.started_at then
    return null;
  end if;
  v_delay := coalesce(round(extract(epoch from new.scheduled_at - mill.now()), 3), mill.setting('queue.backpressure_delay_seconds', '30')::numeric);
  if not mill.reschedule_compat_lease(old.id, greatest(v_delay, 0), 0, coalesce(v_more ->> 'reschedule_reason', 'rescheduled'), v_more) then
    return null;
  end if;
  select q.* into new from public.job_queue q where q.id = old.id;
  return new;
end
$$;

comment on function mill.update_job_queue() is 'Reschedules a job where a row of job_queue is set back to pending.';
revoke execute on function mill.update_job_queue() from public;

drop trigger if exists job_queue_is_rescheduled on public.job_queue;
create trigger job_queue_is_rescheduled instead of update on public.job_queue
  for each row execute function mill.update_job_queue();
