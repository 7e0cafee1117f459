-- Calls one function of mill.repeatable_call by name, with its arguments from a JSON object, as PostgREST would.
--
-- We run with our owner's rights here. So the caller's own role must have EXECUTE on the function, and a function that is not
-- SECURITY DEFINER is refused: it would run without the caller's row level security.
create or replace function mill.call_repeatable(p_function text, p_arguments jsonb) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  -- The role that PostgREST has set; SECURITY DEFINER does not change it.
  v_role text := coalesce(nullif(current_setting('role'), 'none'), session_user);
  v_schema text;
  v_names text[];
  v_types text[];
  v_unknown text;
  v_answer jsonb;
begin
  select n.nspname, p.proargnames[1:p.pronargs],
    array(select format_type(t.type, null) from unnest(p.proargtypes) with ordinality t(type, at) order by t.at)
  into v_schema, v_names, v_types
  from mill.repeatable_call r
  join pg_proc p on p.oid = to_regproc(format('%I.%I', mill.schema_of(r.part), r.function))::oid
  join pg_namespace n on n.oid = p.pronamespace
  where r.function = p_function and p.prosecdef and not p.proretset and has_function_privilege(v_role, p.oid, 'execute');
  if not found then
    raise exception 'this function cannot be called under an idempotency key, or is not open to you' using errcode = 'GM083',
      hint = 'The functions that can are rows of mill.repeatable_call.';
  end if;
  select k.name into v_unknown from jsonb_object_keys(p_arguments) k(name) where k.name <> all (v_names) limit 1;
  if found then
    raise exception 'the function has no argument "%"', left(v_unknown, 64) using errcode = 'GM004';
  end if;

  -- Only what was given is passed, so that defaults hold for the rest.
  execute (
    select format('select to_jsonb(%I.%I(%s))', v_schema, p_function, string_agg(format('%I => a.%1$I', n.name), ', '))
      || coalesce(' from jsonb_to_record($1) as a(' || string_agg(format('%I %s', n.name, n.type), ', ') || ')', '')
    from unnest(v_names, v_types) n(name, type) where p_arguments ? n.name)
  into v_answer using p_arguments;
  return v_answer;
end
$$;

comment on function mill.call_repeatable(text, jsonb) is 'Calls a function of mill.repeatable_call with named arguments, if the caller may. Raises GM083 otherwise.';
revoke execute on function mill.call_repeatable(text, jsonb) from public;
