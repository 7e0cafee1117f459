create or replace function mill.scheduled_job(p_schedule mill.job_schedule, p_due timestamptz) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_strip_nulls(jsonb_build_object(
      'kind', p_schedule.kind, 'name', p_schedule.schedule, 'priority', p_schedule.priority, 'group_key', p_schedule.group_key))
    || jsonb_build_object('payload', p_schedule.payload || case when p_schedule.due_field is null then '{}'
      else jsonb_build_object(p_schedule.due_field, to_char(p_due at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end)
$$;

comment on function mill.scheduled_job(mill.job_schedule, timestamptz) is 'The job of one due time, as mill.enqueue takes it.';
revoke execute on function mill.scheduled_job(mill.job_schedule, timestamptz) from public;
