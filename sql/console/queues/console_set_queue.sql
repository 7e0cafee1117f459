-- A queue with other options; raises GM110 with the name of an option that the console does not have or that cannot have its value.
create or replace function mill.queue_with(p_queue mill.queue, p_options jsonb) returns mill.queue
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_queue mill.queue := p_queue;
  v_option record;
  v_value jsonb;
  v_fits boolean;
begin
  if jsonb_typeof(p_options) is distinct from 'object' then
    raise exception 'p_options is not an object' using errcode = 'GM110', detail = '{"option": null}', hint = 'Send the options that are to change.';
  end if;
  for v_option in select k.name as asked, o.* from jsonb_object_keys(p_options) as k(name) left join mill.queue_options() o on o.name = k.name loop
    v_value := p_options -> v_option.asked;
    if v_option.name is null then
      raise exception 'a queue has no option "%" that the console changes', left(v_option.asked, 60) using errcode = 'GM110',
        detail = jsonb_build_object('option', left(v_option.asked, 60))::text, hint = 'console_queue lists the options.';
    end if;
    v_fits := case
      when v_value = 'null' then v_option.nullable
      when v_option.type in ('integer', 'number') then jsonb_typeof(v_value) = 'number' and (v_value #>> '{}')::numeric between v_option.min and v_option.max
        and (v_option.type = 'number' or (v_value #>> '{}')::numeric % 1 = 0)
      when v_option.type = 'choice' then v_value #>> '{}' = any (v_option.choices)
      else jsonb_typeof(v_value) = 'string' and length(v_value #>> '{}') <= 500 end;
    if not v_fits then
      raise exception 'the option % cannot be %', v_option.name, left(v_value::text, 60) using errcode = 'GM110', detail = jsonb_build_object('option', v_option.name)::text,
        hint = concat_ws(' ', v_option.sentence, case when v_option.min is not null then format('From %s to %s.', v_option.min, v_option.max) end,
          'One of ' || array_to_string(v_option.choices, ', ') || '.');
    end if;
    v_queue := jsonb_populate_record(v_queue, jsonb_build_object(v_option.name, v_value));
  end loop;
  return v_queue;
end
$$;

comment on function mill.queue_with(mill.queue, jsonb) is 'A queue with some options changed, each checked. For console_set_queue alone.';
revoke execute on function mill.queue_with(mill.queue, jsonb) from public;

-- Changes options of a queue. What register_jobs wrote last stays written down, so that it keeps what was changed here.
create or replace function public.console_set_queue(p_queue text, p_options jsonb, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old mill.queue;
  v_new mill.queue;
  v_changed jsonb;
  v_constraint text;
begin
  perform mill.begin_console_action('admin', p_reason);
  select q.* into v_old from mill.queue q where q.queue = p_queue for update;
  if not found then
    raise exception 'unknown queue "%"', left(p_queue, 64) using errcode = 'GM007', hint = 'console_start lists the queues.';
  end if;
  v_new := mill.queue_with(v_old, p_options);
  v_changed := (select coalesce(jsonb_object_agg(o.name, jsonb_build_array(to_jsonb(v_old) -> o.name, to_jsonb(v_new) -> o.name)), '{}')
    from mill.queue_options() o where to_jsonb(v_old) -> o.name <> to_jsonb(v_new) -> o.name);
  if v_changed <> '{}' then
    begin
      update mill.queue q set (description, batch_size, max_parallel, max_running, max_running_per_group, dequeue, depth_limit, lease_seconds, invocation_seconds, max_attempts,
        max_lease_losses, backoff_base_seconds, backoff_cap_seconds, backoff_jitter, retention_days, target_seconds, provider, endpoint)
      = (v_new.description, v_new.batch_size, v_new.max_parallel, v_new.max_running, v_new.max_running_per_group, v_new.dequeue, v_new.depth_limit, v_new.lease_seconds,
        v_new.invocation_seconds, v_new.max_attempts, v_new.max_lease_losses, v_new.backoff_base_seconds, v_new.backoff_cap_seconds, v_new.backoff_jitter, v_new.retention_days,
        v_new.target_seconds, v_new.provider, v_new.endpoint)
      where q.queue = p_queue;
    exception when check_violation or foreign_key_violation then
      get stacked diagnostics v_constraint = constraint_name;
      raise exception 'these options do not go together: %', replace(v_constraint, '_', ' ') using errcode = 'GM110',
        detail = jsonb_build_object('option', (select k from jsonb_object_keys(v_changed) k order by k limit 1))::text, hint = 'Change the options that belong together in one call.';
    end;
    perform mill.audit('queue', p_queue, 'set_queue', p_old => (select jsonb_object_agg(c.key, c.value -> 0) from jsonb_each(v_changed) c),
      p_new => (select jsonb_object_agg(c.key, c.value -> 1) from jsonb_each(v_changed) c));
    perform mill.wake(q, 'pump') from mill.queue q where q.queue = p_queue;
  end if;
  return jsonb_build_object('changed', v_changed, 'queue', public.console_queue(p_queue));
end
$$;

comment on function public.console_set_queue(text, jsonb, text) is 'Changes options of a queue: {changed: {option: [old, new]}, queue}. For admins of the console.';
revoke execute on function public.console_set_queue(text, jsonb, text) from public, anon;
grant execute on function public.console_set_queue(text, jsonb, text) to authenticated, service_role;
