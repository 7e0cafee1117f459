create or replace function mill.schedule_row(p_schedule mill.job_schedule) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select mill.schedule_definition(p_schedule) || jsonb_build_object(
    'schedule', p_schedule.schedule, 'queue', k.queue, 'paused', p_schedule.paused, 'problem', p_schedule.problem, 'created_at', p_schedule.created_at,
    'next_due', case when not p_schedule.paused then nullif(p_schedule.next_due, 'infinity') end,
    'is_registered', p_schedule.registered is not null,
    'last_run', (
      select to_jsonb(r) - array['schedule'] from mill.job_schedule_run r where r.schedule = p_schedule.schedule order by r.due desc limit 1))
  from mill.kind k where k.kind = p_schedule.kind
$$;

comment on function mill.schedule_row(mill.job_schedule) is 'A schedule as list_schedules answers it.';
revoke execute on function mill.schedule_row(mill.job_schedule) from public;
