-- Cuts a template at its references, so that filling it in is putting pieces of JSON text together: a value is never
-- looked at again, so one that contains braces refers to nothing.
--
--   {"a": "{{item.title}}", "b": "Page {{index}}"}   gives
--   {"a":          | item.title, whole | , "b": "Page   | index, within text | "}
--
-- A string that is nothing but a reference takes the value as it is; within text it is written as text. An opening
-- quote is never preceded by a backslash, which tells "{{x}}" from an escaped quote within a text.
create or replace function mill.template_pieces(p_template jsonb) returns jsonb
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  with pattern as (
    select '(?<!\\)"\{\{ *([a-z][a-z0-9_]*(?:\.[A-Za-z0-9_]+)*) *\}\}"|\{\{ *([a-z][a-z0-9_]*(?:\.[A-Za-z0-9_]+)*) *\}\}' as p
  ),
  texts as (
    select t.text, t.n from pattern, regexp_split_to_table(p_template::text, p) with ordinality as t(text, n)
  ),
  refs as (
    select string_to_array(coalesce(r.m[1], r.m[2]), '.') as path, r.m[1] is not null as whole, r.n
    from pattern, regexp_matches(p_template::text, p, 'g') with ordinality as r(m, n)
  )
  select jsonb_agg(piece order by n, is_ref)
  from (
    select jsonb_build_object('text', t.text) as piece, t.n, false as is_ref from texts t
    union all
    select jsonb_build_object('root', r.path[1], 'path', to_jsonb(r.path[2:]), 'whole', r.whole), r.n, true from refs r
  ) pieces
$$;

comment on function mill.template_pieces(jsonb) is 'A template as an array of {text} and {root, path, whole}.';
revoke execute on function mill.template_pieces(jsonb) from public;
