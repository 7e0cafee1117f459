create or replace function mill.now() returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(nullif(current_setting('mill.now', true), '')::timestamptz, clock_timestamp())
$$;

comment on function mill.now() is
  'The engine''s clock. A test sets it with: set mill.now = ''2030-01-01 00:00+00''. Workers'' clocks never count.';
revoke execute on function mill.now() from public;
