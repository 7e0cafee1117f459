-- Whoever locks rows with SKIP LOCKED while it holds others passes over what one of these has touched (xmax): it is most likely theirs,
-- and SKIP LOCKED by itself may wait after all. Where a transaction commits between being seen and being asked, it goes on to
-- the row's next version and waits for whoever has that. One deadlock of a settlement was seen in a million claims, most likely by this.
-- What is touched by none of these was touched in vain, by a call that was rolled back, or by the caller itself.
create or replace function mill.running_transactions() returns xid[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  return array(select x::xid from pg_snapshot_xip(pg_current_snapshot()) x);
end
$$;

comment on function mill.running_transactions() is 'The transactions that write now, but for the caller''s own.';
revoke execute on function mill.running_transactions() from public;
