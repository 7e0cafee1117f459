-- Decides about each field that a definition asks for. p_current is what the row has, p_registered what was registered last, p_asked what is asked
-- for now, each as {field: value}.
--
--   changes   what is to be written
--   kept      the fields that an operator has changed, as [{field, value, asked}]: their value is no longer the one that was registered last
--
-- p_together names fields that make sense only together: when one of them is kept, so are the others.
create or replace function mill.merge_registered(
  p_current jsonb, p_registered jsonb, p_asked jsonb, p_together text[], p_force boolean, out changes jsonb, out kept jsonb)
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_kept text[] := array(
    select a.key from jsonb_each(p_asked) a
    where not p_force and p_current -> a.key <> a.value and p_current -> a.key <> p_registered -> a.key);
begin
  if v_kept && p_together then
    v_kept := v_kept || p_together;
  end if;
  select coalesce(jsonb_object_agg(a.key, a.value) filter (where a.key <> all (v_kept)), '{}'),
    coalesce(jsonb_agg(jsonb_build_object('field', a.key, 'value', p_current -> a.key, 'asked', a.value) order by a.key) filter (where a.key = any (v_kept)), '[]')
  into changes, kept
  from jsonb_each(p_asked) a
  where p_current -> a.key <> a.value;
end
$$;

comment on function mill.merge_registered(jsonb, jsonb, jsonb, text[], boolean) is 'Which fields of a definition are written, and which are kept as an operator has changed them.';
revoke execute on function mill.merge_registered(jsonb, jsonb, jsonb, text[], boolean) from public;

create or replace function mill.refuse_definition_of(p_place text, p_problem text) returns void
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'the definition cannot be registered: % %', p_place, p_problem using errcode = 'GM013', detail = p_place;
end
$$;

comment on function mill.refuse_definition_of(text, text) is 'Raises GM013 with the place in the definition, a JSON Pointer.';
revoke execute on function mill.refuse_definition_of(text, text) from public;

-- A definition with a field that is not known was most likely misspelt.
create or replace function mill.check_definition_fields(p_definition jsonb, p_fields text[], p_place text) returns void
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_unknown text;
begin
  if jsonb_typeof(p_definition) is distinct from 'object' then
    perform mill.refuse_definition_of(p_place, 'must be an object');
  end if;
  v_unknown := (select k.name from jsonb_object_keys(p_definition) as k(name) where k.name <> all (p_fields) limit 1);
  if v_unknown is not null then
    perform mill.refuse_definition_of(mill.pointer(p_place, v_unknown), 'is no option');
  end if;
end
$$;

comment on function mill.check_definition_fields(jsonb, text[], text) is 'Raises GM013 for a definition that is no object or has an unknown field.';
revoke execute on function mill.check_definition_fields(jsonb, text[], text) from public;
