create or replace function mill.mend_of_column(p_name text, p_was jsonb, p_now jsonb) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select string_agg(regexp_replace(p_name, '^(.*)\.(.*)$', 'alter table \1 alter column \2 ') || c.change, '; ' order by c.place)
  from (
    select 1, format('type %s using (%s)::%1$s', p_was ->> 'type', regexp_replace(p_name, '^.*\.', '')) where p_was -> 'type' <> p_now -> 'type'
    union all
    select 2, case when p_was ? 'default' then 'set default ' || (p_was ->> 'default') else 'drop default' end
    where p_was -> 'default' is distinct from p_now -> 'default'
    union all
    select 3, case when (p_was ->> 'is_not_null')::boolean then 'set not null' else 'drop not null' end
    where p_was -> 'is_not_null' <> p_now -> 'is_not_null'
    union all
    select 4, 'add generated ' || case p_was ->> 'identity' when 'a' then 'always' else 'by default' end || ' as identity'
    where p_was ? 'identity' and not p_now ? 'identity') c(place, change)
$$;

comment on function mill.mend_of_column(text, jsonb, jsonb) is 'The SQL that brings a changed column back to its type, default and whether it may be null.';
revoke execute on function mill.mend_of_column(text, jsonb, jsonb) from public;
