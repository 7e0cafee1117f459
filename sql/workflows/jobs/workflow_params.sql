-- The params of a job: what the caller gave over the defaults of the definition. A list that the caller did not give may be chosen from the
-- defaults: of {"documents": {"field": "system", "among": "systems"}} those documents are left out whose system is one of the
-- default systems and not one of the chosen.
create or replace function mill.workflow_params(p_definition public.workflow_definition, p_params jsonb) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select merged.params || coalesce((
    select jsonb_object_agg(c.key, (
      select coalesce(jsonb_agg(e.item order by e.n), '[]')
      from jsonb_array_elements(p_definition.defaults -> c.key) with ordinality as e(item, n)
      where not (p_definition.defaults -> (c.value ->> 'among')) @> jsonb_build_array(e.item -> (c.value ->> 'field'))
        or (merged.params -> (c.value ->> 'among')) @> jsonb_build_array(e.item -> (c.value ->> 'field'))))
    from jsonb_each(p_definition.choices) c
    where not p_params ? c.key and p_params ? (c.value ->> 'among')), '{}')
  from (select p_definition.defaults || p_params as params) merged
$$;

comment on function mill.workflow_params(public.workflow_definition, jsonb) is 'The params of a new job: given ones over the defaults, with the lists that they choose.';
revoke execute on function mill.workflow_params(public.workflow_definition, jsonb) from public;

create or replace function mill.check_workflow_params(p_definition public.workflow_definition, p_params jsonb) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_violation text[];
begin
  if p_definition.compiled_params is null then
    return;
  end if;
  v_violation := mill.schema_violation(p_definition.compiled_params, p_definition.compiled_params, p_params);
  if v_violation is not null then
    raise exception 'the params do not fit: % %', 'params' || replace(v_violation[1], '/', '.'), v_violation[2]
      using errcode = 'GM070', detail = jsonb_build_object('field', 'params' || replace(v_violation[1], '/', '.'))::text,
        hint = 'The column params_schema of workflow_definition has the schema.';
  end if;
end
$$;

comment on function mill.check_workflow_params(public.workflow_definition, jsonb) is 'Raises GM070 with the field for params that do not fit the schema of the definition.';
revoke execute on function mill.check_workflow_params(public.workflow_definition, jsonb) from public;
