-- Puts the job off: for p_seconds, by the database's clock, or until p_until. Called again by a later attempt, the same step is done once its time has come.
create or replace function public.sleep_step(
  p_job uuid, p_worker text, p_attempt int, p_step text, p_seconds numeric default null, p_until timestamptz default null, p_logs jsonb default null)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_step mill.job_step;
begin
  if coalesce(p_seconds not between 0 and 3155760000, p_until is null) then
    perform mill.refuse_step('a sleep has p_seconds, up to a hundred years, or p_until', null);
  end if;
  if (mill.held_job(row(p_job, p_worker, p_attempt))).id is null then
    return jsonb_build_object('status', 'lost');
  end if;
  select s.* into v_step from mill.job_step s where s.job = p_job and s.step = p_step;
  if not found then
    v_step := jsonb_populate_record(null::mill.job_step, jsonb_build_object('job', p_job, 'step', p_step, 'attempt', p_attempt, 'state', 'sleeping',
      'until', coalesce(p_until, v_now + make_interval(secs => p_seconds::double precision))));
    perform mill.keep_step(v_step);
  end if;
  if v_step.state <> 'sleeping' or v_step.until <= v_now then
    update mill.job_step s set state = 'finished' where s.job = p_job and s.step = p_step and s.state = 'sleeping';
    return jsonb_build_object('status', 'done', 'until', v_step.until);
  end if;
  return jsonb_build_object('until', v_step.until,
    'status', case when mill.suspend(row(p_job, p_worker, p_attempt), v_step.until, p_logs) then 'suspended' else 'lost' end);
end
$$;

comment on function public.sleep_step(uuid, text, int, text, numeric, timestamptz, jsonb) is 'Puts a job off until a time: suspended, done once the time has come, or lost.';
revoke execute on function public.sleep_step(uuid, text, int, text, numeric, timestamptz, jsonb) from public, anon, authenticated;
grant execute on function public.sleep_step(uuid, text, int, text, numeric, timestamptz, jsonb) to service_role;
