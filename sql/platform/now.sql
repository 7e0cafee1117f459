-- plpgsql and not SQL: what is declared stable and reads a volatile clock cannot be inlined, and an SQL function that
-- is not inlined is planned by every call. Hot paths read it once into a variable all the same.
create or replace function mill.now() returns timestamptz
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return coalesce(nullif(current_setting('mill.now', true), '')::timestamptz, clock_timestamp());
end
$$;

comment on function mill.now() is
  'The engine''s clock. A test sets it with: set mill.now = ''2030-01-01 00:00+00''. Workers'' clocks never count.';
revoke execute on function mill.now() from public;
