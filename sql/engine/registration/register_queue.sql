-- Fields that belong together are completed: with a url or a function the queue is served by a function, with one of them it has not the other.
create or replace function mill.complete_queue_definition(p_definition jsonb, p_is_new boolean) returns jsonb
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case
      when coalesce(p_definition -> 'url', 'null') <> 'null' then '{"served_by": "function", "function": null}'::jsonb
      when coalesce(p_definition -> 'function', 'null') <> 'null' then '{"served_by": "function", "url": null}'
      when p_definition ->> 'served_by' = 'worker' then '{"function": null, "url": null}'
      when p_is_new then '{"served_by": "external"}'
      else '{}' end
    || p_definition
$$;

comment on function mill.complete_queue_definition(jsonb, boolean) is 'The definition of a queue with what follows from its other fields.';
revoke execute on function mill.complete_queue_definition(jsonb, boolean) from public;

-- Creates or updates one queue; answers {status, kept}. jsonb_populate_record gives each value the type of its column, so that 5 and "5" are the same.
create or replace function mill.register_queue(p_definition jsonb, p_place text, p_force boolean) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_options constant text[] := array['description', 'served_by', 'function', 'url', 'batch_size', 'max_parallel', 'lease_seconds', 'invocation_seconds',
    'max_attempts', 'max_lease_losses', 'backoff_base_seconds', 'backoff_cap_seconds', 'backoff_jitter', 'max_running', 'max_running_per_group', 'depth_limit',
    'dequeue', 'retention_days', 'target_seconds', 'paused', 'provider', 'endpoint'];
  v_old mill.queue;
  v_new mill.queue;
  v_asked jsonb;
  v_merged record;
  v_constraint text;
begin
  perform mill.check_definition_fields(p_definition, v_options || 'queue'::text, p_place);
  if coalesce(p_definition ->> 'queue', '') = '' then
    perform mill.refuse_definition_of(p_place || '/queue', 'is missing');
  end if;
  select q.* into v_old from mill.queue q where q.queue = p_definition ->> 'queue' for update;
  if not found then
    insert into mill.queue (queue, served_by) values (p_definition ->> 'queue', 'external') returning * into v_old;
    v_asked := mill.complete_queue_definition(p_definition - 'queue', true);
  elsif v_old.registered is null then
    raise exception 'the queue "%" was not made by register_jobs', v_old.queue using errcode = 'GM012', detail = p_place, hint = 'Take another name.';
  else
    v_asked := mill.complete_queue_definition(p_definition - 'queue', false);
  end if;

  v_new := jsonb_populate_record(v_old, v_asked);
  v_asked := (select jsonb_object_agg(a.key, to_jsonb(v_new) -> a.key) from jsonb_object_keys(v_asked) as a(key));
  v_merged := mill.merge_registered(to_jsonb(v_old), v_old.registered, v_asked, array['served_by', 'function', 'url'], p_force or v_old.registered is null);
  if v_old.registered is null or v_merged.changes <> '{}' then
    v_new := jsonb_populate_record(v_old, v_merged.changes);
    update mill.queue q set (description, served_by, function, url, batch_size, max_parallel, lease_seconds, invocation_seconds,
      max_attempts, max_lease_losses, backoff_base_seconds, backoff_cap_seconds, backoff_jitter, max_running, max_running_per_group, depth_limit,
      dequeue, retention_days, target_seconds, paused, provider, endpoint, registered)
    = (v_new.description, v_new.served_by, v_new.function, v_new.url, v_new.batch_size, v_new.max_parallel, v_new.lease_seconds, v_new.invocation_seconds,
      v_new.max_attempts, v_new.max_lease_losses, v_new.backoff_base_seconds, v_new.backoff_cap_seconds, v_new.backoff_jitter, v_new.max_running,
      v_new.max_running_per_group, v_new.depth_limit, v_new.dequeue, v_new.retention_days, v_new.target_seconds, v_new.paused, v_new.provider, v_new.endpoint,
      case when v_old.registered is null
        then (select jsonb_object_agg(o.name, to_jsonb(v_new) -> o.name) from unnest(v_options) as o(name)) else v_old.registered || v_merged.changes end)
    where q.queue = v_old.queue;
  end if;
  return jsonb_build_object('kept', v_merged.kept, 'status',
    case when v_old.registered is null then 'created' when v_merged.changes <> '{}' then 'updated' else 'unchanged' end);
exception
  when check_violation or not_null_violation then
    get stacked diagnostics v_constraint = constraint_name;
    perform mill.refuse_definition_of(p_place, coalesce(nullif(replace(v_constraint, '_', ' '), ''), sqlerrm));
  when invalid_text_representation or numeric_value_out_of_range then
    perform mill.refuse_definition_of(p_place, 'has a value of another type: ' || sqlerrm);
end
$$;

comment on function mill.register_queue(jsonb, text, boolean) is 'Creates or updates a queue from its definition. For register_jobs alone.';
revoke execute on function mill.register_queue(jsonb, text, boolean) from public;
