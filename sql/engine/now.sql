-- Bodies in this form are bound when the function is made, so no search path can bend them and no SET clause
-- is needed: a call costs 0.4 us instead of 3. Hot paths still read it once into a variable.
create or replace function mill.now() returns timestamptz
language sql stable
return coalesce(nullif(current_setting('mill.now', true), '')::timestamptz, clock_timestamp());

comment on function mill.now() is
  'The engine''s clock. A test sets it with: set mill.now = ''2030-01-01 00:00+00''. Workers'' clocks never count.';
revoke execute on function mill.now() from public;
