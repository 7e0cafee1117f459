-- The fields of a schedule as a definition has them. Times are written in UTC, whatever the time zone of the session: two definitions are compared as text.
create or replace function mill.schedule_definition(p_schedule mill.job_schedule) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
as $$
  select to_jsonb(p_schedule) - array['schedule', 'paused', 'next_due', 'problem', 'created_at', 'registered']
$$;

comment on function mill.schedule_definition(mill.job_schedule) is 'A schedule in the form of register_jobs.';
revoke execute on function mill.schedule_definition(mill.job_schedule) from public;

-- A schedule with the fields of a definition; what the definition leaves out stays. With cron it is no interval any more, and the other way round.
create or replace function mill.schedule_from_definition(p_schedule mill.job_schedule, p_definition jsonb) returns mill.job_schedule
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_populate_record(p_schedule, case
      when coalesce(p_definition -> 'cron', 'null') <> 'null' then '{"every_seconds": null}'::jsonb
      when coalesce(p_definition -> 'every_seconds', 'null') <> 'null' then '{"cron": null}'
      else '{}' end || p_definition)
$$;

comment on function mill.schedule_from_definition(mill.job_schedule, jsonb) is 'A schedule as a definition asks for it.';
revoke execute on function mill.schedule_from_definition(mill.job_schedule, jsonb) from public;
