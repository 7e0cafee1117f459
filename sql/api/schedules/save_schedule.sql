-- The word of an operator: creates a schedule, or changes the fields that are given. What register_jobs asks for later does not overwrite them.
create or replace function public.save_schedule(p_schedule jsonb) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_opened record;
  v_text text;
begin
  perform mill.check_definition_fields(p_schedule, mill.schedule_fields(), '');
  v_opened := mill.open_schedule(p_schedule, '');
  perform mill.write_schedule(v_opened.schedule, mill.schedule_from_definition(v_opened.schedule, p_schedule), '');
  perform mill.call_hooks('operated', jsonb_build_object('table', 'job_schedule', 'record', p_schedule ->> 'schedule',
    'action', case when v_opened.is_new then 'create' else 'change' end));
  return (select mill.schedule_row(s) from mill.job_schedule s where s.schedule = p_schedule ->> 'schedule');
exception
  when check_violation or not_null_violation or foreign_key_violation then
    get stacked diagnostics v_text = constraint_name;
    perform mill.refuse_definition_of('', mill.problem_of_schedule(v_text, sqlerrm));
  when invalid_text_representation or numeric_value_out_of_range or invalid_datetime_format or datetime_field_overflow then
    perform mill.refuse_definition_of('', 'has a value of another type: ' || sqlerrm);
end
$$;

comment on function public.save_schedule(jsonb) is 'Creates a schedule, or changes those of its fields that are given; answers it as list_schedules does.';
revoke execute on function public.save_schedule(jsonb) from public, anon, authenticated;
grant execute on function public.save_schedule(jsonb) to service_role;
