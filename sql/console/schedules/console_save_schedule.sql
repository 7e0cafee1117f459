-- Creates a schedule of users, or changes the fields that are given. The payload is text, so that no number of it passes through JavaScript.
create or replace function public.console_save_schedule(p_schedule jsonb, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_names constant jsonb := '{"name": "schedule", "expression": "cron", "timezone": "time_zone"}'::jsonb;
  v_definition jsonb;
  v_name text := p_schedule ->> 'name';
begin
  perform mill.begin_console_action('operator', p_reason);
  if jsonb_typeof(p_schedule) is distinct from 'object' then
    raise exception 'p_schedule is not an object' using errcode = 'GM110', detail = '{"option": null}', hint = 'Send an object with name, expression and kind.';
  end if;
  v_definition := (
    select coalesce(jsonb_object_agg(coalesce(v_names ->> f.key, f.key), f.value), '{}')
    from jsonb_each(p_schedule - 'payload_text' - 'options' || coalesce(nullif(p_schedule -> 'options', 'null'), '{}')) f);
  if p_schedule ->> 'payload_text' is not null then
    begin
      v_definition := v_definition || jsonb_build_object('payload', (p_schedule ->> 'payload_text')::jsonb);
    exception when invalid_text_representation or untranslatable_character or numeric_value_out_of_range or statement_too_complex then
      raise exception 'the payload is not JSON: %', sqlerrm using errcode = 'GM110', detail = '{"option": "payload_text"}', hint = 'Mend the text; keys and texts stand in double quotes.';
    end;
  end if;
  perform public.save_schedule(v_definition);
  return (select mill.console_schedule(s, mill.now()) from mill.job_schedule s where s.schedule = v_name);
end
$$;

comment on function public.console_save_schedule(jsonb, text) is 'Creates a schedule of users, or changes the fields that are given; answers it. For operators of the console.';
revoke execute on function public.console_save_schedule(jsonb, text) from public, anon;
grant execute on function public.console_save_schedule(jsonb, text) to authenticated, service_role;
