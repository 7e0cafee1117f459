-- A time as people and programs read it, the same for every session.
create or replace function mill.time_text(p_at timestamptz) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC' $$;

comment on function mill.time_text(timestamptz) is 'A time to the second, in UTC.';
revoke execute on function mill.time_text(timestamptz) from public;

-- Jobs that are not pending: their own row has the reason.
create or replace function mill.explain_attempts(p_job jsonb) returns table (code text, until timestamptz, sentence text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_id text := p_job ->> 'id';
  v_state text := p_job ->> 'state';
  v_run_at timestamptz := (p_job ->> 'run_at')::timestamptz;
  v_lease timestamptz := (p_job ->> 'lease_until')::timestamptz;
  v_attempt text := format('attempt %s of %s', p_job ->> 'attempt', p_job ->> 'max_attempts');
  v_step mill.job_step;
  v_until timestamptz;
  v_error text := concat_ws(': ', p_job #>> '{error,type}', left(p_job #>> '{error,message}', 500));
begin
  if v_state = 'deferred' then
    select s.* into v_step from mill.job_step s where s.job = v_id::uuid and s.state in ('sleeping', 'waiting') order by s.n desc limit 1;
    v_until := nullif(v_step.until, 'infinity');
  end if;
  case
    when v_state = 'completed' then
      return query select 'completed', null::timestamptz, format('The job was completed at %s. There is nothing to do.', mill.time_text((p_job ->> 'finished_at')::timestamptz));
    when v_state = 'cancelled' then
      return query select 'cancelled', null::timestamptz, format('The job was cancelled at %s. Enqueue it again if it is still wanted.', mill.time_text((p_job ->> 'finished_at')::timestamptz));
    when v_state = 'failed' then
      return query select 'dead', null::timestamptz, format(
        'The job is a dead letter since %s, after %s. Its last error: %s. Mend the cause, then run: select public.retry_jobs(array[''%s'']::uuid[]);',
        mill.time_text((p_job ->> 'finished_at')::timestamptz), v_attempt, coalesce(nullif(v_error, ''), 'none'), v_id);
    when v_state = 'processing' and (p_job ->> 'cancel_requested')::boolean then
      return query select 'cancel_requested', v_lease, format(
        'The job is being cancelled. Worker %s learns it with its next heartbeat; without one the job ends after its lease, at %s. Wait for that.', p_job ->> 'worker', mill.time_text(v_lease));
    when v_state = 'processing' and v_lease <= v_now then
      return query select 'lease_expired', null::timestamptz, format(
        'Worker %s has not been heard of: its lease ended at %s. The pump gives the job back in its next round. If this stays so, the pump does not run: run gristmill doctor.',
        p_job ->> 'worker', mill.time_text(v_lease));
    when v_state = 'processing' then
      return query select 'running', v_lease, format(
        'Worker %s has run it since %s (%s), and holds it until %s at the least. Wait for it, or cancel the job.', p_job ->> 'worker', mill.time_text((p_job ->> 'started_at')::timestamptz), v_attempt,
        mill.time_text(v_lease));
    when v_run_at <= v_now then
      return query select 'due_soon', null::timestamptz, format(
        'The job has been due since %s. The next claim of its queue or the next round of the pump makes it pending. If this stays so, run gristmill doctor.', mill.time_text(v_run_at));
    when v_state = 'retrying' then
      return query select 'retrying', v_run_at, format(
        '%s failed: %s. The job is tried again at %s. Wait, or mend the cause and retry it in the console.', upper(left(v_attempt, 1)) || substr(v_attempt, 2), coalesce(nullif(v_error, ''), 'no error was given'), mill.time_text(v_run_at));
    when v_step.state = 'waiting' then
      return query select 'waits_for_event', v_until, format(
        'The job waits for the event %L in its step "%s"%s. Send it: select public.send_event(''%s'', %1$L, ''{}'');', v_step.event, v_step.step,
        coalesce(', until ' || mill.time_text(v_until), ''), v_id);
    when v_step.state = 'sleeping' then
      return query select 'sleeps', v_step.until, format('The job sleeps in its step "%s" until %s. Nothing is held for it. Wait, or cancel the job.', v_step.step, mill.time_text(v_step.until));
    when p_job #>> '{error,type}' = 'unknown_kind' then
      return query select 'unknown_kind', v_run_at, format(
        'The last worker had no handler for the kind %s and gave the job back. It is offered again at %s. Deploy a function or start a worker that handles %1$s.', p_job ->> 'kind',
        mill.time_text(v_run_at));
    when v_error <> '' then
      return query select 'snoozed', v_run_at, format(
        'A worker has put the job off until %s: %s. No attempt was used up. Wait, or retry it in the console to have it run at once.', mill.time_text(v_run_at), v_error);
    else
      return query select 'not_due', v_run_at, format('The job is not due before %s, as it was enqueued. Wait, or retry it in the console to have it run at once.', mill.time_text(v_run_at));
  end case;
end
$$;

comment on function mill.explain_attempts(jsonb) is 'Why a job that is not pending is where it is. For mill.explain_job alone.';
revoke execute on function mill.explain_attempts(jsonb) from public;
