-- Calls one function of mill.ticket_call by name, with its arguments from a JSON object, as PostgREST would. We run with our owner's
-- rights here, so a function that is not SECURITY DEFINER is refused: it would run without the user's row level security.
create or replace function mill.call_with_ticket(p_function text, p_arguments jsonb) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_schema text;
  v_names text[];
  v_types text[];
  v_answer jsonb;
begin
  select n.nspname, p.proargnames[1:p.pronargs],
    array(select format_type(t.type, null) from unnest(p.proargtypes) with ordinality t(type, at) order by t.at)
  into v_schema, v_names, v_types
  from mill.ticket_call c
  join pg_proc p on p.oid = to_regproc(format('%I.%I', mill.schema_of(c.part), c.function))::oid
  join pg_namespace n on n.oid = p.pronamespace
  where c.function = p_function and p.prosecdef and not p.proretset and has_function_privilege('authenticated', p.oid, 'execute');
  if not found or exists (select from jsonb_object_keys(p_arguments) k(name) where k.name <> all (v_names)) then
    raise exception 'this function, with these arguments, cannot be called with a ticket' using errcode = 'GM090';
  end if;
  execute (
    select format('select to_jsonb(%I.%I(%s))', v_schema, p_function, string_agg(format('%I => a.%1$I', n.name), ', '))
      || coalesce(' from jsonb_to_record($1) as a(' || string_agg(format('%I %s', n.name, n.type), ', ') || ')', '')
    from unnest(v_names, v_types) n(name, type) where p_arguments ? n.name)
  into v_answer using p_arguments;
  return v_answer;
end
$$;

comment on function mill.call_with_ticket(text, jsonb) is 'Calls a function of mill.ticket_call with named arguments. Raises GM090 for any other.';
revoke execute on function mill.call_with_ticket(text, jsonb) from public;
