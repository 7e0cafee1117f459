-- The lock ends with the transaction, so every path out frees it. 702234 is any constant that only this uses.
create or replace function mill.entry_lock(p_name text) returns boolean
language sql
set search_path = pg_catalog, pg_temp
as $$ select pg_try_advisory_xact_lock(702234, hashtext(p_name)) $$;

comment on function mill.entry_lock(text) is 'Whether this run of a recurring step is the only one; the others skip.';
revoke execute on function mill.entry_lock(text) from public;
