-- A data type names its table and its staleness function without a schema. Both are looked for in the schema of refresh first, where
-- ours lie, then in public, where a user's own may lie. The text of the answer is the qualified and quoted name.
create or replace function mill.data_table(p_name text) returns regclass
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select coalesce(to_regclass(format('%I.%I', mill.schema_of('refresh'), p_name)), to_regclass(format('public.%I', p_name))) $$;

comment on function mill.data_table(text) is 'The table of a data type, or null when there is none.';
revoke execute on function mill.data_table(text) from public;

create or replace function mill.staleness_function(p_name text) returns regproc
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    to_regprocedure(format('%I.%I(timestamptz, integer)', mill.schema_of('refresh'), p_name)),
    to_regprocedure(format('public.%I(timestamptz, integer)', p_name)))::oid::regproc
$$;

comment on function mill.staleness_function(text) is 'The function that tells whether data of a type is stale, or null when there is none.';
revoke execute on function mill.staleness_function(text) from public;
