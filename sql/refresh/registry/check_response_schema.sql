-- A type that our processor fetches needs to say how, unless the processor has a fetcher of that name; and a schema that is none would refuse
-- every answer, or none. What a keyword means is for the processor to say: here only its shape is looked at, through all levels.
create or replace function mill.check_response_schema(p_row public.data_type_registry) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.refuse_registry_row(format(
    'our processor has no fetcher of its own for %s: give endpoint_template, response_schema and column_map, or name the function that fetches it in edge_function_name', p_row.data_type))
  where p_row.endpoint_template is null and p_row.data_type <> all (array['quote', 'profile', 'earnings', 'financial-statements']);
  perform mill.refuse_registry_row('response_schema accepts anything: say at least the type')
  where not p_row.response_schema ?| array['type', 'properties', 'items', 'required', 'enum', 'const', 'anyOf', 'allOf', 'oneOf', '$ref'];

  perform mill.refuse_registry_row(format('response_schema: %s of %s is not as a JSON Schema has it', w.keyword, w.place))
  from (
    with recursive node(place, it) as (
      select 'the whole', p_row.response_schema
      union all
      select format('%s/%s', n.place, c.name), c.it
      from node n
      cross join lateral (
        select p.key as name, p.value as it from jsonb_each(case jsonb_typeof(n.it -> 'properties') when 'object' then n.it -> 'properties' else '{}' end) p
        union all
        select k.word, n.it -> k.word from unnest(array['items', 'additionalProperties', 'not']) k(word) where jsonb_typeof(n.it -> k.word) = 'object'
        union all
        select k.word, e from unnest(array['anyOf', 'allOf', 'oneOf']) k(word)
        cross join lateral jsonb_array_elements(case jsonb_typeof(n.it -> k.word) when 'array' then n.it -> k.word else '[]' end) e) c
    )
    select n.place, k.keyword
    from node n
    cross join lateral (values
      ('the schema', jsonb_typeof(n.it) in ('object', 'boolean')),
      ('type', not n.it ? 'type' or not exists (
        select from jsonb_array_elements_text(case jsonb_typeof(n.it -> 'type') when 'array' then n.it -> 'type' else jsonb_build_array(n.it -> 'type') end) t(word)
        where t.word is null or t.word <> all (array['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']))),
      ('properties', coalesce(jsonb_typeof(n.it -> 'properties'), 'object') = 'object'),
      ('items', coalesce(jsonb_typeof(n.it -> 'items'), 'object') in ('object', 'boolean')),
      ('required', coalesce(jsonb_typeof(n.it -> 'required'), 'array') = 'array'),
      ('minimum', coalesce(jsonb_typeof(n.it -> 'minimum'), 'number') = 'number'),
      ('maximum', coalesce(jsonb_typeof(n.it -> 'maximum'), 'number') = 'number')) k(keyword, is_well)
    where not k.is_well) w;
end
$$;

comment on function mill.check_response_schema(public.data_type_registry) is 'Raises GM035 when a type of our processor says nothing of how it is fetched, or its response schema is none.';
revoke execute on function mill.check_response_schema(public.data_type_registry) from public;
