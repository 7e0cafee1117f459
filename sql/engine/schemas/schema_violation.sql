-- The first thing that is wrong with a value: its place, a JSON Pointer, and a sentence about it; null when the value fits. The schema is one that
-- mill.compile_schema made. p_root is the whole schema, for references.

create or replace function mill.text_violation(p_schema jsonb, p_text text, p_path text) returns text[]
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return case
    when length(p_text) < (p_schema -> 'minLength')::numeric then array[p_path, format('must have at least %s characters', p_schema -> 'minLength')]
    when length(p_text) > (p_schema -> 'maxLength')::numeric then array[p_path, format('must have at most %s characters', p_schema -> 'maxLength')]
    when p_text collate "C" !~ (p_schema ->> 'pattern') then array[p_path, 'does not match the pattern']
    when not mill.has_format(p_text, p_schema ->> 'format') then array[p_path, format('must be of the format %s', p_schema ->> 'format')]
  end;
end
$$;

comment on function mill.text_violation(jsonb, text, text) is 'What a schema has against a text. For mill.schema_violation alone.';
revoke execute on function mill.text_violation(jsonb, text, text) from public;

create or replace function mill.number_violation(p_schema jsonb, p_number numeric, p_path text) returns text[]
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return case
    when p_number < (p_schema -> 'minimum')::numeric then array[p_path, format('must be at least %s', p_schema -> 'minimum')]
    when p_number > (p_schema -> 'maximum')::numeric then array[p_path, format('must be at most %s', p_schema -> 'maximum')]
    when p_number <= (p_schema -> 'exclusiveMinimum')::numeric then array[p_path, format('must be above %s', p_schema -> 'exclusiveMinimum')]
    when p_number >= (p_schema -> 'exclusiveMaximum')::numeric then array[p_path, format('must be below %s', p_schema -> 'exclusiveMaximum')]
    when p_number % (p_schema -> 'multipleOf')::numeric <> 0 then array[p_path, format('must be a multiple of %s', p_schema -> 'multipleOf')]
  end;
end
$$;

comment on function mill.number_violation(jsonb, numeric, text) is 'What a schema has against a number. For mill.schema_violation alone.';
revoke execute on function mill.number_violation(jsonb, numeric, text) from public;

create or replace function mill.array_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth int) returns text[]
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_length int := jsonb_array_length(p_value);
  v_first int := coalesce(jsonb_array_length(p_schema -> 'prefixItems'), 0); -- from here on items counts
  v_least numeric := coalesce((p_schema -> 'minContains')::numeric, 1);
  v_found int := 0;
  v_schema jsonb;
  v_violation text[];
begin
  if v_length < (p_schema -> 'minItems')::numeric then
    return array[p_path, format('must have at least %s items', p_schema -> 'minItems')];
  elsif v_length > (p_schema -> 'maxItems')::numeric then
    return array[p_path, format('must have at most %s items', p_schema -> 'maxItems')];
  elsif p_schema -> 'uniqueItems' = 'true' and (select count(*) <> count(distinct e.value) from jsonb_array_elements(p_value) e) then
    return array[p_path, 'must not have the same item twice'];
  end if;
  if p_schema ?| array['items', 'prefixItems', 'contains'] then
    for v_at in 0 .. v_length - 1 loop
      v_schema := case when v_at < v_first then p_schema -> 'prefixItems' -> v_at else p_schema -> 'items' end;
      if v_schema is not null then
        v_violation := mill.schema_violation(p_root, v_schema, p_value -> v_at, p_path || '/' || v_at, p_depth);
        if v_violation is not null then
          return v_violation;
        end if;
      end if;
      if p_schema ? 'contains' and mill.schema_violation(p_root, p_schema -> 'contains', p_value -> v_at, '', p_depth) is null then
        v_found := v_found + 1;
      end if;
    end loop;
    if p_schema ? 'contains' and v_found < v_least then
      return array[p_path, format('must have at least %s items of the kind that it has to contain', v_least)];
    elsif p_schema ? 'contains' and v_found > (p_schema -> 'maxContains')::numeric then
      return array[p_path, format('must have at most %s items of the kind that it may contain', p_schema -> 'maxContains')];
    end if;
  end if;
  return null;
