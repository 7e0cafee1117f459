-- Creates or updates one schedule; answers {status, kept}. Whether it is paused is the operator's, and no part of a definition.
create or replace function mill.register_schedule(p_definition jsonb, p_place text, p_force boolean) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_opened record;
  v_old mill.job_schedule;
  v_new mill.job_schedule;
  v_asked jsonb;
  v_merged record;
  v_text text;
begin
  perform mill.check_definition_fields(p_definition, mill.schedule_fields(), p_place);
  v_opened := mill.open_schedule(p_definition, p_place);
  v_old := v_opened.schedule;
  if not v_opened.is_new and v_old.registered is null then
    raise exception 'the schedule "%" was not made by register_jobs', v_old.schedule using errcode = 'GM012', detail = p_place, hint = 'Take another name.';
  end if;
  v_new := mill.schedule_from_definition(v_old, p_definition);
  v_asked := (
    select coalesce(jsonb_object_agg(d.key, d.value), '{}') from jsonb_each(mill.schedule_definition(v_new)) d
    where p_definition ? d.key or d.value <> mill.schedule_definition(v_old) -> d.key);
  v_merged := mill.merge_registered(mill.schedule_definition(v_old), v_old.registered, v_asked, array['cron', 'time_zone', 'every_seconds'], p_force or v_opened.is_new);
  if v_opened.is_new or v_merged.changes <> '{}' then
    v_new := mill.schedule_from_definition(v_old, v_merged.changes);
    v_new.registered := coalesce(v_old.registered, mill.schedule_definition(v_new)) || v_merged.changes;
    perform mill.write_schedule(v_old, v_new, p_place);
  end if;
  return jsonb_build_object('kept', v_merged.kept,
    'status', case when v_opened.is_new then 'created' when v_merged.changes <> '{}' then 'updated' else 'unchanged' end);
exception
  when check_violation or not_null_violation or foreign_key_violation then
    get stacked diagnostics v_text = constraint_name;
    perform mill.refuse_definition_of(p_place, mill.problem_of_schedule(v_text, sqlerrm));
  when invalid_text_representation or numeric_value_out_of_range or invalid_datetime_format or datetime_field_overflow then
    perform mill.refuse_definition_of(p_place, 'has a value of another type: ' || sqlerrm);
end
$$;

comment on function mill.register_schedule(jsonb, text, boolean) is 'Creates or updates a schedule from its definition. For register_jobs alone.';
revoke execute on function mill.register_schedule(jsonb, text, boolean) from public;

create or replace function mill.problem_of_schedule(p_constraint text, p_message text) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case p_constraint
    when 'job_schedule_kind_fkey' then 'has a kind that is no row of mill.kind'
    else coalesce(nullif(replace(p_constraint, '_', ' '), ''), p_message) end
$$;

comment on function mill.problem_of_schedule(text, text) is 'What a violated constraint of mill.job_schedule says, as words.';
revoke execute on function mill.problem_of_schedule(text, text) from public;
