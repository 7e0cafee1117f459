-- A replica answers with what was true a moment ago: it would call fresh data stale and queue it again. The calls that
-- ask this are also VOLATILE, so that PostgREST and a balancer in front of it never take them for reads.
create or replace function mill.require_primary() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  -- A primary that may not write for a while: callers come back (503 with Retry-After).
  if not pg_is_in_recovery() and current_setting('default_transaction_read_only')::boolean then
    raise exception 'the database is read-only' using errcode = 'read_only_sql_transaction', hint = 'Try again later.';
  end if;
  if pg_is_in_recovery() or current_setting('transaction_read_only')::boolean then
    raise exception 'this runs on the primary only' using errcode = 'GM037', hint = 'Use POST, and the address of the primary.';
  end if;
end
$$;

comment on function mill.require_primary() is 'Raises GM037 on a replica and in a read-only transaction, 25006 while the whole database is read-only.';
revoke execute on function mill.require_primary() from public;
