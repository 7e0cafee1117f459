-- Gives the job the oldest event of this name that no step has received, or puts the job off until one is sent. After p_seconds it goes on without one.
create or replace function public.wait_for_event(
  p_job uuid, p_worker text, p_attempt int, p_step text, p_event text, p_seconds numeric default null, p_logs jsonb default null)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_step mill.job_step;
  v_event mill.job_event;
begin
  if p_seconds not between 0 and 3155760000 or p_event is null or length(p_event) not between 1 and 200 then
    perform mill.refuse_step('a wait has the name of an event of up to 200 characters, and p_seconds up to a hundred years', null);
  end if;
  perform mill.lock_steps(p_job);
  if (mill.held_job(row(p_job, p_worker, p_attempt))).id is null then
    return jsonb_build_object('status', 'lost');
  end if;
  select s.* into v_step from mill.job_step s where s.job = p_job and s.step = p_step;
  if not found then
    v_step := jsonb_populate_record(null::mill.job_step, jsonb_build_object('job', p_job, 'step', p_step, 'attempt', p_attempt, 'state', 'waiting', 'event', p_event,
      'until', coalesce(v_now + make_interval(secs => p_seconds::double precision), 'infinity')));
    perform mill.keep_step(v_step);
  end if;
  if v_step.state = 'waiting' then
    select e.* into v_event from mill.job_event e where e.job = p_job and e.event = v_step.event and e.received_by is null order by e.n limit 1;
    if found then
      update mill.job_event e set received_by = p_step where e.job = p_job and e.n = v_event.n;
      v_step.state := 'finished';
      v_step.result := v_event.payload;
    elsif v_step.until <= v_now then
      v_step.state := 'timed_out';
    else
      return jsonb_build_object('until', nullif(v_step.until, 'infinity'),
        'status', case when mill.suspend(row(p_job, p_worker, p_attempt), v_step.until, p_logs) then 'suspended' else 'lost' end);
    end if;
    update mill.job_step s set state = v_step.state, result = v_step.result where s.job = p_job and s.step = p_step;
  end if;
  return case v_step.state when 'timed_out' then jsonb_build_object('status', 'timed_out') else jsonb_build_object('status', 'received', 'payload', v_step.result) end;
end
$$;

comment on function public.wait_for_event(uuid, text, int, text, text, numeric, jsonb) is 'Gives a job an event, or puts the job off until it is sent: received, timed_out, suspended or lost.';
revoke execute on function public.wait_for_event(uuid, text, int, text, text, numeric, jsonb) from public, anon, authenticated;
grant execute on function public.wait_for_event(uuid, text, int, text, text, numeric, jsonb) to service_role;
