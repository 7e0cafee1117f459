-- Writes the definition of a type of workflow, as an INSERT into workflow_definition would, and may be called at every start: what has not changed is left
-- alone. The newest version is changed in place as long as nothing was started from it; otherwise the next version is inserted, and what runs goes on
-- by its own. Whether a version is active is the operator's.
create or replace function public.register_workflow(p_definition jsonb) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old public.workflow_definition;
  v_new public.workflow_definition;
  v_unknown text := (
    select k.name from jsonb_object_keys(case when jsonb_typeof(p_definition) = 'object' then p_definition else '{"": null}' end) as k(name)
    where k.name <> all (array['type', 'description', 'tasks', 'defaults', 'documents', 'open_to_users', 'params_schema', 'choices']) limit 1);
begin
  if v_unknown is not null then
    perform mill.refuse_definition('GM061', case when v_unknown = '' then 'a definition must be an object' else format('a definition has no field "%s"', v_unknown) end);
  end if;
  perform pg_advisory_xact_lock(hashtextextended('mill.register_workflow ' || (p_definition ->> 'type'), 0));
  select d.* into v_old from public.workflow_definition d where d.type = p_definition ->> 'type' order by d.version desc limit 1;
  v_new := jsonb_populate_record(null::public.workflow_definition, '{"description": "", "defaults": {}, "open_to_users": true, "tasks": [], "choices": {}}'::jsonb || p_definition);
  if (v_old.description, v_old.tasks, v_old.defaults, v_old.documents, v_old.open_to_users, v_old.params_schema, v_old.choices)
    is not distinct from (v_new.description, v_new.tasks, v_new.defaults, v_new.documents, v_new.open_to_users, v_new.params_schema, v_new.choices)
  then
    return jsonb_build_object('type', v_old.type, 'version', v_old.version, 'status', 'unchanged');
  end if;
  if v_old.type is not null and not exists (select from mill.workflow j where j.type = v_old.type and j.version = v_old.version) then
    update public.workflow_definition d
    set description = v_new.description, tasks = v_new.tasks, defaults = v_new.defaults, documents = v_new.documents, open_to_users = v_new.open_to_users,
      params_schema = v_new.params_schema, choices = v_new.choices
    where d.type = v_old.type and d.version = v_old.version;
    return jsonb_build_object('type', v_old.type, 'version', v_old.version, 'status', 'updated');
  end if;
  insert into public.workflow_definition (type, version, description, tasks, defaults, documents, open_to_users, params_schema, choices)
  values (v_new.type, coalesce(v_old.version, 0) + 1, v_new.description, v_new.tasks, v_new.defaults, v_new.documents, v_new.open_to_users, v_new.params_schema,
    v_new.choices);
  return jsonb_build_object('type', v_new.type, 'version', coalesce(v_old.version, 0) + 1, 'status', 'created');
end
$$;

comment on function public.register_workflow(jsonb) is 'Writes the definition of a type of workflow, where it has changed: {type, version, status}.';
revoke execute on function public.register_workflow(jsonb) from public, anon, authenticated;
grant execute on function public.register_workflow(jsonb) to service_role;
