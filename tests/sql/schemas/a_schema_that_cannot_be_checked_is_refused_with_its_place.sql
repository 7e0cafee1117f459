select plan(26);
create function pg_temp.refusal(p_schema jsonb) returns text language plpgsql as $$
declare v_detail text;
begin
  perform mill.compile_schema(p_schema);
  return 'fine';
exception when sqlstate 'GM013' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return v_detail;
end $$;
select is(pg_temp.refusal('{"type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "x", "title": "t", "properties": {"$ref": {"type": "string"}}}'), 'fine', 'annotations and any names of fields are fine');
select is(pg_temp.refusal('{"$schema": "http://json-schema.org/draft-07/schema#"}'), '/$schema', 'another draft is refused: its keywords mean other things');
select is(pg_temp.refusal('{"items": {"allOf": [true, {"definitions": {}}]}}'), '/items/allOf/1/definitions', 'an unknown keyword is refused wherever it stands');
select is(pg_temp.refusal('{"type": "text"}'), '/type', 'an unknown type is refused');
select is(pg_temp.refusal('{"items": [{"type": "string"}]}'), '/items', 'items is one schema');
select is(pg_temp.refusal('{"minLength": -1}'), '/minLength', 'a length is not negative');
select is(pg_temp.refusal('{"multipleOf": 0}'), '/multipleOf', 'nothing is a multiple of nothing');
select is(pg_temp.refusal('{"required": "a"}'), '/required', 'required is an array');
select is(pg_temp.refusal('{"dependentRequired": {"a": "b"}}'), '/dependentRequired', 'dependentRequired has arrays');
select is(pg_temp.refusal('{"anyOf": []}'), '/anyOf', 'an empty anyOf is refused');
select is(pg_temp.refusal('{"$ref": "https://example.com/other"}'), '/$ref', 'a reference leads to the same schema');
select is(pg_temp.refusal('{"properties": {"a": {"$ref": "#/$defs/b"}}}'), '/$defs/b', 'a reference to nothing is refused');
select matches(pg_temp.refusal('{"$defs": {"a": {"anyOf": [true, {"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}}'), '^[ab]$', 'a schema that refers to itself for the same value is refused');
select is(pg_temp.refusal('{"properties": {"child": {"$ref": "#"}}}'), 'fine', 'one that refers to itself for a part of the value is fine');
select is(pg_temp.refusal('{"patternProperties": {"(": true}}'), '/patternProperties/(', 'a pattern that is none is refused');
select is((select string_agg(p, ' ') from unnest(array['\bword\b', '(a)\1', '(?<=a)b', '(?<name>a)', '\p{L}', 'a{300}', '[]', '[^]', 'a{', '}', ']', '*a', 'a**', '(a', 'a)', '[z-a]', '[\w-a]', '\', '[a', '\c', '\u12', '(?i)a', '^*', '\ud83d']) as x(p)
  where mill.translate_pattern(p) is not null), null, 'what Postgres would match in another way is refused');
select is((select string_agg(p, ' ') from unnest(array['^a.b$', '[a-z]+@\w+\.(?:com|org)', '^(?=.*\d)(?!.*\s)', '[\]\\\-]', 'a{2}b{2,}c{2,3}', 'x??', '\u{1F600}', '[^\d\s]', '', 'a||b', '\-\/']) as x(p)
  where mill.translate_pattern(p) is null), null, 'what both match alike is translated');
select is((select count(*)::int from unnest(array['٣', 'é', E'\n']) as x(t) where t ~ mill.translate_pattern('^[\d\w.]$')), 0, 'digits and letters are those of ASCII');
select ok(E'\u00a0' ~ mill.translate_pattern('^\s$'), 'white space is that of Unicode');
select ok(E'\n' !~ mill.translate_pattern('.') and 'x' ~ mill.translate_pattern('.'), 'a dot matches no end of a line');

create function pg_temp.says(p_schema jsonb, p_value jsonb) returns text language sql as $$
  select array_to_string(mill.schema_violation(c, c, p_value), ' ') from mill.compile_schema(p_schema) c $$;
select is(pg_temp.says('{"required": ["a"], "properties": {"a": {"type": ["string", "null"]}}}', '{"a": 1}'), '/a must be of the type string or null', 'a violation names the field and what is wanted');
select is(pg_temp.says('{"required": ["a"]}', '{}'), '/a is missing', 'a field that is missing is named');
select is(pg_temp.says('{"properties": {"a/b": {"items": {"properties": {"c~d": {"enum": [1, "x"]}}}}}}', '{"a/b": [{}, {"c~d": 2}]}'), '/a~1b/1/c~0d must be one of [1, "x"]', 'the place is a JSON Pointer');
select is(pg_temp.says('{"additionalProperties": false, "properties": {"a": true}}', '{"a": 1, "b": 2}'), '/b is not allowed', 'a field that may not be there is named by a JSON Pointer');
select is(pg_temp.says('{"anyOf": [{"type": "string"}, {"type": "null"}]}', '1'), ' must be of the type string, or fit another alternative', 'the first alternative is explained');
select matches(pg_temp.says('{"properties": {"a": {"$ref": "#"}}}', (repeat('{"a": ', 300) || '1' || repeat('}', 300))::jsonb), 'is nested too deeply$', 'a value that is nested too deeply is refused and not a crash');
select * from finish();
