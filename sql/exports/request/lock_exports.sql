-- The class number is any constant that only this uses; two owners of one hash merely wait for each other.
create or replace function mill.lock_exports(p_owner uuid) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  select pg_advisory_xact_lock(702250, hashtext(p_owner::text))
$$;

comment on function mill.lock_exports(uuid) is 'One change at a time to the exports of an owner, until the transaction ends.';
revoke execute on function mill.lock_exports(uuid) from public;
