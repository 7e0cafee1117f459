-- The row of a schedule, locked; made when it is not there, with what its table says for the fields that the definition leaves out.
create or replace function mill.open_schedule(p_definition jsonb, p_place text, out schedule mill.job_schedule, out is_new boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_name text := coalesce(p_definition ->> 'schedule', '');
begin
  if v_name = '' then
    perform mill.refuse_definition_of(p_place || '/schedule', 'is missing');
  end if;
  select s.* into schedule from mill.job_schedule s where s.schedule = v_name for update;
  is_new := not found;
  if is_new then
    insert into mill.job_schedule (schedule, kind, payload, cron, every_seconds, due_field, next_due)
    select v_name, d.kind, coalesce(d.payload, '{}'), d.cron, d.every_seconds, d.due_field, 'infinity'
    from jsonb_populate_record(null::mill.job_schedule, p_definition) d
    returning * into schedule;
  end if;
end
$$;

comment on function mill.open_schedule(jsonb, text) is 'The row of a schedule that a definition names, made when it is missing.';
revoke execute on function mill.open_schedule(jsonb, text) from public;

-- Writes a schedule as it is to be. Its next due time is computed anew when its times have changed, and otherwise left alone: what is due stays due.
create or replace function mill.write_schedule(p_old mill.job_schedule, p_new mill.job_schedule, p_place text) returns mill.job_schedule
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_new mill.job_schedule := p_new;
begin
  perform mill.check_schedule(v_new, p_place);
  if p_old.next_due = 'infinity'
    or (p_old.cron, p_old.time_zone, p_old.every_seconds, p_old.starts_at) is distinct from (v_new.cron, v_new.time_zone, v_new.every_seconds, v_new.starts_at)
  then
    v_new.next_due := (mill.next_due_times(v_new, mill.now()))[1];
  end if;
  update mill.job_schedule s set (description, kind, payload, cron, time_zone, every_seconds, starts_at, overlap, catch_up, catch_up_limit, priority, group_key,
    due_field, next_due, problem, registered)
  = (v_new.description, v_new.kind, v_new.payload, v_new.cron, v_new.time_zone, v_new.every_seconds, v_new.starts_at, v_new.overlap, v_new.catch_up,
    v_new.catch_up_limit, v_new.priority, v_new.group_key, v_new.due_field, v_new.next_due, null, v_new.registered)
  where s.schedule = v_new.schedule;
  return v_new;
end
$$;

comment on function mill.write_schedule(mill.job_schedule, mill.job_schedule, text) is 'Checks and writes a schedule.';
revoke execute on function mill.write_schedule(mill.job_schedule, mill.job_schedule, text) from public;

create or replace function mill.schedule_fields() returns text[]
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select array['schedule', 'description', 'kind', 'payload', 'cron', 'time_zone', 'every_seconds', 'starts_at', 'overlap', 'catch_up', 'catch_up_limit',
    'priority', 'group_key', 'due_field']
$$;

comment on function mill.schedule_fields() is 'What the definition of a schedule may have.';
revoke execute on function mill.schedule_fields() from public;
