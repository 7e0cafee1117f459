-- Enqueues a job, also an edited copy of another. The payload is text, so that no number of it passes through JavaScript.
create or replace function public.console_enqueue(p_kind text, p_payload text, p_options jsonb default '{}', p_reason text default null) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.begin_console_action('operator', p_reason);
  v_options jsonb := coalesce(p_options, '{}');
  v_copied jsonb;
  v_payload jsonb;
  v_answer record;
  v_unknown text;
begin
  if jsonb_typeof(v_options) <> 'object' then
    raise exception 'p_options is not an object' using errcode = 'GM110', detail = '{"option": null}', hint = 'Send an object of options.';
  end if;
  v_unknown := (select o from jsonb_object_keys(v_options) o
    where o <> all (array['name', 'priority', 'run_at', 'max_attempts', 'group_key', 'dedupe_key', 'correlation_id', 'owner', 'copy_of']) limit 1);
  if v_unknown is not null then
    raise exception 'there is no option "%" of a job', left(v_unknown, 60) using errcode = 'GM110', detail = jsonb_build_object('option', left(v_unknown, 60))::text,
      hint = 'Options are name, priority, run_at, max_attempts, group_key, dedupe_key, correlation_id, owner and copy_of.';
  end if;
  begin
    v_payload := p_payload::jsonb;
  exception when invalid_text_representation or untranslatable_character or numeric_value_out_of_range or statement_too_complex then
    raise exception 'the payload is not JSON: %', sqlerrm using errcode = 'GM110', detail = '{"option": "payload"}', hint = 'Mend the text; keys and texts stand in double quotes.';
  end;
  if v_options ->> 'copy_of' is not null then
    v_copied := mill.console_found((v_options ->> 'copy_of')::uuid);
    if v_copied is null then
      raise exception 'the job to copy no longer exists' using errcode = 'GM112', hint = 'Enqueue without copy_of.';
    end if;
  end if;
  if v_role <> 'admin' and v_options ->> 'owner' is not null and v_options ->> 'owner' is distinct from v_copied ->> 'owner' then
    raise exception 'this needs the console role admin, because the job would belong to somebody else' using errcode = '42501', hint = 'Leave the owner as it is.';
  end if;
  v_options := jsonb_strip_nulls(jsonb_build_object('owner', v_copied -> 'owner', 'group_key', v_copied -> 'group_key', 'correlation_id', v_copied -> 'correlation_id', 'name', v_copied -> 'name'))
    || jsonb_strip_nulls(v_options - 'copy_of');
  select e.* into v_answer from mill.enqueue(jsonb_build_array(v_options || jsonb_build_object('kind', p_kind, 'payload', v_payload))) e;
  perform mill.audit('job', v_answer.id::text, 'enqueue', p_new => jsonb_strip_nulls(jsonb_build_object('kind', p_kind, 'status', v_answer.status, 'copy_of', v_copied -> 'id',
    'owner', v_options -> 'owner')), p_job_id => v_answer.id, p_correlation_id => v_options ->> 'correlation_id');
  return jsonb_build_object('id', v_answer.id, 'status', v_answer.status);
exception when invalid_text_representation or invalid_datetime_format or datetime_field_overflow or numeric_value_out_of_range then
  raise exception 'an option has a value of another type: %', sqlerrm using errcode = 'GM110', detail = '{"option": null}',
    hint = 'run_at is a time, priority and max_attempts are whole numbers, owner and copy_of are UUIDs.';
end
$$;

comment on function public.console_enqueue(text, text, jsonb, text) is
  'Enqueues a job from JSON text, also an edited copy of another: {id, status}. For operators of the console; for another owner, admins.';
revoke execute on function public.console_enqueue(text, text, jsonb, text) from public, anon;
grant execute on function public.console_enqueue(text, text, jsonb, text) to authenticated, service_role;
