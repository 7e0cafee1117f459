-- An application may live in a schema of its own: gristmill migrate --with exports --schema NAME.
create or replace function mill.schema_of(p_part text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return coalesce((select p.schema from mill.part p where p.part = p_part), 'public');
end
$$;

comment on function mill.schema_of(text) is 'The schema that holds the exposed objects of a part; public when the part is not installed.';
revoke execute on function mill.schema_of(text) from public;
