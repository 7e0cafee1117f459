-- Grants of one limit are made one after another; the lock is held until the grant commits, for only then does the
-- next see it. The class number is any constant that only this uses.
create or replace function mill.lock_api(p_provider text, p_endpoint text, p_waits boolean) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_class constant int := 702232;
begin
  if p_waits then
    perform pg_advisory_xact_lock(v_class, hashtext(p_provider || '/' || p_endpoint));
    return true;
  end if;
  return pg_try_advisory_xact_lock(v_class, hashtext(p_provider || '/' || p_endpoint));
end
$$;

comment on function mill.lock_api(text, text, boolean) is 'Takes the lock of a limit until the end of the transaction; false when it may not wait and another has it.';
revoke execute on function mill.lock_api(text, text, boolean) from public;