end
$$;

comment on function mill.array_violation(jsonb, jsonb, jsonb, text, int) is 'What a schema has against an array. For mill.schema_violation alone.';
revoke execute on function mill.array_violation(jsonb, jsonb, jsonb, text, int) from public;

-- What an object has to have and how many fields; mill.fields_violation looks at each field.
create or replace function mill.object_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth int) returns text[]
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_missing text;
  v_count int;
begin
  v_missing := (select r.name from jsonb_array_elements_text(p_schema -> 'required') as r(name) where not p_value ? r.name limit 1);
  if v_missing is null and p_schema ? 'dependentRequired' then
    v_missing := (
      select r.name from jsonb_each(p_schema -> 'dependentRequired') d cross join lateral jsonb_array_elements_text(d.value) as r(name)
      where p_value ? d.key and not p_value ? r.name limit 1);
  end if;
  if v_missing is not null then
    return array[mill.pointer(p_path, v_missing), 'is missing'];
  end if;
  if p_schema ?| array['minProperties', 'maxProperties'] then
    v_count := (select count(*) from jsonb_object_keys(p_value));
    if v_count < (p_schema -> 'minProperties')::numeric then
      return array[p_path, format('must have at least %s fields', p_schema -> 'minProperties')];
    elsif v_count > (p_schema -> 'maxProperties')::numeric then
      return array[p_path, format('must have at most %s fields', p_schema -> 'maxProperties')];
    end if;
  end if;
  if p_schema ?| array['properties', 'patternProperties', 'additionalProperties', 'propertyNames'] then
    return mill.fields_violation(p_root, p_schema, p_value, p_path, p_depth);
  end if;
  return null;
end
$$;

comment on function mill.object_violation(jsonb, jsonb, jsonb, text, int) is 'What a schema has against an object. For mill.schema_violation alone.';
revoke execute on function mill.object_violation(jsonb, jsonb, jsonb, text, int) from public;

create or replace function mill.fields_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth int) returns text[]
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_field record;
  v_schema jsonb;
  v_is_named boolean;
  v_violation text[];
begin
  for v_field in select e.key, e.value from jsonb_each(p_value) e loop
    if p_schema ? 'propertyNames' then
      v_violation := mill.schema_violation(p_root, p_schema -> 'propertyNames', to_jsonb(v_field.key), '', p_depth);
      if v_violation is not null then
        return array[mill.pointer(p_path, v_field.key), 'has a name that ' || v_violation[2]];
      end if;
    end if;
    v_is_named := p_schema -> 'properties' ? v_field.key;
    for v_schema in
      select p_schema -> 'properties' -> v_field.key where v_is_named
      union all
      select p.value from jsonb_each(p_schema -> 'patternProperties') p where v_field.key collate "C" ~ p.key
    loop
      v_is_named := true;
      v_violation := mill.schema_violation(p_root, v_schema, v_field.value, mill.pointer(p_path, v_field.key), p_depth);
      if v_violation is not null then
        return v_violation;
      end if;
    end loop;
    if not coalesce(v_is_named, false) and p_schema ? 'additionalProperties' then
      v_violation := mill.schema_violation(p_root, p_schema -> 'additionalProperties', v_field.value, mill.pointer(p_path, v_field.key), p_depth);
      if v_violation is not null then
        return v_violation;
      end if;
    end if;
  end loop;
  return null;
end
$$;

comment on function mill.fields_violation(jsonb, jsonb, jsonb, text, int) is 'What a schema has against the fields of an object. For mill.object_violation alone.';
revoke execute on function mill.fields_violation(jsonb, jsonb, jsonb, text, int) from public;

-- The keywords that hold other schemas against the same value.
create or replace function mill.combined_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth int) returns text[]
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_schema jsonb;
  v_violation text[];
  v_first text[];
  v_fitting int := 0;
