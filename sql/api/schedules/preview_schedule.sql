-- Of a schedule that is there, by its name alone, or of a definition that is not saved.
create or replace function public.preview_schedule(p_schedule jsonb, p_count int default 5) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_schedule mill.job_schedule;
begin
  perform mill.check_definition_fields(p_schedule, mill.schedule_fields(), '');
  select s.* into v_schedule from mill.job_schedule s where s.schedule = p_schedule ->> 'schedule';
  v_schedule.time_zone := coalesce(v_schedule.time_zone, 'UTC');
  v_schedule.starts_at := coalesce(v_schedule.starts_at, '2001-01-01 00:00+00');
  v_schedule := mill.schedule_from_definition(v_schedule, p_schedule);
  perform mill.check_times(v_schedule, '');
  return (
    select coalesce(jsonb_agg(jsonb_build_object('due', d.due, 'local', to_char(d.due at time zone v_schedule.time_zone, 'YYYY-MM-DD HH24:MI:SS')) order by d.due), '[]')
    from unnest(mill.next_due_times(v_schedule, mill.now(), least(greatest(p_count, 1), 100))) as d(due));
exception
  when invalid_text_representation or numeric_value_out_of_range or invalid_datetime_format or datetime_field_overflow then
    perform mill.refuse_definition_of('', 'has a value of another type: ' || sqlerrm);
end
$$;

comment on function public.preview_schedule(jsonb, int) is 'The next due times of a schedule, or of a definition that is not saved, as [{due, local}].';
revoke execute on function public.preview_schedule(jsonb, int) from public, anon, authenticated;
grant execute on function public.preview_schedule(jsonb, int) to service_role;
