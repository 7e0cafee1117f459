-- What would have been due while a schedule was paused is not made up for: it begins again with the next due time.
create or replace function mill.pause_job_schedule(p_schedule text, p_paused boolean) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_schedule mill.job_schedule;
begin
  select s.* into v_schedule from mill.job_schedule s where s.schedule = p_schedule for update;
  if not found then
    perform mill.refuse_schedule_name(p_schedule);
  end if;
  if v_schedule.paused <> p_paused then
    update mill.job_schedule s set paused = p_paused,
      next_due = case when p_paused then s.next_due else coalesce((mill.next_due_times(s, mill.now()))[1], 'infinity') end
    where s.schedule = p_schedule;
    perform mill.call_hooks('operated', jsonb_build_object('table', 'job_schedule', 'record', p_schedule, 'action', case when p_paused then 'pause' else 'resume' end));
  end if;
  return p_paused;
end
$$;

comment on function mill.pause_job_schedule(text, boolean) is 'Pauses or resumes a schedule.';
revoke execute on function mill.pause_job_schedule(text, boolean) from public;

create or replace function mill.refuse_schedule_name(p_schedule text) returns void
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'there is no schedule "%"', left(p_schedule, 64) using errcode = 'GM015', hint = 'list_schedules names those that there are.';
end
$$;

comment on function mill.refuse_schedule_name(text) is 'Raises GM015.';
revoke execute on function mill.refuse_schedule_name(text) from public;
