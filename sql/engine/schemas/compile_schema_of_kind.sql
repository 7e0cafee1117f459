-- Whoever writes a schema, by register_jobs or by hand: it is checked before it counts.
create or replace function mill.compile_schema_of_kind() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  new.compiled_schema := mill.compile_schema(new.schema);
  return new;
end
$$;

comment on function mill.compile_schema_of_kind() is 'Keeps the compiled form of a kind''s schema; GM013 for a schema that is not supported.';
revoke execute on function mill.compile_schema_of_kind() from public, anon, authenticated;

drop trigger if exists compile_schema_of_kind on mill.kind;
drop trigger if exists compile_changed_schema_of_kind on mill.kind;
create trigger compile_schema_of_kind before insert on mill.kind
for each row when (new.schema is not null) execute function mill.compile_schema_of_kind();
create trigger compile_changed_schema_of_kind before update of schema on mill.kind
for each row when (new.schema is distinct from old.schema) execute function mill.compile_schema_of_kind();
