-- Grants keep the run-time roles out; this keeps out the owner too, under whose rights SECURITY DEFINER functions run. Whoever
-- disables the trigger is found by verify_audit_log.
create or replace function mill.refuse_audit_change() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'the audit log is append-only' using errcode = 'GM024';
end
$$;

comment on function mill.refuse_audit_change() is 'Refuses UPDATE, DELETE and TRUNCATE of the audit log.';
revoke execute on function mill.refuse_audit_change() from public;

drop trigger if exists audit_rows_never_change on mill.audit_log;
create trigger audit_rows_never_change before update or delete on mill.audit_log
  for each row execute function mill.refuse_audit_change();
drop trigger if exists the_audit_log_is_never_emptied on mill.audit_log;
create trigger the_audit_log_is_never_emptied before truncate on mill.audit_log
  for each statement execute function mill.refuse_audit_change();
