-- A schema is checked once, when it is registered, and kept in the form in which payloads are checked: patterns are those of Postgres, and
-- what says nothing about a value is left out. docs/protocol.md lists the keywords.

create or replace function mill.refuse_schema(p_place text, p_problem text) returns void
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'the schema cannot be used: % %', coalesce(nullif(p_place, ''), 'it'), p_problem using errcode = 'GM013', detail = p_place,
    hint = 'docs/protocol.md lists what schemas may have.';
end
$$;

comment on function mill.refuse_schema(text, text) is 'Raises GM013 with the place in the schema, a JSON Pointer.';
revoke execute on function mill.refuse_schema(text, text) from public;

create or replace function mill.pointer(p_path text, p_key text) returns text
language sql immutable
return p_path || '/' || replace(replace(p_key, '~', '~0'), '/', '~1');

comment on function mill.pointer(text, text) is 'The JSON Pointer of a key below another pointer.';
revoke execute on function mill.pointer(text, text) from public;

-- What the value of a keyword must be. Null for a keyword that is not supported.
create or replace function mill.keyword_value(p_keyword text) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case
    when p_keyword in ('title', 'description', 'default', 'examples', 'deprecated', '$comment', 'readOnly', 'writeOnly', '$id', '$schema') then 'annotation'
    when p_keyword in ('additionalProperties', 'propertyNames', 'items', 'contains', 'not', 'if', 'then', 'else') then 'a schema'
    when p_keyword in ('properties', 'patternProperties', '$defs') then 'an object of schemas'
    when p_keyword in ('prefixItems', 'allOf', 'anyOf', 'oneOf') then 'an array of schemas'
    when p_keyword in ('minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains', 'minProperties', 'maxProperties')
      then 'an integer of at least 0'
    when p_keyword in ('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum') then 'a number'
    when p_keyword = 'multipleOf' then 'a number above 0'
    when p_keyword = 'uniqueItems' then 'true or false'
    when p_keyword = 'required' then 'an array of names'
    when p_keyword = 'dependentRequired' then 'an object of arrays of names'
    when p_keyword = 'type' then 'a type or an array of types'
    when p_keyword = 'enum' then 'an array'
    when p_keyword = 'const' then 'any value'
    when p_keyword in ('pattern', 'format', '$ref') then 'a text'
  end
$$;

comment on function mill.keyword_value(text) is 'What the value of a keyword of JSON Schema must be, in words; null for a keyword that is not supported.';
revoke execute on function mill.keyword_value(text) from public;

create or replace function mill.fits_keyword(p_value jsonb, p_wanted text) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(case p_wanted
    when 'a schema' then jsonb_typeof(p_value) in ('object', 'boolean')
    when 'an object of schemas' then jsonb_typeof(p_value) = 'object'
    when 'an array of schemas' then jsonb_typeof(p_value) = 'array' and p_value <> '[]'
    when 'an integer of at least 0' then jsonb_typeof(p_value) = 'number' and p_value::numeric >= 0 and p_value::numeric % 1 = 0
    when 'a number' then jsonb_typeof(p_value) = 'number'
    when 'a number above 0' then jsonb_typeof(p_value) = 'number' and p_value::numeric > 0
    when 'true or false' then jsonb_typeof(p_value) = 'boolean'
    when 'an array of names' then jsonb_typeof(p_value) = 'array' and not p_value @? '$[*] ? (@.type() != "string")'
    when 'an object of arrays of names' then jsonb_typeof(p_value) = 'object'
      and not p_value @? 'strict $.* ? (@.type() != "array")' and not p_value @? '$.*[*] ? (@.type() != "string")'
    when 'a type or an array of types' then case jsonb_typeof(p_value)
      when 'array' then p_value <> '[]' and p_value <@ '["string", "number", "integer", "boolean", "object", "array", "null"]'
      when 'string' then p_value <@ '["string", "number", "integer", "boolean", "object", "array", "null"]' end
    when 'an array' then jsonb_typeof(p_value) = 'array'
    when 'a text' then jsonb_typeof(p_value) = 'string'
    else true end, false)
$$;

comment on function mill.fits_keyword(jsonb, text) is 'Whether the value of a keyword is what mill.keyword_value says.';
revoke execute on function mill.fits_keyword(jsonb, text) from public;

create or replace function mill.compile_pattern(p_pattern text, p_place text) returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_pattern text := mill.translate_pattern(p_pattern);
begin
  if v_pattern is null then
    perform mill.refuse_schema(p_place, 'is a pattern that Postgres cannot match as ECMAScript does');
  end if;
  return v_pattern;
end
$$;

comment on function mill.compile_pattern(text, text) is 'A pattern of a schema as Postgres has it, or GM013.';
revoke execute on function mill.compile_pattern(text, text) from public;