begin
  if p_schema ? '$ref' then
    v_violation := mill.schema_violation(p_root, p_root #> array(select jsonb_array_elements_text(p_schema -> '$ref')), p_value, p_path, p_depth);
    if v_violation is not null then
      return v_violation;
    end if;
  end if;
  for v_schema in select e.value from jsonb_array_elements(p_schema -> 'allOf') e loop
    v_violation := mill.schema_violation(p_root, v_schema, p_value, p_path, p_depth);
    if v_violation is not null then
      return v_violation;
    end if;
  end loop;
  if p_schema ? 'anyOf' then
    for v_schema in select e.value from jsonb_array_elements(p_schema -> 'anyOf') e loop
      v_violation := mill.schema_violation(p_root, v_schema, p_value, p_path, p_depth);
      v_first := coalesce(v_first, v_violation);
      exit when v_violation is null;
    end loop;
    if v_violation is not null then -- the first of several alternatives is as good as any to name
      return array[v_first[1], v_first[2] || ', or fit another alternative'];
    end if;
  end if;
  if p_schema ? 'oneOf' then
    for v_schema in select e.value from jsonb_array_elements(p_schema -> 'oneOf') e loop
      v_fitting := v_fitting + (mill.schema_violation(p_root, v_schema, p_value, p_path, p_depth) is null)::int;
    end loop;
    if v_fitting <> 1 then
      return array[p_path, format('must fit exactly one of the alternatives, and fits %s', v_fitting)];
    end if;
  end if;
  if p_schema ? 'not' and mill.schema_violation(p_root, p_schema -> 'not', p_value, p_path, p_depth) is null then
    return array[p_path, 'is what it must not be'];
  end if;
  if p_schema ? 'if' then
    v_schema := case when mill.schema_violation(p_root, p_schema -> 'if', p_value, p_path, p_depth) is null then p_schema -> 'then' else p_schema -> 'else' end;
    if v_schema is not null then
      return mill.schema_violation(p_root, v_schema, p_value, p_path, p_depth);
    end if;
  end if;
  return null;
end
$$;

comment on function mill.combined_violation(jsonb, jsonb, jsonb, text, int) is 'What schemas that a schema combines have against a value. For mill.schema_violation alone.';
revoke execute on function mill.combined_violation(jsonb, jsonb, jsonb, text, int) from public;

-- p_depth bounds the recursion: the stack of Postgres ends at a few thousand calls, with an error that names no field.
create or replace function mill.schema_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text default '', p_depth int default 0) returns text[]
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_type text := jsonb_typeof(p_value);
  v_violation text[];
begin
  if jsonb_typeof(p_schema) = 'boolean' then
    return case when p_schema = 'false' then array[p_path, 'is not allowed'] end;
  elsif p_depth > 80 then
    return array[p_path, 'is nested too deeply'];
  elsif not (p_schema -> 'type') ? v_type
    and not (v_type = 'number' and p_schema -> 'type' ? 'integer' and p_value::numeric % 1 = 0)
  then
    return array[p_path, 'must be of the type ' || (select string_agg(t.name, ' or ') from jsonb_array_elements_text(p_schema -> 'type') as t(name))];
  elsif p_schema ? 'enum' and not exists (select from jsonb_array_elements(p_schema -> 'enum') e where e.value = p_value) then
    return array[p_path, 'must be one of ' || left(p_schema ->> 'enum', 200)];
  elsif p_value <> p_schema -> 'const' then
    return array[p_path, 'must be ' || left(p_schema ->> 'const', 200)];
  end if;
  v_violation := case v_type
    when 'string' then mill.text_violation(p_schema, p_value #>> '{}', p_path)
    when 'number' then mill.number_violation(p_schema, p_value::numeric, p_path)
    when 'array' then mill.array_violation(p_root, p_schema, p_value, p_path, p_depth + 1)
    when 'object' then mill.object_violation(p_root, p_schema, p_value, p_path, p_depth + 1) end;
  if v_violation is null and p_schema ?| array['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if'] then
    return mill.combined_violation(p_root, p_schema, p_value, p_path, p_depth + 1);
  end if;
  return v_violation;
end
$$;

comment on function mill.schema_violation(jsonb, jsonb, jsonb, text, int) is
  'The first thing that is wrong with a value under a compiled schema, as {place, sentence}; null when it fits.';
revoke execute on function mill.schema_violation(jsonb, jsonb, jsonb, text, int) from public;
