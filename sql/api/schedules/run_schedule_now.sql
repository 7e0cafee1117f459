-- One job more, at once, whatever the schedule's times and policies say, also while it is paused. Its row in the runs is by_hand.
create or replace function public.run_schedule_now(p_schedule text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_schedule mill.job_schedule;
  v_now timestamptz := mill.now();
  v_job record;
begin
  select s.* into v_schedule from mill.job_schedule s where s.schedule = p_schedule for update;
  if not found then
    perform mill.refuse_schedule_name(p_schedule);
  end if;
  select e.id, e.status into v_job from mill.enqueue(jsonb_build_array(mill.scheduled_job(v_schedule, v_now))) e;
  if v_job.status = 'throttled' then
    raise exception 'the queue of "%" is full', v_schedule.kind using errcode = 'GM006', hint = 'Try again later.';
  end if;
  -- A clock that a test has stopped gives one time twice; the microseconds after it are as good.
  insert into mill.job_schedule_run (schedule, due, at, outcome, job)
  select p_schedule, d, v_now, 'by_hand', v_job.id
  from generate_series(0, 1000) n cross join lateral (select v_now + n * interval '1 microsecond' as d) t
  where not exists (select from mill.job_schedule_run r where r.schedule = p_schedule and r.due = d)
  order by n limit 1;
  perform mill.call_hooks('operated', jsonb_build_object('table', 'job_schedule', 'record', p_schedule, 'action', 'run'));
  return jsonb_build_object('id', v_job.id, 'status', v_job.status);
end
$$;

comment on function public.run_schedule_now(text) is 'Enqueues a job of a schedule at once, beside its due times; answers {id, status}.';
revoke execute on function public.run_schedule_now(text) from public, anon, authenticated;
grant execute on function public.run_schedule_now(text) to service_role;
