-- Whether a job of one of the last ten runs has not ended. Looking at all runs would cost a schedule of every minute 40,000 rows.
create or replace function mill.has_live_run(p_schedule text) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from (
      select r.job from mill.job_schedule_run r where r.schedule = p_schedule and r.job is not null order by r.due desc limit 10) l
    join mill.job_live j on j.id = l.job)
$$;

comment on function mill.has_live_run(text) is 'Whether a job of one of the last runs of a schedule has not ended.';
revoke execute on function mill.has_live_run(text) from public;

-- Enqueues what is due of one schedule and writes down what became of each due time. The caller holds the lock of its row.
--
-- A due time that is found within schedules.grace_seconds is in time. What is found later was missed, because the pump did not run or the job was refused
-- until now, and the catch-up policy decides: none of them, one job for all of them (the newest due time), or each of the last catch_up_limit.
create or replace function mill.enqueue_due_times(p_schedule mill.job_schedule, p_now timestamptz) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_in_time_from timestamptz := p_now - make_interval(secs => mill.setting('schedules.grace_seconds', '120')::int);
  v_due timestamptz[] := array(
    select d from mill.due_times(p_schedule, p_schedule.next_due - interval '1 microsecond', p_now) d
    where not exists (select from mill.job_schedule_run r where r.schedule = p_schedule.schedule and r.due = d) order by d);
  v_late timestamptz[] := array(select d from unnest(v_due) d where d < v_in_time_from order by d);
  v_run timestamptz[];
  v_is_busy boolean;
  v_jobs jsonb;
begin
  v_run := case
    when v_late = '{}' then v_due
    when p_schedule.catch_up = 'none' then v_due[cardinality(v_late) + 1 :]
    when p_schedule.catch_up = 'once' then v_due[cardinality(v_due) :]
    else v_due[greatest(1, cardinality(v_late) - p_schedule.catch_up_limit + 1) :] end;
  insert into mill.job_schedule_run (schedule, due, at, outcome, missed_count)
  select p_schedule.schedule, max(d), p_now, 'missed', count(*) from unnest(v_due) d where d <> all (v_run) having count(*) > 0;

  if p_schedule.overlap = 'skip' and v_run <> '{}' then
    v_is_busy := mill.has_live_run(p_schedule.schedule);
    insert into mill.job_schedule_run (schedule, due, at, outcome)
    select p_schedule.schedule, d.due, p_now, 'overlapped' from unnest(v_run) with ordinality as d(due, n)
    where d.n > 1 or v_is_busy;
    v_run := case when v_is_busy then '{}' else v_run[1:1] end;
  end if;

  if v_run <> '{}' then
    select jsonb_agg(to_jsonb(e)) into v_jobs
    from mill.enqueue((select jsonb_agg(mill.scheduled_job(p_schedule, d.due) order by d.n) from unnest(v_run) with ordinality as d(due, n))) e;
    if v_jobs @? '$[*] ? (@.status == "throttled")' then
      raise exception 'the queue of "%" is full', p_schedule.kind using errcode = 'GM006', hint = 'Try again later.';
    end if;
    insert into mill.job_schedule_run (schedule, due, at, outcome, job)
    select p_schedule.schedule, d.due, p_now, case when d.due < v_in_time_from then 'caught_up' else 'due' end, (j ->> 'id')::uuid
    from unnest(v_run) with ordinality as d(due, n) join jsonb_array_elements(v_jobs) j on (j ->> 'ordinal')::int = d.n - 1;
  end if;

  update mill.job_schedule s
  set next_due = coalesce((mill.next_due_times(p_schedule, p_now))[1], 'infinity'), problem = null
  where s.schedule = p_schedule.schedule;
  return cardinality(v_run);
end
$$;

comment on function mill.enqueue_due_times(mill.job_schedule, timestamptz) is 'Enqueues the due times of one schedule by its policies; says how many.';
revoke execute on function mill.enqueue_due_times(mill.job_schedule, timestamptz) from public;