create or replace function mill.compile_keyword(p_keyword text, p_value jsonb, p_place text) returns jsonb
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  case
    when mill.keyword_value(p_keyword) = 'a schema' then
      return mill.compile_subschema(p_value, p_place);
    when mill.keyword_value(p_keyword) = 'an array of schemas' then
      return (select jsonb_agg(mill.compile_subschema(e.value, p_place || '/' || e.ordinality - 1) order by e.ordinality)
              from jsonb_array_elements(p_value) with ordinality as e(value, ordinality));
    when mill.keyword_value(p_keyword) = 'an object of schemas' then
      return (select coalesce(jsonb_object_agg(
                case when p_keyword = 'patternProperties' then mill.compile_pattern(e.key, mill.pointer(p_place, e.key)) else e.key end,
                mill.compile_subschema(e.value, mill.pointer(p_place, e.key))), '{}')
              from jsonb_each(p_value) e);
    when p_keyword = 'pattern' then
      return to_jsonb(mill.compile_pattern(p_value #>> '{}', p_place));
    when p_keyword = 'type' then
      return case jsonb_typeof(p_value) when 'array' then p_value else jsonb_build_array(p_value) end;
    when p_keyword = '$ref' then
      if p_value #>> '{}' !~ '^#(/\$defs/[^/%]+)?$' then
        perform mill.refuse_schema(p_place, 'must be # or #/$defs/ and a name');
      end if;
      -- The path of the schema that is meant.
      return case p_value #>> '{}' when '#' then '[]' else
        jsonb_build_array('$defs', replace(replace(substr(p_value #>> '{}', 9), '~1', '/'), '~0', '~')) end;
    else
      return p_value;
  end case;
end
$$;

comment on function mill.compile_keyword(text, jsonb, text) is 'The value of a keyword in the form in which payloads are checked. For mill.compile_subschema alone.';
revoke execute on function mill.compile_keyword(text, jsonb, text) from public;

create or replace function mill.compile_subschema(p_schema jsonb, p_place text) returns jsonb
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_result jsonb := jsonb '{}';
  v_entry record;
  v_wanted text;
  v_place text;
begin
  if jsonb_typeof(p_schema) = 'boolean' then
    return p_schema;
  elsif jsonb_typeof(p_schema) is distinct from 'object' then
    perform mill.refuse_schema(p_place, 'must be an object, true or false');
  end if;
  for v_entry in select e.key, e.value from jsonb_each(p_schema) e loop
    v_place := mill.pointer(p_place, v_entry.key);
    v_wanted := mill.keyword_value(v_entry.key);
    if v_wanted is null then
      perform mill.refuse_schema(v_place, 'is a keyword that is not supported');
    elsif not mill.fits_keyword(v_entry.value, v_wanted) then
      perform mill.refuse_schema(v_place, 'must be ' || v_wanted);
    elsif v_entry.key = '$schema' and v_entry.value #>> '{}' not like '%/draft/2020-12/schema%' then
      perform mill.refuse_schema(v_place, 'must be that of 2020-12, or be left out');
    elsif v_entry.key in ('$id', '$schema') and p_place <> '' then
      perform mill.refuse_schema(v_place, 'belongs to the top of a schema');
    end if;
    continue when v_wanted = 'annotation'
      or v_entry.key = 'format' and v_entry.value #>> '{}' not in ('date-time', 'date', 'uuid', 'email', 'uri');
    v_result := v_result || jsonb_build_object(v_entry.key, mill.compile_keyword(v_entry.key, v_entry.value, v_place));
  end loop;
  return v_result;
end
$$;

comment on function mill.compile_subschema(jsonb, text) is 'A schema in the form in which payloads are checked, or GM013 with the place. For mill.compile_schema alone.';
revoke execute on function mill.compile_subschema(jsonb, text) from public;

-- Each name with the names that it refers to for the same value. A name that gets back to itself in this way could never be decided.
create or replace function mill.check_references(p_compiled jsonb) returns void
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lost text := (
    select r.path ->> 1 from jsonb_path_query(p_compiled, 'strict $.**."$ref"', silent => true) as r(path)
    where jsonb_typeof(r.path) = 'array' and jsonb_typeof(p_compiled #> array(select jsonb_array_elements_text(r.path))) is null
    limit 1);
  v_cycle text;
begin
  if v_lost is not null then
    perform mill.refuse_schema('/$defs/' || v_lost, 'is referred to and is not there');
  end if;
  with recursive node (name, node) as (
    select '[]'::jsonb, p_compiled
    union all
    select jsonb_build_array('$defs', d.key), d.value from jsonb_each(p_compiled -> '$defs') d
    union all
    select n.name, c.node
    from node n
    cross join lateral (
      select n.node -> k.key from unnest(array['not', 'if', 'then', 'else']) as k(key) where n.node ? k.key
      union all
      select e.value
      from unnest(array['allOf', 'anyOf', 'oneOf']) as k(key)
      cross join lateral jsonb_array_elements(case when n.node ? k.key then n.node -> k.key else '[]' end) as e(value)) as c(node)
    where jsonb_typeof(n.node) = 'object'
  ),
  reached (name, target) as (
    select n.name, n.node -> '$ref' from node n where n.node ? '$ref'
    union
    select r.name, n.node -> '$ref' from reached r join node n on n.name = r.target where n.node ? '$ref'
  )
  select coalesce(r.name ->> 1, '#') into v_cycle from reached r where r.name = r.target limit 1;
  if v_cycle is not null then
    perform mill.refuse_schema(v_cycle, 'refers to itself for the same value');
  end if;
end
$$;

comment on function mill.check_references(jsonb) is 'Raises GM013 for a reference to nothing and for a name that refers to itself.';
revoke execute on function mill.check_references(jsonb) from public;

create or replace function mill.compile_schema(p_schema jsonb) returns jsonb
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_compiled jsonb;
begin
  if p_schema is null then
    return null;
  end if;
  v_compiled := mill.compile_subschema(p_schema, '');
  if jsonb_typeof(v_compiled) = 'object' then
    perform mill.check_references(v_compiled);
  end if;
  return v_compiled;
end
$$;

comment on function mill.compile_schema(jsonb) is 'A JSON Schema in the form that mill.schema_violation takes. GM013 for one that is not supported, with the place.';
revoke execute on function mill.compile_schema(jsonb) from public;
